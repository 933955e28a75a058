//! Redaction of what annals keeps of files that commands changed.

use std::ops::ControlFlow;

use annals_store::DataDir;
use annals_store::command_changes::CommandChanges;
use annals_surgery::Session;
use annals_surgery::apply::apply;
use annals_surgery::redact::{command_copies, plan, scan};
use annals_testkit::builder::Session as Builder;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;

use crate::tree;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// Assembled here: a whole token in the source would alarm every scanner.
fn token() -> String {
    format!("ghp_{}", "a8Kd03LxQ7vTz1Rm5WbYc9Nf2HgJ6sPe4UoX")
}

fn rules() -> SecretRules {
    SecretRules::new(&[], &[]).unwrap()
}

#[test]
fn copies_of_what_commands_changed_are_searched_and_removed() {
    let home = Home::new();
    let session = Builder::new().id(ID).prompt("hello").reply("Hello.").into_bytes();
    let path = home.write(format!("projects/-w/{ID}.jsonl"), session);
    let data = DataDir::new(home.data_dir());
    let changes = CommandChanges::of_session(&data, &ID.into()).unwrap();
    let mut copies = changes.copies().unwrap();
    copies.put(b"harmless").unwrap();
    copies.put(format!("export GITHUB={}\n", token()).as_bytes()).unwrap();
    changes.append(&[format!(r#"{{"path":"{}.txt"}}"#, token()).into_bytes()]).unwrap();
    let session = Session::load(&path).unwrap();
    let files = command_copies(&session, &data).unwrap();
    let found = scan(&files, &rules());
    assert_eq!((files.len(), found.len()), (3, 2), "{found:?}");
    let before = tree(&home.data_dir().join("commands"));
    let planned = plan(&session, &files, &rules()).unwrap();
    assert!(
        planned.notes.iter().any(|note| note.starts_with("1 copy of files that commands")),
        "{planned:?}"
    );
    let source = CountingSource::default();
    let entry = apply(&planned, &data, &source, &mut |_| ControlFlow::Continue(())).unwrap();
    let left = command_copies(&session, &data).unwrap();
    assert_eq!((left.len(), scan(&left, &rules()).len()), (2, 0));
    annals_store::journal::Journal::new(&data).undo(entry).unwrap();
    assert_eq!(tree(&home.data_dir().join("commands")), before);
}
