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
