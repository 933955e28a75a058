//! What cannot be read is reported by every command that looks at all of the store: in one line, with exit code 3.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::skipped;

use crate::{annals, annals_exits};

const OPEN: &str = "aaaa0000-1111-4222-8333-444444444444";
const CLOSED: &str = "bbbb0000-1111-4222-8333-444444444444";
/// A user who owns nothing.
const NOBODY: u32 = 65534;

/// Every command that looks at all of the store.
const SCANS: [&[&str]; 15] = [
    &[],
    &["ls"],
    &["ls", "--long"],
    &["ls", "--json"],
    &["search", "found"],
    &["search", "--exact", "found"],
    &["usage", "--no-index"],
    &["usage"],
    &["usage", "--by", "tool"],
    &["stats"],
    &["index"],
    &["archive", "--all"],
    &["archive", "--all", "--dry-run"],
    &["collect", "--to", "file:out"],
    &["gc"],
];

fn home() -> Home {
    let home = Home::new();
    for (slug, id) in [("-open", OPEN), ("-closed", CLOSED)] {
        let session = Session::new().id(id).prompt("What is found?").reply("This is found.");
        home.write(format!("projects/{slug}/{id}.jsonl"), session.into_bytes());
    }
    home
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

fn hand_over(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| hand_over(&entry.unwrap().path()));
    }
}

/// Runs it as somebody who may not read everything; `None` if that cannot be done here.
fn as_somebody(home: &Home, arguments: &[&str]) -> Option<CommandOutput> {
    if !is_root() {
        return Some(annals(home, arguments));
    }
    let who = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()];
    let mut command = home.command("setpriv");
    command.args(who).arg(env!("CARGO_BIN_EXE_annals")).args(arguments);
    let output = command.output().ok()?;
    let answer = CommandOutput::from(output);
    (!answer.error.contains("setpriv:")).then_some(answer)
}

#[track_caller]
fn is_reported(answer: &CommandOutput, path: &str, arguments: &[&str]) {
    assert_eq!(answer.code, Some(3), "{arguments:?}: {}{}", answer.out, answer.error);
    let lines: Vec<&str> =
        answer.error.lines().filter(|line| line.starts_with("annals: could not read ")).collect();
    assert!(
        matches!(lines[..], [line] if line.contains(path)),
        "{arguments:?}: {path} in one line: {}",
        answer.error
    );
}

#[test]
fn a_folder_or_a_file_without_permission_is_reported_by_every_scan() {
    for closed in ["projects/-closed".to_owned(), format!("projects/-closed/{CLOSED}.jsonl")] {
        let home = home();
        let path = home.config_dir().join(&closed);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if is_root() {
            hand_over(home.path());
        }
        for arguments in SCANS {
            let Some(answer) = as_somebody(&home, arguments) else {
                skipped("a_folder_or_a_file_without_permission", "no other user can be used here");
                return;
            };
            // Only names and times matter to these two.
            let needs_contents = !matches!(arguments, ["gc"] | ["archive", "--all", "--dry-run"]);
            if needs_contents || path.is_dir() || closed.ends_with("-closed") {
                let is_archive = arguments.first() == Some(&"archive") && !closed.ends_with("-closed");
                match is_archive {
                    true => assert_eq!(answer.code, Some(3), "{arguments:?}: {}", answer.error),
                    false => {
                        is_reported(&answer, "-closed", arguments);
                        assert!(answer.error.contains("permission denied"), "{}", answer.error);
                    }
                }
            }
            // What can be read is there.
            if let ["ls" | "search", ..] = arguments {
                assert!(answer.out.contains("aaaa0000"), "{arguments:?}: {}", answer.out);
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        annals_exits(&home, &["ls"], 0);
    }
}

#[test]
fn names_that_are_not_utf_8_are_reported_where_they_are_left_out() {
    let home = home();
    let session = Session::new().id(CLOSED).prompt("What is found?").reply("This is found.").into_bytes();
    let name = OsStr::from_bytes(b"cccc-\xff\xfe.jsonl");
    if fs::write(home.config_dir().join("projects/-open").join(name), session).is_err() {
        skipped("names_that_are_not_utf_8", "this file system takes no such name");
        return;
    }
    for arguments in [&["search", "found"][..], &["usage"], &["index"], &["index", "--json"]] {
        is_reported(&annals(&home, arguments), "cccc-", arguments);
    }
    for arguments in [&["archive", "--all"][..], &["archive", "cccc"], &["archive", "--all", "--json"]] {
        let answer = annals_exits(&home, arguments, 3);
        assert!(answer.error.contains("cccc-") && answer.error.contains("not UTF-8"), "{}", answer.error);
    }
    let counts = annals_exits(&home, &["index", "--json"], 3).out;
    assert!(counts.contains(r#""unread":1"#), "{counts}");
    for arguments in [&["ls"][..], &["usage", "--no-index"]] {
        annals_exits(&home, arguments, 0);
    }
}

#[test]
fn a_lookup_that_finds_nothing_says_what_could_not_be_read() {
    let home = home();
    let closed = home.config_dir().join("projects/-closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if is_root() {
        hand_over(home.path());
    }
    let Some(found) = as_somebody(&home, &["show", OPEN]) else {
        skipped("a_lookup_that_finds_nothing", "no other user can be used here");
        return;
    };
    assert_eq!((found.code, found.error.as_str()), (Some(0), ""));
    let missed = as_somebody(&home, &["show", CLOSED]).unwrap();
    assert_eq!(missed.code, Some(1));
    assert!(missed.error.contains("could not read") && missed.error.contains("-closed"), "{}", missed.error);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}
