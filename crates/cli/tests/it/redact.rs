//! `annals redact`: its lists, previews and reports, and that no secret is ever printed.

use std::fs;

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn token() -> String {
    format!("ghp_{}", "a8Kd03LxQ7vTz1Rm5WbYc9Nf2HgJ6sPe4UoX")
}

fn home() -> (Home, String) {
    let home = Home::new();
    let said = format!("use {}", token());
    let session = Session::new().id(ID).prompt(&said).reply("ok").prompt("ACME-77").into_bytes();
    let path = home.write(format!("projects/-p/{ID}.jsonl"), session);
    home.write(format!("projects/-p/{ID}/tool-results/b1.txt"), token());
    (home, path.display().to_string())
}

#[test]
fn a_scan_lists_and_changes_nothing() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    let answer = annals_exits(&home, &["redact", ID, "--scan"], 3);
    let at = String::from_utf8_lossy(&before).find("ghp_").unwrap();
    let folder = path.trim_end_matches(".jsonl");
    let expected = format!(
        "{path}\n  line 1, byte {at}: github-token ghp_…\n{folder}/tool-results/b1.txt\n  line 1, byte 0: github-token ghp_…\n2 secrets found in 2 files, 1.4 KB\n[EOF]"
    );
    expect(&answer.out, &expected);
    let answer = annals_exits(&home, &["redact", ID, "--scan", "--json"], 3);
    keep_schema("redact", &[answer.out.trim().as_bytes()], "redact --scan");
    assert!(!answer.out.contains(&token()[..8]));
    annals_exits(&home, &["redact", ID, "--scan", "--kind", "aws-key"], 0);
    annals_exits(&home, &["redact", ID, "--scan", "--kind", "pattern", "--pattern", r"ACME-\d+"], 3);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_preview_and_a_change_and_the_way_back() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    let shown = annals_exits(&home, &["redact", ID, "--dry-run"], 0).out;
    for part in [
        "  ~ line 1: github-token:1\n",
        "replace ",
        "0 lines removed, 1 changed, 0 new",
        "secrets: 1 github-token\n",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(shown.ends_with(&format!("would redact 1 secret in {ID}\n")), "{shown}");
    assert!(!shown.contains(&token()[..8]));
    assert_eq!(fs::read(&path).unwrap(), before);
    let said = annals_exits(&home, &["redact", ID, "--yes"], 0).out;
    assert!(said.starts_with(&format!("redacted 1 secret in {ID}\n  to revert: annals undo ")), "{said}");
    assert!(said.contains("the old files stay in the trash"), "{said}");
    assert!(fs::read_to_string(&path).unwrap().contains("use [REDACTED:github-token:1]"));
    expect(
        &annals_exits(&home, &["redact", ID, "--scan"], 0).out.lines().last().unwrap_or_default()[..15],
        "0 secrets found[EOF]",
    );
    expect(&annals_exits(&home, &["redact", ID, "--yes"], 0).out, "nothing to do\n[EOF]");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);
    let json = annals_exits(&home, &["redact", ID, "--json", "--dry-run"], 0).out;
    keep_schema("change", &[json.trim().as_bytes()], "redact --json");
}

#[test]
fn bad_arguments_are_told_before_anything_happens() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    assert!(
        annals_exits(&home, &["redact", ID, "--pattern", "("], 2).error.contains("not a regular expression")
    );
    annals_exits(&home, &["redact", ID, "--kind", "nonsense"], 2);
    annals_exits(&home, &["redact", ID, "--scan", "--dry-run"], 2);
    annals_exits(&home, &["redact", "no such session"], 1);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_scan_that_leaves_something_says_so_and_exits_3() {
    let (home, _) = home();
    let id = "4f2a0000-1111-4222-8333-444444444444";
    let line = String::from_utf8(Session::new().id(id).prompt("hi").into_bytes()).unwrap();
    for (name, value) in [
        ("requestId", token()),
        ("model", token()),
        ("gitBranch", format!("fix/{}", token())),
        ("cwd", format!("/w/{}/x", token())),
    ] {
        let line = line.replacen('{', &format!("{{\"{name}\":\"{value}\","), 1);
        home.write(format!("projects/-p/{id}.jsonl"), line);
        let said = annals_exits(&home, &["redact", id, "--scan"], 3).out;
        assert!(said.contains("github-token ghp_… (left: structure)"), "{name}: {said}");
    }
    home.write(format!("projects/-p/{id}.jsonl"), line);
    annals_exits(&home, &["redact", id, "--scan"], 0);
    home.write("projects/-p/memory/MEMORY.md", token());
    let said = annals_exits(&home, &["redact", id, "--scan"], 3).out;
    assert!(said.contains("(left: shared file)"), "{said}");
    let json = annals_exits(&home, &["redact", id, "--scan", "--json"], 3).out;
    keep_schema("redact", &[json.trim().as_bytes()], "redact --scan");
}

#[cfg(unix)]
#[test]
fn what_is_not_searched_is_listed_and_is_a_problem() {
    let (home, path) = home();
    let outside = home.write("elsewhere.txt", token());
    let folder = std::path::Path::new(&path).with_extension("").join("tool-results");
    std::os::unix::fs::symlink(&outside, folder.join("link.txt")).unwrap();
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let all_named = |said: &str| {
        said.contains("link.txt is left out: a symbolic link") && said.contains("pipe is left out: a pipe")
    };
    let json = annals_exits(&home, &["redact", ID, "--scan", "--json"], 3).out;
    keep_schema("redact", &[json.trim().as_bytes()], "redact --scan");
    let answer = annals_exits(&home, &["redact", ID, "--yes"], 3);
    assert!(all_named(&(answer.out.clone() + &answer.error)), "{} {}", answer.out, answer.error);
    let answer = annals_exits(&home, &["redact", ID, "--scan"], 3);
    assert!(answer.out.contains("0 secrets") && all_named(&answer.error), "{} {}", answer.out, answer.error);
    let answer = annals_exits(&home, &["clone", ID, "--yes"], 0);
    assert!(all_named(&(answer.out.clone() + &answer.error)), "{} {}", answer.out, answer.error);
}

#[test]
fn the_search_index_does_not_keep_what_was_redacted() {
    let (home, _) = home();
    annals_exits(&home, &["index"], 0);
    assert!(annals_exits(&home, &["search", "use"], 0).out.contains("ghp_"));
    let said = annals_exits(&home, &["redact", ID, "--yes"], 0).error;
    assert!(said.contains("the search index contained the old text"), "{said}");
    let holds = |folder: &std::path::Path| {
        let mut left = Vec::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                match entry.path().is_dir() {
                    true => folders.push(entry.path()),
                    false
                        if fs::read(entry.path())
                            .unwrap()
                            .windows(40)
                            .any(|here| here == token().as_bytes()) =>
                    {
                        left.push(entry.path());
                    }
                    false => {}
                }
            }
        }
        left
    };
    // Only the trash has the old files, for undo.
    let left = holds(&home.data_dir());
    assert!(left.iter().all(|path| path.to_string_lossy().contains("trash")), "{left:?}");
    assert!(annals_exits(&home, &["search", "use"], 0).out.contains("[REDACTED:github-token:1]"));
}

#[cfg(unix)]
#[test]
fn a_link_and_a_second_name_are_told() {
    let (home, path) = home();
    let other = home.write("elsewhere.txt", token());
    let output = home.config_dir().join(format!("projects/-p/{ID}/tool-results/b1.txt"));
    fs::remove_file(&output).unwrap();
    fs::hard_link(&other, &output).unwrap();
    let said = annals_exits(&home, &["redact", ID, "--yes"], 0).out;
    assert!(said.contains("b1.txt has 2 names (hard links): the others keep the old text"), "{said}");
    assert!(!fs::read_to_string(path).unwrap().contains(&token()));
}
