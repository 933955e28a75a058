//! The index is a cache: after any damage it is rebuilt from the files, and that is reported.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;

use annals_index::{Index, IndexError, OpenOutcome};
use annals_store::{ConfigDir, DataDir, Store};
use annals_testkit::home::Home;
use annals_transcript::price::Prices;

use crate::{dump, matches, refreshed, words_path};

#[test]
fn a_damaged_or_foreign_index_is_made_anew() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let whole = dump(&index);
    drop(index);
    let path = Index::path_of(&config, &data);
    let (_, opened) = Index::open(&config, &data).unwrap();
    assert_eq!(opened, OpenOutcome::Existing);
    let words = words_path(&path);
    let of_words = |sql: &str| rusqlite::Connection::open(&words).unwrap().execute_batch(sql).unwrap();
    let damages: [(&dyn Fn(), OpenOutcome); 7] = [
        (
            &|| fs::write(&words, b"this is no database, whatever its name says").unwrap(),
            OpenOutcome::Damaged,
        ),
        (&|| fs::remove_file(&words).unwrap(), OpenOutcome::Damaged),
        (&|| of_words("PRAGMA user_version = 999"), OpenOutcome::Damaged),
        // After a power failure the last words did not reach the disk.
        (&|| of_words("UPDATE reached SET message = message - 1"), OpenOutcome::Damaged),
        (&|| fs::write(&path, b"this is no database, whatever its name says").unwrap(), OpenOutcome::Damaged),
        (&|| fs::remove_file(&path).unwrap(), OpenOutcome::New),
        (
            &|| {
                let connection = rusqlite::Connection::open(&path).unwrap();
                connection.execute_batch("PRAGMA user_version = 999").unwrap();
            },
            OpenOutcome::OtherFormat,
        ),
    ];
    for (damage, expected) in damages {
        damage();
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{ending}", path.display()));
            let _ = fs::remove_file(format!("{}{ending}", words.display()));
        }
        let (index, opened) = Index::open(&config, &data).unwrap();
        assert_eq!(opened, expected);
        drop(index);
        let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
        assert_eq!(dump(&index), whole);
    }
}

#[test]
fn those_who_begin_at_once_make_one_index() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(4), ..annals_demo::Plan::default() });
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    for _ in 0..20 {
        let _ = fs::remove_dir_all(home.data_dir().join("index"));
        let made = std::thread::scope(|scope| {
            let begin = || match Index::open(&config, &data) {
                Ok((_, opened)) => usize::from(opened != OpenOutcome::Existing),
                Err(IndexError::Busy { .. }) => 0,
                Err(error) => panic!("{error}"),
            };
            let all: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
            all.into_iter().map(|one| one.join().unwrap()).sum::<usize>()
        });
        assert_eq!(made, 1, "{made} made it");
    }
}

/// The errors of all operations that change an index.
#[cfg(unix)]
fn changes(index: &mut Index, home: &Home) -> Vec<IndexError> {
    let (store, data, prices) =
        (Store::open(home.config_dir()), DataDir::new(home.data_dir()), Prices::embedded());
    let found = store.discover();
    let append_to = |_| ControlFlow::Continue(());
    [
        index.refresh(&found, &data, &prices, append_to).err(),
        index.refresh_files(&[], &data, &prices, append_to).err(),
        index.add_gone(&found, &data, &prices).err(),
        index.forget_gone(&HashSet::new(), &data, &prices).err(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

// On systems where an open file cannot be removed, none of this can happen.
#[cfg(unix)]
#[test]
fn who_has_an_index_open_that_was_made_anew_does_not_write_into_the_new_one() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(4), ..annals_demo::Plan::default() });
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let (mut old, _) = refreshed(&home.config_dir(), &home.data_dir());
    assert!(changes(&mut old, &home).is_empty());
    Index::remove(&config, &data).unwrap();
    let is_refused = |faults: Vec<IndexError>| {
        faults.len() == 4 && faults.iter().all(|fault| matches!(fault, IndexError::Replaced { .. }))
    };
    assert!(is_refused(changes(&mut old, &home)), "removed");
    home.write(
        "projects/-p/33333333-3333-4333-8333-333333333333.jsonl",
        "{\"type\":\"summary\",\"summary\":\"zyzzyva\"}\n",
    );
    let (new, _) = refreshed(&home.config_dir(), &home.data_dir());
    let whole = dump(&new);
    home.write(
        "projects/-p/44444444-4444-4444-8444-444444444444.jsonl",
        "{\"type\":\"summary\",\"summary\":\"quokka\"}\n",
    );
    assert!(is_refused(changes(&mut old, &home)), "made again");
    assert_eq!(dump(&new), whole);
}

#[test]
fn an_index_that_somebody_changes_is_not_removed() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(2), ..annals_demo::Plan::default() });
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let store = Store::open(home.config_dir());
    let (mut index, _) = Index::open(&config, &data).unwrap();
    let mut removals = 0;
    let remove = |_| {
        assert!(matches!(Index::remove(&config, &data), Err(IndexError::Busy { .. })));
        removals += 1;
        ControlFlow::Continue(())
    };
    index.refresh(&store.discover(), &data, &Prices::embedded(), remove).unwrap();
    assert!(removals > 0 && index.path().exists());
    Index::remove(&config, &data).unwrap();
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(index.path()), 0o600);
    assert_eq!(mode(&words_path(index.path())), 0o600);
    assert_eq!(mode(index.path().parent().unwrap()), 0o700);
}

#[test]
fn words_that_a_kill_left_without_rows_are_taken_out_before_their_numbers_are_given() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(4), ..annals_demo::Plan::default() });
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let whole = dump(&index);
    let connection = rusqlite::Connection::open(words_path(index.path())).unwrap();
    let next: i64 = connection.query_row("SELECT message FROM reached", [], |row| row.get(0)).unwrap();
    for table in ["words_said", "words_shown"] {
        let sql = format!("INSERT INTO {table} (rowid, body) VALUES (?1, 'zyzzyva alone')");
        connection.execute(&sql, [next]).unwrap();
    }
    drop((index, connection));
    let folder = home.config_dir().join("projects/-p");
    fs::create_dir_all(&folder).unwrap();
    let line = r#"{"type":"user","uuid":"11111111-1111-4111-8111-111111111111","sessionId":"22222222-2222-4222-8222-222222222222","message":{"role":"user","content":"fresh"}}"#;
    fs::write(folder.join("22222222-2222-4222-8222-222222222222.jsonl"), format!("{line}\n")).unwrap();
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    assert_eq!((matches(&index, "zyzzyva"), matches(&index, "fresh")), (0, 1));
    assert!(dump(&index).len() > whole.len());
}

#[cfg(unix)]
#[test]
fn a_folder_whose_name_is_no_text_holds_an_index() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(2), ..annals_demo::Plan::default() });
    let data = home.data_dir().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
    let (index, done) = refreshed(&home.config_dir(), &data);
    assert!(done.files > 0 && words_path(index.path()).exists());
    drop(index);
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(&data));
    assert!(Index::open_to_read(&config, &data).unwrap().is_some());
}
