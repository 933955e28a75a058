//! An index of a format before this one is upgraded in place, also if that is killed: rows of files that are gone stay.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use annals_index::{Index, OpenOutcome};
use annals_store::{ConfigDir, DataDir, Store};
use annals_testkit::depth::cases;
use annals_testkit::home::Home;
use annals_testkit::tree::copy;
use rusqlite::Connection;

use crate::killed::build;
use crate::{dump, refreshed, words_path};

/// How often it is killed at full depth.
const KILLS: u32 = 60;

/// Makes an index one of an older format: the reverse of the upgrade.
fn downgrade(path: &Path, format: i64) {
    let mut sql = "DROP INDEX files_of_role; DROP INDEX files_of_agent; DROP INDEX agents_at_work; DROP INDEX started_agents;"
        .to_owned();
    if format == 6 {
        sql += "
            ALTER TABLE messages DROP COLUMN parent;
            ALTER TABLE todo_items DROP COLUMN active_form;
            ALTER TABLE todo_items DROP COLUMN priority;
            DROP INDEX responses_of_file;
            CREATE INDEX responses_of_file ON responses (file);";
    }
    let version = format!("PRAGMA user_version = {format};");
    Connection::open(path).unwrap().execute_batch(&(sql + &version)).unwrap();
    Connection::open(words_path(path)).unwrap().execute_batch(&version).unwrap();
}

/// A store with an index of the old format, which knows a session that is gone by now; and the path of that session.
fn old(format: i64) -> (Home, String) {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(6), ..annals_demo::Plan::default() });
    drop(refreshed(&home.config_dir(), &home.data_dir()));
    let config = ConfigDir::new(home.config_dir());
    downgrade(&Index::path_of(&config, &DataDir::new(home.data_dir())), format);
    let gone = Store::open(home.config_dir()).discover().sessions.remove(0);
    fs::remove_file(&gone.path).unwrap();
    (home, gone.key.to_string())
}

/// The rows after the next command, which must have upgraded the index, not rebuilt it.
fn rows(home: &Home, gone: &str) -> Vec<String> {
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let (index, opened) = Index::open(&config, &data).unwrap();
    assert_eq!(opened, OpenOutcome::Existing);
    drop(index);
    let rows = dump(&refreshed(&home.config_dir(), &home.data_dir()).0);
    assert!(rows.iter().any(|row| row.contains("message") && row.contains(gone)), "rows of {gone} are lost");
    rows
}

#[test]
fn each_older_format_gives_the_same_rows() {
    let [six, seven, eight] = [6, 7, 8].map(|format| {
        let (home, gone) = old(format);
        rows(&home, &gone)
    });
    assert!(six == seven && seven == eight);
}

#[test]
fn an_upgrade_that_was_cut_short_is_done_again() {
    let (home, gone) = old(6);
    let data = home.data_dir();
    let aside = annals_testkit::temp::TempDir::new("old-index");
    copy(&data, aside.path());
    let expected = rows(&home, &gone);
    // The words have the new format and the rows do not: the kill came between.
    fs::remove_dir_all(&data).unwrap();
    copy(aside.path(), &data);
    let path = Index::path_of(&ConfigDir::new(home.config_dir()), &DataDir::new(&data));
    let format: i64 = {
        let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
        drop(index);
        let whole = Connection::open(&path).unwrap();
        whole.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    fs::remove_dir_all(&data).unwrap();
    copy(aside.path(), &data);
    let words = Connection::open(words_path(&path)).unwrap();
    words.execute_batch(&format!("PRAGMA user_version = {format};")).unwrap();
    drop(words);
    assert_eq!(rows(&home, &gone), expected);
}

#[test]
fn an_upgrade_that_is_killed_at_any_instant_leaves_a_usable_index() {
    let (home, gone) = old(6);
    let data = home.data_dir();
    let aside = annals_testkit::temp::TempDir::new("old-index");
    copy(&data, aside.path());
    let reset = || {
        fs::remove_dir_all(&data).unwrap();
        copy(aside.path(), &data);
    };
    let expected = rows(&home, &gone);
    reset();
    let started = Instant::now();
    assert!(build(&home).wait().unwrap().success());
    let longest = started.elapsed();
    let kills = cases(KILLS);
    for kill in 0..kills {
        reset();
        let instant = longest.mul_f64(f64::from(kill) / f64::from(kills)).max(Duration::from_millis(1));
        let mut child = build(&home);
        thread::sleep(instant);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(rows(&home, &gone), expected, "killed after {instant:?}");
    }
}
