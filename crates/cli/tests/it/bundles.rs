//! `annals export --as bundle` and `annals import`: a session moves to another store, is planned, confirmed and undone.

use std::fs;
use std::path::PathBuf;

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::home::Home;
use annals_testkit::tree::exact_tree;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

/// A demo store, the id of its session with the most sub-agents, and a bundle of it.
fn bundled() -> (Home, String, PathBuf) {
    let home = Home::new();
    home.fill(&Plan { sessions: Some(6), ..Plan::default() });
    let listed = annals(&home, &["ls", "--json"]).out;
    let listed = Value::parse(listed.as_bytes()).unwrap();
    let sessions = listed.get("sessions").unwrap();
    let agents = |session: &Value<'_>| session.get("subAgents").and_then(Value::count);
    let id = sessions.items().max_by_key(agents).unwrap().get("id").unwrap().text().unwrap().to_string();
    let file = home.path().join("garden.bundle");
    let done = annals_exits(&home, &["export", &id, "--as", "bundle", "--to", file.to_str().unwrap()], 0);
    assert!(done.out.contains("annals import"), "{}", done.out);
    (home, id, file)
}

#[test]
fn a_session_moves_to_another_store_and_resumes_equally() {
    let (from, id, file) = bundled();
    let to = Home::new();
    let before = exact_tree(&to.config_dir());
    let file = file.to_str().unwrap();
    let would = annals_exits(&to, &["import", file, "--dry-run"], 0);
    assert!(would.out.contains("would import") && would.out.contains("create"), "{}", would.out);
    // Without a terminal nobody can be asked.
    annals_exits(&to, &["import", file], 2);
    assert_eq!(exact_tree(&to.config_dir()), before);
    let done = annals_exits(&to, &["import", file, "--yes", "--json"], 0).out;
    keep_schema("change", &[done.trim_end().as_bytes()], "import --json");
    for form in ["api", "messages", "agents", "tools", "usage"] {
        let arguments = ["show", id.as_str(), "--as", form, "--json"];
        let (old, new) = (annals_exits(&from, &arguments, 0).out, annals_exits(&to, &arguments, 0).out);
        let place = |home: &Home| home.config_dir().to_string_lossy().into_owned();
        assert_eq!(new.replace(&place(&to), ""), old.replace(&place(&from), ""), "{form}");
    }
    let refused = annals_exits(&to, &["import", file, "--yes"], 4);
    assert!(refused.error.contains("--new-id"), "{}", refused.error);
    annals_exits(&to, &["undo", "--yes"], 0);
    assert_eq!(exact_tree(&to.config_dir()), before);
}

#[test]
fn it_goes_to_another_project_under_a_new_id() {
    let (home, id, file) = bundled();
    let before = exact_tree(&home.config_dir());
    let work = home.work_dir().canonicalize().unwrap();
    let arguments = ["import", file.to_str().unwrap(), "--project", ".", "--new-id", "--yes", "--json"];
    let done = annals_exits(&home, &arguments, 0).out;
    let done = Value::parse(done.as_bytes()).unwrap();
    let new = done.get("session").unwrap().text().unwrap().to_string();
    assert_ne!(new, id);
    let listed = annals_exits(&home, &["ls", "--project", work.to_str().unwrap(), "--json"], 0).out;
    assert!(listed.contains(&new) && !listed.contains(&format!("\"id\":\"{id}\"")), "{listed}");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(exact_tree(&home.config_dir()), before);
}

#[test]
fn a_bundle_goes_through_a_pipe() {
    let (from, id, file) = bundled();
    let piped = annals_exits(&from, &["export", &id, "--as", "bundle", "--to", "-"], 0).bytes;
    assert_eq!(piped, fs::read(&file).unwrap());
    let to = Home::new();
    let mut command = to.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["import", "-", "--yes"]).stdin(fs::File::open(&file).unwrap());
    let done = to.finish(&mut command);
    assert_eq!(done.code, Some(0), "{}", done.error);
    annals_exits(&to, &["show", &id], 0);
}

#[test]
fn a_folder_takes_a_bundle_of_each_session() {
    let (home, _, file) = bundled();
    let folder = home.path().join("bundles");
    fs::create_dir(&folder).unwrap();
    let to = folder.to_str().unwrap();
    let done = annals_exits(&home, &["export", "--all", "--as", "bundle", "--to", to, "--json"], 0).out;
    let count = fs::read_dir(&folder).unwrap().count();
    assert!(count > 1 && done.matches("\"session\"").count() == count, "{done}");
    // What is there is not overwritten, and one file takes one session.
    annals_exits(&home, &["export", "--all", "--as", "bundle", "--to", to], 4);
    annals_exits(&home, &["export", "--all", "--as", "bundle", "--to", file.to_str().unwrap()], 2);
    annals_exits(&home, &["export", "last", "--as", "bundle", "--redact", "--to", to], 2);
}

#[test]
fn what_is_no_bundle_is_refused_and_named() {
    let (home, _, file) = bundled();
    let before = exact_tree(&home.config_dir());
    let bytes = fs::read(&file).unwrap();
    let bad = home.path().join("bad");
    let cases: [(&[u8], i32); 4] =
        [(b"", 2), (b"{\"type\":\"user\"}\n", 2), (&bytes[..bytes.len() / 2], 3), (&bytes[..40], 3)];
    for (content, code) in cases {
        fs::write(&bad, content).unwrap();
        let refused = annals_exits(&home, &["import", bad.to_str().unwrap(), "--new-id", "--yes"], code);
        assert!(
            refused.error.contains("bad: ") && refused.error.contains("nothing was changed"),
            "{}",
            refused.error
        );
    }
    annals_exits(&home, &["import", "/no/such/file", "--yes"], 2);
    annals_exits(&home, &["import", home.path().to_str().unwrap(), "--yes"], 2);
    assert_eq!(exact_tree(&home.config_dir()), before);
}

/// Another program opens it, and finds a store.
#[test]
fn tar_unpacks_it_to_a_store() {
    let (home, id, file) = bundled();
    let archive = home.path().join("garden.tar");
    fs::write(&archive, zstd::decode_all(&fs::read(&file).unwrap()[..]).unwrap()).unwrap();
    let folder = home.path().join("unpacked");
    fs::create_dir(&folder).unwrap();
    let tar = std::process::Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&folder).status();
    if !tar.is_ok_and(|status| status.success()) {
        annals_testkit::skipped("tar_unpacks_it_to_a_store", "there is no tar");
        return;
    }
    let shown =
        annals_exits(&home, &["--config-dir", folder.to_str().unwrap(), "show", &id, "--as", "api"], 0);
    assert_eq!(shown.out, annals_exits(&home, &["show", &id, "--as", "api"], 0).out);
}
