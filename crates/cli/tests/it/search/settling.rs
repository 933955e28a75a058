//! Folders that were just written when the index was made, and are old enough now: a query notes that, once.

use std::time::{Duration, Instant, SystemTime};
use std::{fs, thread};

use annals_index::Index;
use annals_store::{ConfigDir, DataDir};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::annals_exits;

fn home(projects: usize) -> Home {
    let home = Home::new();
    for number in 0..projects {
        let id = format!("11111111-0000-4000-8000-{number:012}");
        let session = Session::new().id(&id).prompt("a zebra").reply("yes");
        home.write(format!("projects/-p{number}/{id}.jsonl"), session.into_bytes());
    }
    home
}

/// The snapshot that is saved with the index, and how many of its folders have not settled.
fn snapshot(home: &Home) -> (String, usize) {
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let text = Index::snapshot_of(&config, &data).text().to_owned();
    let unsettled = text.split('\0').filter(|line| line.starts_with("u ")).count();
    (text, unsettled)
}

/// Makes the index while every folder of a project is fresh.
fn index(home: &Home, projects: usize) {
    let began = Instant::now();
    loop {
        for number in 0..projects {
            let folder = fs::File::open(home.config_dir().join(format!("projects/-p{number}"))).unwrap();
            folder.set_modified(SystemTime::now()).unwrap();
        }
        annals_exits(home, &["search", "zebra"], 0);
        if snapshot(home).1 >= projects {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "the index is never made in time");
    }
}

#[test]
fn a_query_saves_that_many_folders_have_settled_and_answers_as_before() {
    let home = home(20);
    index(&home, 20);
    let first = annals_exits(&home, &["search", "zebra"], 0).out;
    thread::sleep(Duration::from_millis(2_300));
    assert_eq!(annals_exits(&home, &["search", "zebra"], 0).out, first);
    let (saved, unsettled) = snapshot(&home);
    assert_eq!(unsettled, 0, "{saved}");
    assert_eq!(annals_exits(&home, &["search", "zebra"], 0).out, first);
    assert_eq!(snapshot(&home).0, saved, "it is saved once");
    // What comes later is found.
    let id = "22222222-0000-4000-8000-000000000000";
    let session = Session::new().id(id).prompt("another zebra").reply("yes").into_bytes();
    home.write(format!("projects/-p3/{id}.jsonl"), session);
    assert!(annals_exits(&home, &["search", "another"], 0).out.contains(id));
}

#[test]
fn few_folders_are_listed_again_instead() {
    let home = home(3);
    index(&home, 3);
    let (saved, _) = snapshot(&home);
    thread::sleep(Duration::from_millis(2_300));
    annals_exits(&home, &["search", "zebra"], 0);
    assert_eq!(snapshot(&home).0, saved);
}
