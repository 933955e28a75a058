//! Errors are one line with a hint and the right exit code.

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::skipped;

use crate::{annals, annals_exits};

fn one_line(error: &str) -> String {
    let mut lines = error.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    assert!(lines.all(|line| line.starts_with("  ")), "more than a line and its hints:\n{error}");
    first
}

#[test]
fn a_missing_file_and_a_folder_are_usage_errors() {
    let home = Home::new();
    let missing = home.path().join("gone.jsonl").display().to_string();
    let people = ["transcript", "markdown", "html", "tree", "turns", "tools", "agents", "usage", "counts"];
    for form in people.into_iter().chain(["raw", "records", "messages", "api"]) {
        let answer = annals_exits(&home, &["show", &missing, "--as", form], 2);
        assert_eq!(one_line(&answer.error), format!("annals: {missing}: no such file"));
        assert_eq!(answer.out, "");
    }
    let folder = home.config_dir().display().to_string();
    let answer = annals_exits(&home, &["show", &folder], 2);
    assert_eq!(one_line(&answer.error), format!("annals: {folder}: is a directory, not a file"));
    let answer = annals_exits(&home, &["check", &missing], 2);
    assert_eq!(one_line(&answer.error), format!("annals: {missing}: no such file"));
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_an_error_of_the_system() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = home.write("projects/-p/secret.jsonl", Session::new().prompt("hi").into_bytes());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        skipped("a_file_without_permission_is_an_error_of_the_system", "this user may read everything");
        return;
    }
    let path = path.display().to_string();
    let answer = annals_exits(&home, &["show", &path], 74);
    assert_eq!(one_line(&answer.error), format!("annals: {path}: permission denied"));
}

#[test]
fn a_session_is_found_by_prefix_title_and_last() {
    let home = Home::new();
    let session = |id: &str, prompt: &str| Session::new().id(id).prompt(prompt).reply("done").into_bytes();
    let ids = ["aaaa1111-0000-4000-8000-000000000001", "aaaa2222-0000-4000-8000-000000000002"];
    home.write(format!("projects/-p/{}.jsonl", ids[0]), session(ids[0], "first thing"));
    home.write(format!("projects/-p/{}.jsonl", ids[1]), session(ids[1], "second thing"));
    for argument in ["aaaa1", ids[0], "first thing"] {
        let answer = annals_exits(&home, &["show", argument, "--as", "raw"], 0);
        assert!(answer.out.contains("first thing"), "{argument}");
    }
    let answer = annals_exits(&home, &["show", "aaaa"], 2);
    assert!(answer.error.starts_with("annals: \"aaaa\" matches 2 sessions\n  "), "{}", answer.error);
    assert!(ids.iter().all(|id| answer.error.contains(id)));
    assert!(annals_exits(&home, &["show", "aaa"], 2).error.contains("too short"));
    assert!(annals_exits(&home, &["show", "zzzz"], 1).error.contains("no session"));
    annals_exits(&home, &["show", "last", "--as", "raw"], 0);
}

#[test]
fn wrong_usage_exits_with_two() {
    let home = Home::new();
    let session = home.write("projects/-p/one.jsonl", Session::new().prompt("hi").into_bytes());
    let answer =
        annals_exits(&home, &["show", &session.display().to_string(), "--as", "markdown", "--json"], 2);
    assert!(answer.error.contains("--as records"), "{}", answer.error);
    let answer = annals_exits(&home, &["show", &session.display().to_string(), "--last", "3"], 2);
    assert!(answer.error.contains("--as messages --last"), "{}", answer.error);
    for arguments in
        [&["show"][..], &["ls", "--since", "soon"], &["nonsense"], &["show", "x.jsonl", "--client", "9.9"]]
    {
        annals_exits(&home, arguments, 2);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::io::Read;
    use std::process::Stdio;
    let home = Home::new();
    let long =
        (0..20_000).fold(Session::new(), |session, n| session.prompt(&format!("prompt {n}"))).into_bytes();
    let path = home.write("projects/-p/long.jsonl", long);
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command
        .args(["show", &path.display().to_string(), "--as", "raw"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_empty_store_says_what_to_do() {
    let home = Home::new();
    let answer = annals_exits(&home, &[], 0);
    assert!(answer.out.contains("No sessions found in "), "{}", answer.out);
    assert!(
        answer.out.contains("\n  annals demo --out /tmp/demo\n") && !answer.out.contains("cargo"),
        "{}",
        answer.out
    );
    annals_exits(&home, &["ls"], 1);
    assert_eq!(annals(&home, &["show", "last"]).code, Some(1));
}

#[test]
fn a_demo_never_overwrites() {
    let home = Home::new();
    home.write("something", "here");
    let place = home.config_dir().display().to_string();
    let answer = annals_exits(&home, &["demo", "--out", &place], 2);
    assert!(answer.error.contains("not empty"), "{}", answer.error);
}

#[test]
fn what_is_no_session_is_said_once() {
    let home = Home::new();
    for text in [&b"root:x:0:0\ndaemon:x:1:1\n"[..], b"GIF89a\x01\x02\n\x00\xff\n\n"] {
        let path = home.write("thing", text).display().to_string();
        let answer = annals_exits(&home, &["show", &path], 2);
        assert!(answer.out.is_empty() && answer.error.contains("not a session"), "{}", answer.error);
    }
}

#[test]
fn a_demo_that_cannot_be_as_small_as_asked_for_says_so() {
    let home = Home::new();
    for (number, option) in [["--sessions", "1"], ["--bytes", "2M"]].iter().enumerate() {
        let out = home.path().join(format!("demo{number}")).display().to_string();
        let answer = annals_exits(&home, &["demo", "--out", &out, option[0], option[1]], 0);
        assert!(answer.error.contains("cannot be smaller"), "{option:?}: {}", answer.error);
    }
}

/// Without a name there is no mistake to make: the default store need not exist.
#[test]
fn a_store_that_was_named_must_exist() {
    let home = Home::new();
    let file = home.write("a-file", "text").display().to_string();
    let missing = home.path().join("typo").display().to_string();
    let commands: [&[&str]; 15] = [
        &[],
        &["ls"],
        &["show", "last"],
        &["search", "x"],
        &["usage"],
        &["usage", "--no-index"],
        &["stats"],
        &["index"],
        &["check", "--all"],
        &["archive", "--all"],
        &["collect", "--to", "-"],
        &["gc"],
        &["todos"],
        &["new"],
        &["undo", "--list"],
    ];
    for command in commands {
        for store in [&missing, &file] {
            let answer = annals_exits(&home, &[&["--config-dir", store], command].concat(), 2);
            assert!(one_line(&answer.error).contains(store.as_str()), "{command:?}: {}", answer.error);
            let mut by_variable = home.command(env!("CARGO_BIN_EXE_annals"));
            by_variable.env("CLAUDE_CONFIG_DIR", store).args(command);
            assert_eq!(home.finish(&mut by_variable).code, Some(2), "{command:?}");
        }
    }
    assert!(!std::path::Path::new(&missing).exists(), "nothing was made there");
    let mut by_default = home.command(env!("CARGO_BIN_EXE_annals"));
    by_default.env_remove("CLAUDE_CONFIG_DIR").env("HOME", home.work_dir());
    let answer = home.finish(by_default.env("USERPROFILE", home.work_dir()).arg("ls"));
    assert_eq!(answer.code, Some(1), "{}", answer.error);
    annals_exits(&home, &["--config-dir", &missing, "help"], 0);
}

#[test]
fn only_sessions_are_changed() {
    let home = Home::new();
    let notes = home.write("notes.txt", "my notes\n").display().to_string();
    let log = home.write("log.jsonl", "{\"type\":\"log\",\"text\":\"x\"}\n").display().to_string();
    let history =
        home.write("history.jsonl", "{\"display\":\"x\",\"project\":\"/w\"}\n").display().to_string();
    let commands: [&[&str]; 7] = [
        &["rename", "FILE", "t", "--yes"],
        &["tag", "FILE", "t", "--yes"],
        &["append", "FILE"],
        &["clone", "FILE", "--yes"],
        &["fork", "FILE", "--yes"],
        &["strip", "FILE", "--thinking", "--yes"],
        &["compress", "FILE", "--yes"],
    ];
    for file in [&notes, &log, &history] {
        let before = std::fs::read(file).unwrap();
        for command in commands {
            let words: Vec<&str> =
                command.iter().map(|word| if *word == "FILE" { file.as_str() } else { word }).collect();
            let answer = annals_exits(&home, &words, 2);
            assert!(one_line(&answer.error).contains("not a session"), "{words:?}: {}", answer.error);
            assert_eq!(std::fs::read(file).unwrap(), before, "{words:?}");
        }
    }
    let copied = home.path().join("copied.jsonl");
    std::fs::write(&copied, Session::new().prompt("hi").reply("hello").into_bytes()).unwrap();
    annals_exits(&home, &["rename", &copied.display().to_string(), "A title", "--yes"], 0);
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_system_refuses_has_its_own_exit_code() {
    let home = Home::new();
    home.write("projects/-p/one.jsonl", Session::new().prompt("hi").into_bytes());
    let binary = env!("CARGO_BIN_EXE_annals");
    for line in [
        format!("{binary} ls >/dev/full"),
        format!("{binary} collect --to http://127.0.0.1:9/x --attempts 1"),
        format!("{binary} demo --out /proc/none/demo"),
        format!("{binary} --data-dir /proc/none archive --all"),
        format!("{binary} --data-dir /proc/none index"),
    ] {
        let mut command = home.command("sh");
        let answer = home.finish(command.args(["-c", &line]));
        assert_eq!(answer.code, Some(74), "{line}: {}{}", answer.out, answer.error);
        assert!(answer.error.starts_with("annals: "), "{line}: {}", answer.error);
    }
    let answer = annals_exits(&home, &["demo", "--out", "/dev/full"], 2);
    assert!(answer.error.contains("/dev/full: is a file, not a folder"), "{}", answer.error);
}
