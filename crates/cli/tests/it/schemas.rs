//! The JSON output of every command over the demo store, against its schema in `docs/schema/`.

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::home::Home;
use annals_testkit::workspace_root;

use crate::annals;
use crate::schema::violations;

fn check(home: &Home, name: &str, arguments: &[&str], codes: &[i32]) {
    let answer = annals(home, arguments);
    let code = answer.code.unwrap_or(-1);
    assert!(codes.contains(&code), "annals {} exits with {code}: {}", arguments.join(" "), answer.error);
    let lines: Vec<&[u8]> =
        answer.bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty(), "annals {} says nothing", arguments.join(" "));
    keep_schema(name, &lines, &arguments.join(" "));
}

/// Holds each line against a schema of `docs/schema/`.
#[track_caller]
pub(crate) fn keep_schema(name: &str, lines: &[&[u8]], said_by: &str) {
    let path = workspace_root().join("docs/schema").join(format!("{name}.json"));
    let schema = std::fs::read(&path).unwrap();
    let schema = Value::parse(&schema).unwrap();
    for line in lines {
        let value = Value::parse(line).unwrap_or_else(|fault| panic!("annals {said_by}: {fault:?}"));
        let found = violations(schema, value, "$");
        assert!(found.is_empty(), "annals {said_by}: {found:#?}");
    }
}

#[test]
fn every_form_keeps_its_schema() {
    let home = Home::new();
    home.fill(&Plan::default());
    let out = home.path().join("another").display().to_string();
    check(&home, "overview", &["--json"], &[0]);
    check(&home, "ls", &["ls", "--all", "--json"], &[0]);
    check(&home, "check", &["check", "--all", "--json"], &[3]);
    check(&home, "todos", &["todos", "--all", "--json"], &[0, 3]);
    check(&home, "plans", &["plans", "--json"], &[0]);
    check(&home, "history", &["history", "--json"], &[0]);
    check(&home, "files", &["files", "--json"], &[0]);
    check(&home, "files-versions", &["files", "ingress.sh", "--json"], &[0]);
    check(&home, "index", &["index", "--json"], &[0, 3]);
    check(&home, "search", &["search", "the", "--json"], &[0]);
    check(&home, "search", &["search", "--exact", "the", "--json"], &[0]);
    check(&home, "sql", &["sql", "SELECT * FROM sessions", "--json"], &[0]);
    let pages = home.path().join("pages").display().to_string();
    check(&home, "export", &["export", "--all", "--to", &pages, "--json"], &[0]);
    check(&home, "demo", &["demo", "--out", &out, "--json"], &[0]);
}

#[test]
fn every_form_of_every_session_keeps_its_schema() {
    let home = Home::new();
    home.fill(&Plan::default());
    let listed = annals(&home, &["ls", "--all", "--json"]);
    let listed = Value::parse(listed.out.as_bytes()).unwrap();
    let files: Vec<_> =
        listed.get("sessions").unwrap().items().map(|s| s.get("file").unwrap().text().unwrap()).collect();
    assert!(files.len() > 10);
    for file in files {
        let file = file.to_string();
        if std::fs::metadata(&file).unwrap().len() == 0 {
            continue;
        }
        for form in ["records", "messages", "turns", "tools", "agents", "tree", "usage", "counts"] {
            check(&home, &format!("show-{form}"), &["show", &file, "--as", form, "--json"], &[0, 1]);
        }
        for client in ["2.0.76", "2.1.112", "2.1.325"] {
            check(&home, "show-api", &["show", &file, "--as", "api", "--client", client, "--json"], &[0, 3]);
        }
    }
}
