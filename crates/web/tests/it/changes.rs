//! Changes from a page: planned, done, undone.

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use super::support::{TestServer, form_token, library};

const ID: &str = "55555555-aaaa-4aaa-8aaa-000000000001";

#[test]
fn a_rename_is_planned_then_done_then_undone() {
    let home = Home::new();
    let path = home.write(
        format!("projects/-w/{ID}.jsonl"),
        Session::new().id(ID).prompt("Old words here").reply("yes").into_bytes(),
    );
    let before = std::fs::read(&path).unwrap();
    let server = TestServer::start(library(&home));
    let change = format!("/session/{ID}/change/rename");
    assert!(server.get(&change).body.contains("Show the plan"));
    let plan = server.get(&format!("{change}?value=New+name"));
    assert!(plan.body.contains("Set the title to") && plan.body.contains("Do it"), "{}", plan.body);
    assert_eq!(std::fs::read(&path).unwrap(), before, "a plan changes nothing");
    let token = form_token(&plan.body).to_owned();
    let done = server.post(&change, &format!("form_token={token}&value=New+name"));
    assert_eq!(done.status, 303, "{}", done.body);
    assert!(server.get("/").body.contains("New name"));
    let list = server.get(done.header("location").unwrap());
    assert!(list.body.contains("Done: rename “New name”"), "{}", list.body);
    assert!(list.body.contains(&format!("/session/{}?in=", ID.replace('-', "%2D"))), "{}", list.body);
    assert!(!list.body.contains(ID), "{}", list.body);
    let id = list.body.split("name=\"id\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert_eq!(server.post("/undo", &format!("form_token={token}&id={id}")).status, 303);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_session_is_redacted_by_the_users_own_patterns_too() {
    let home = Home::new();
    let session = Session::new().id(ID).prompt("the code is ACME-123456").reply("yes");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let page = |library| TestServer::start(library).get(&format!("/session/{ID}/change/redact")).body;
    assert!(page(library(&home)).contains("nothing to do"));
    let patterns = vec!["ACME-[0-9]{6}".to_owned()];
    assert!(page(library(&home).with_redaction_patterns(patterns)).contains("Do it"));
}

#[test]
fn every_change_of_the_menu_shows_a_plan() {
    let home = Home::new();
    let session = Session::new()
        .id(ID)
        .prompt("go")
        .response(|response| response.thinking("hm").tool_use("Bash", r#"{"command":"ls"}"#))
        .tool_result("a b c")
        .reply("done");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let server = TestServer::start(library(&home));
    for (what, shown) in [
        ("fork", "Do it"),
        ("strip?tools=1&thinking=1", "Do it"),
        ("trash", "Do it"),
        ("redact", "nothing to do"),
        ("repair", "nothing to do"),
    ] {
        let page = server.get(&format!("/session/{ID}/change/{what}"));
        assert_eq!(page.status, 200, "{what}: {}", page.body);
        assert!(page.body.contains(shown), "{what}: {}", page.body);
    }
    assert_eq!(server.get(&format!("/session/{ID}/change/explode")).status, 404);
}

#[test]
fn a_session_goes_to_the_trash_and_comes_back() {
    let home = Home::new();
    let path = home.write(
        format!("projects/-w/{ID}.jsonl"),
        Session::new().id(ID).prompt("Keep me please").reply("yes").into_bytes(),
    );
    let server = TestServer::start(library(&home));
    let change = format!("/session/{ID}/change/trash");
    let token = form_token(&server.get(&change).body).to_owned();
    let done = server.post(&change, &format!("form_token={token}"));
    assert_eq!(done.status, 303, "{}", done.body);
    assert!(!path.exists());
    let list = server.get("/undo").body;
    assert!(list.contains("“Keep me please”") && !list.contains(ID), "{list}");
    let id = done.header("location").unwrap().split_once("done=").unwrap().1.to_owned();
    assert_eq!(server.post("/undo", &format!("form_token={token}&id={id}")).status, 303);
    assert!(path.exists());
}
