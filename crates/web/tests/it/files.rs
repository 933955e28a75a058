//! The pages of files: lists, versions, names from hostile transcripts.

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use super::support::{TestServer, library, redacted};

const ONE: &str = "66666666-aaaa-4aaa-8aaa-000000000001";
const TWO: &str = "66666666-aaaa-4aaa-8aaa-000000000002";
const KEY: &str = "sk-ant-api03-Zx8mQ2vL9pR4tY7wB3nK6jH1gF5dS0aEcUiOyTrWqZxCvBnM";

/// A session that writes a file and edits it.
fn writes(home: &Home, id: &str, folder: &str, path: &str, text: &str) {
    let (path, text) = (format!("{path:?}"), text.to_owned());
    let write = format!(
        r#"{{"type":"create","filePath":{path},"content":"one\n{text}\n","structuredPatch":[],"originalFile":null}}"#
    );
    let edit = format!(
        r#"{{"filePath":{path},"oldString":"one","newString":"uno","originalFile":"one\n{text}\n","structuredPatch":[],"userModified":false,"replaceAll":false}}"#
    );
    let mut session = Session::new().id(id).folder(folder).prompt("Write it down");
    for (number, (tool, result)) in [("Write", write), ("Edit", edit)].into_iter().enumerate() {
        let call = format!("toolu_{}_{number}", &id[id.len() - 1..]);
        let content = format!(
            r#"[{{"type":"tool_use","id":"{call}","name":"{tool}","input":{{"file_path":{path}}}}}]"#
        );
        session = session.wait(60).chained("assistant", |object| {
            object.object("message", |message| {
                message.string("role", "assistant").string("id", &call).raw("content", content.as_bytes());
            });
        });
        session = session.chained("user", |object| {
            let answer = format!(r#"[{{"type":"tool_result","tool_use_id":"{call}","content":"ok"}}]"#);
            object.object("message", |message| {
                message.string("role", "user").raw("content", answer.as_bytes());
            });
            object.raw("toolUseResult", result.as_bytes());
        });
    }
    home.write(format!("projects/{}/{id}.jsonl", folder.replace('/', "-")), session.into_bytes());
}

/// The address of the first file of a list.
fn first_file(page: &str) -> String {
    let link = page.split("href=\"/file/").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    format!("/file/{link}")
}

#[test]
fn files_are_listed_of_all_sessions_of_a_project_and_of_a_session() {
    let home = Home::new();
    writes(&home, ONE, "/w/garden", "/w/garden/plan.txt", "two");
    writes(&home, TWO, "/w/kitchen", "/w/kitchen/soup.txt", "salt");
    let server = TestServer::start(library(&home));
    let names = |query: &str| {
        let page = server.get(&format!("/files{query}")).body;
        [page.contains("plan.txt</a>"), page.contains("soup.txt</a>")]
    };
    assert_eq!(names(""), [true, true]);
    assert_eq!(names("?project=%2Fw%2Fgarden"), [true, false]);
    assert_eq!(names(&format!("?session={TWO}")), [false, true]);
    assert_eq!(names("?q=SOUP"), [false, true]);
    assert_eq!(names("?changed=1"), [true, true]);
    assert!(server.get("/").body.contains("href=\"/files\""));
    assert!(
        server
            .get(&format!("/session/{ONE}"))
            .body
            .contains(&format!("/files?session={}", ONE.replace('-', "%2D")))
    );
}

#[test]
fn the_versions_of_a_file_have_diffs_and_lead_to_their_records() {
    let home = Home::new();
    writes(&home, ONE, "/w/garden", "/w/garden/plan.txt", "two");
    let server = TestServer::start(library(&home));
    let file = first_file(&server.get("/files").body);
    let page = server.get(&file);
    assert_eq!(page.status, 200, "{}", page.body);
    let body = &page.body;
    assert!(body.contains("2 versions") && body.contains("<del>") && body.contains("<ins>"), "{body}");
    assert!(body.contains("uno") && body.contains("#L5"), "{body}");
    let one = server.get(&format!("{file}?version=1")).body;
    assert!(one.contains("The whole file") && !one.contains("uno"), "{one}");
    assert_eq!(server.get(&format!("{file}?version=9")).status, 404);
}

#[test]
fn no_path_of_an_address_is_a_file_and_hostile_names_stay_text() {
    let home = Home::new();
    let outside = home.path().join("outside.txt").display().to_string();
    std::fs::write(&outside, "outside the store").unwrap();
    writes(&home, ONE, "/w/garden", &outside, "two");
    writes(
        &home,
        TWO,
        "/w/garden",
        "/w/<script>alert(1)</script>\u{202e}\u{7}.txt",
        "<img src=x onerror=alert(1)>",
    );
    let server = TestServer::start(library(&home));
    let list = server.get("/files").body;
    let encoded: String = outside.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for id in [encoded.as_str(), "..%2f..%2foutside.txt", "%00", "..", "0000"] {
        assert!(matches!(server.get(&format!("/file/{id}")).status, 400 | 404), "{id}");
    }
    for link in list.split("href=\"/file/").skip(1).filter_map(|rest| rest.split('"').next()) {
        for path in [format!("/file/{link}"), format!("/file/{link}?version=2")] {
            let page = server.get(&path);
            assert_eq!(page.status, 200, "{path}");
            assert!(!page.body.contains("outside the store"), "the file itself is never read");
            assert!(!page.body.contains("<script>") && !page.body.contains("<img"), "{}", page.body);
            assert!(!page.body.contains(['\u{202e}', '\u{7}']));
        }
    }
    assert!(!list.contains("<script>") && !list.contains('\u{202e}'));
}

#[test]
fn others_see_no_secret_of_a_file() {
    let home = Home::new();
    writes(&home, ONE, "/w/garden", &format!("/w/garden/{KEY}.txt"), KEY);
    let server = TestServer::start(redacted(&home));
    let list = server.get("/files").body;
    let file = first_file(&list);
    for body in [list, server.get(&file).body, server.get(&format!("{file}?version=1")).body] {
        assert!(!body.contains(KEY), "{body}");
        assert!(body.contains("REDACTED"), "{body}");
    }
    assert!(server.get(&format!("/files?q={KEY}")).body.contains("No files here"));
}
