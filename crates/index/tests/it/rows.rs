//! Every row refers to its line.

use std::fs;

use annals_testkit::builder::Session;
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
    assert!(again.is_unchanged(), "{again:?}");
    assert_eq!(dump(&index), before);
}

#[test]
fn what_belongs_to_a_session_that_comes_later_or_moves_goes_with_it() {
    const SESSION: &str = "22222222-2222-4222-8222-222222222222";
    let home = Home::new();
    let list = r#"[{"content":"water the plants","status":"pending","id":"1"}]"#;
    let todos = home.write(format!("todos/{SESSION}-agent-{SESSION}.json"), list);
    let agent = home.write(
        "projects/-a/agent-x1.jsonl",
        format!(r#"{{"type":"user","sessionId":"{SESSION}","isSidechain":true,"agentId":"x1","uuid":"33333333-3333-4333-8333-333333333333","message":{{"role":"user","content":"dig"}}}}"#) + "\n",
    );
    let session = Session::new().id(SESSION).prompt("the garden").into_bytes();
    let mut steps = 0;
    let mut check = || {
        steps += 1;
        let (followed, _) = refreshed(&home.config_dir(), &home.data_dir());
        // Deleted files stay in the index; they are not the subject here.
        let there = |index| dump(index).into_iter().filter(|row| !row.contains("-gone/")).collect::<Vec<_>>();
        let (rebuilt, _) = refreshed(&home.config_dir(), &home.path().join(format!("rebuilt{steps}")));
        assert_eq!(there(&followed), there(&rebuilt));
        assert!(refreshed(&home.config_dir(), &home.data_dir()).1.is_unchanged());
        let rows = there(&followed);
        let belongs = |path: &std::path::Path, slug: &str| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let is_file = |row: &&String| row.starts_with("file ") && row.contains(&name);
            rows.iter().find(is_file).unwrap().contains(&format!(" {slug} {SESSION}"))
        };
        (belongs(&todos, "-b"), belongs(&todos, "-gone"), belongs(&agent, "-b"))
    };
    assert_eq!(check(), (false, false, false));
    home.write(format!("projects/-gone/{SESSION}.jsonl"), &session);
    assert_eq!(check(), (false, true, false));
    fs::remove_dir_all(home.config_dir().join("projects/-gone")).unwrap();
    home.write(format!("projects/-b/{SESSION}.jsonl"), &session);
    assert_eq!(check(), (true, false, true));
}
