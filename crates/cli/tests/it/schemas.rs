//! Every JSON form of every command, over the demo store, against its schema in `docs/schema/`.

use annals_demo::Plan;
use annals_testkit::home::Home;
use annals_testkit::workspace_root;
use annals_transcript::json::Value;

use crate::annals;
use crate::schema::violations;

fn check(home: &Home, name: &str, arguments: &[&str], codes: &[i32]) {
    let answer = annals(home, arguments);
    let code = answer.code.unwrap_or(-1);
    assert!(codes.contains(&code), "annals {} exits with {code}: {}", arguments.join(" "), answer.error);
    let lines: Vec<&[u8]> =
        answer.bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty(), "annals {} says nothing", arguments.join(" "));
    for line in lines {
        keeps_schema(name, line, &arguments.join(" "));
    }
}

/// Insists that a document, the answer to these arguments, keeps the schema of this name.
#[track_caller]
pub(crate) fn keeps_schema(name: &str, document: &[u8], arguments: &str) {
    let path = workspace_root().join("docs/schema").join(format!("{name}.json"));
    let schema = std::fs::read(&path).unwrap();
    let value = Value::parse(document).unwrap_or_else(|fault| panic!("annals {arguments}: {fault:?}"));
    let found = violations(Value::parse(&schema).unwrap(), value, "$");
    assert!(found.is_empty(), "annals {arguments}: {found:#?}");
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
