//! Every row leads back to its line.

use std::fs;

use annals_testkit::home::Home;
use annals_transcript::line::lines;

use crate::{dump, refreshed};

#[test]
fn rows_name_the_lines_that_they_come_from() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let (index, done) = refreshed(&home.config_dir(), &home.data_dir());
    assert!(done.files > 50, "{done:?}");
    let connection = rusqlite::Connection::open(index.path()).unwrap();
    let mut statement = connection
        .prepare("SELECT files.path, line, messages.offset, length FROM messages JOIN files ON files.id = file WHERE files.role < 2")
        .unwrap();
    let rows: Vec<(String, usize, usize, usize)> = statement
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get::<_, i64>(1)? as usize,
                row.get::<_, i64>(2)? as usize,
                row.get::<_, i64>(3)? as usize,
            ))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(rows.len() > 1000);
    for (path, line, offset, length) in rows {
        let bytes = fs::read(home.config_dir().join(&path)).unwrap();
        let found = lines(&bytes).nth(line - 1).unwrap();
        assert_eq!((found.offset, found.body().len()), (offset, length), "{path}:{line}");
    }
}

#[test]
fn a_store_that_did_not_change_is_not_read_again() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let before = dump(&index);
    drop(index);
    let (index, again) = refreshed(&home.config_dir(), &home.data_dir());
    assert!(again.is_nothing(), "{again:?}");
    assert_eq!(dump(&index), before);
}
