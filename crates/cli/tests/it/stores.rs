//! Two stores that share a data folder: `undo`, `trash` and `restore` act on the store in use, and name it.

use std::fs;
use std::path::{Path, PathBuf};

use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::tree::{copy, exact_tree};

use crate::annals;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

struct Stores {
    home: Home,
    first: PathBuf,
    second: PathBuf,
}

impl Stores {
    fn new() -> Self {
        let home = Home::new();
        let session =
            Session::new().id(ID).folder("/w").prompt("Water the trees").reply("1").prompt("two").reply("2");
        let path = home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
        home.write("projects/-w/sessions-index.json", r#"{"version":1,"entries":[]}"#);
        let (first, second) = (home.config_dir(), home.path().join("second"));
        copy(&first, &second);
        Self { home, first, second }
    }

    fn run(&self, store: &Path, arguments: &[&str], code: i32) -> CommandOutput {
        let mut all = vec!["--config-dir", store.to_str().unwrap()];
        all.extend(arguments);
        let answer = annals(&self.home, &all);
        assert_eq!(answer.code, Some(code), "{all:?}\n{}{}", answer.out, answer.error);
        answer
    }
}

#[test]
fn undo_takes_the_last_change_of_the_store_in_use() {
    let stores = Stores::new();
    let before = [exact_tree(&stores.first), exact_tree(&stores.second)];
    stores.run(&stores.first, &["rename", ID, "Orchard", "--yes"], 0);
    let renamed = exact_tree(&stores.first);
    // The other store has no change, whatever was done here.
    let refused = stores.run(&stores.second, &["undo", "--yes"], 1);
    assert!(refused.error.contains("second"), "{}", refused.error);
    assert_eq!(exact_tree(&stores.first), renamed);
    stores.run(&stores.second, &["tag", ID, "mine", "--yes"], 0);
    // The last change of all is the other store's.
    let reverted = stores.run(&stores.first, &["undo", "--yes"], 0);
    for word in [ID, "Orchard", stores.first.to_str().unwrap()] {
        assert!(reverted.out.contains(word), "{word}: {}", reverted.out);
    }
    assert_eq!(exact_tree(&stores.first), before[0]);
    stores.run(&stores.second, &["undo", "--yes"], 0);
    assert_eq!(exact_tree(&stores.second), before[1]);
}

#[test]
fn a_change_of_another_store_is_not_undone_by_its_id() {
    let stores = Stores::new();
    stores.run(&stores.first, &["rename", ID, "Orchard", "--yes"], 0);
    let list = stores.run(&stores.second, &["undo", "--list", "--all-stores", "--json"], 0).out;
    let id = list.split("\"undo\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(list.contains("Orchard") && list.contains(ID), "{list}");
    stores.run(&stores.second, &["undo", "--list"], 1);
    let refused = stores.run(&stores.second, &["undo", &id, "--yes"], 2);
    assert!(
        refused.error.contains(&format!("--config-dir {} undo {id}", stores.first.display())),
        "{}",
        refused.error
    );
    stores.run(&stores.first, &["undo", &id, "--yes"], 0);
}

#[test]
fn the_trash_of_another_store_is_neither_listed_nor_emptied() {
    let stores = Stores::new();
    let before = exact_tree(&stores.first);
    stores.run(&stores.first, &["trash", ID, "--yes"], 0);
    let listed = stores.run(&stores.second, &["trash", "--list"], 1);
    assert!(listed.out.contains("second"), "{}", listed.out);
    assert!(
        stores
            .run(&stores.second, &["trash", "--list", "--all-stores", "--json"], 0)
            .out
            .contains("Water the trees")
    );
    assert!(stores.run(&stores.first, &["trash", "--list", "--json"], 0).out.contains("Water the trees"));
    let emptied = stores.run(&stores.second, &["trash", "--empty", "--yes"], 0);
    assert!(emptied.out.contains("nothing to delete"), "{}", emptied.out);
    // The session of the same id that the other store has is not restored either.
    stores.run(&stores.second, &["restore", ID, "--yes"], 1);
    stores.run(&stores.first, &["restore", ID, "--yes"], 0);
    assert_eq!(exact_tree(&stores.first), before);
}

#[test]
fn a_session_of_another_store_is_restored_from_the_vault_only_where_it_was() {
    let stores = Stores::new();
    stores.run(&stores.first, &["archive", "--all"], 0);
    let path = stores.first.join(format!("projects/-w/{ID}.jsonl"));
    let elsewhere = stores.second.join(format!("projects/-w/{ID}.jsonl"));
    fs::remove_file(&path).unwrap();
    fs::remove_file(&elsewhere).unwrap();
    let refused = stores.run(&stores.second, &["restore", ID, "--replace", "--yes"], 1);
    assert!(refused.error.contains("--config-dir"), "{}", refused.error);
    assert!(!path.exists() && !elsewhere.exists());
    stores.run(&stores.first, &["restore", ID, "--yes"], 0);
    assert!(path.exists());
}

#[test]
fn a_change_by_path_tells_how_to_revert_it_from_here() {
    let stores = Stores::new();
    let before = exact_tree(&stores.second);
    let path = stores.second.join(format!("projects/-w/{ID}.jsonl"));
    let done = stores.run(&stores.first, &["rename", path.to_str().unwrap(), "Orchard", "--yes"], 0);
    assert!(
        done.out.contains(&format!("annals --config-dir {} undo ", stores.second.display())),
        "{}",
        done.out
    );
    stores.run(&stores.first, &["undo", "--yes"], 1);
    stores.run(&stores.second, &["undo", "--yes"], 0);
    assert_eq!(exact_tree(&stores.second), before);
}
