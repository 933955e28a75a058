//! Hostile transcripts: whatever is in a file, a page has only our own markup.

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::hostile::{HOSTILE, HOSTILE_SESSION, HostileStore};

use super::support::{TestServer, library};

const ATTACKS: [&str; 8] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) ![p](http://evil.example/p.png)",
    "<svg onload=alert(1)><iframe src=//evil.example></iframe>",
    "\"><style>*{display:none}</style><base href=//evil.example>",
    "<form action=//evil.example><input autofocus onfocus=alert(1)>",
    "</section></main></body></html><script src=//evil.example/x.js></script>",
    "<!-- <![CDATA[ <plaintext> <textarea> <title>",
];

/// Fails if a page holds markup that a transcript could have brought.
fn check(name: &str, page: &str) {
    let lower = page.to_lowercase();
    for bad in [
        "<script>",
        "<img src=x",
        "onerror=alert",
        "<iframe",
        "<style",
        "<base",
        "<svg onload",
        "<plaintext",
        "href=\"javascript:",
        "href=javascript:",
        "src=\"http",
        "src=http",
        "src=//",
    ] {
        for (at, _) in lower.match_indices(bad) {
            // As a part of an escaped text it does no harm.
            let before = &lower[at.saturating_sub(60)..at];
            let is_tag = bad.starts_with('<')
                || !before
                    .rsplit("&lt;")
                    .next()
                    .is_some_and(|rest| !rest.contains('<') && before.contains("&lt;"));
            assert!(
                !is_tag,
                "{name}: {bad} in …{}",
                &lower[at.saturating_sub(80)..(at + 40).min(lower.len())]
            );
        }
    }
    assert_eq!(lower.matches("<script").count(), usize::from(lower.starts_with("<!doctype")), "{name}");
}

#[test]
fn attacks_in_every_field_stay_text() {
    let home = Home::new();
    let id = "33333333-aaaa-4aaa-8aaa-000000000001";
    let mut session = Session::new().id(id);
    for attack in ATTACKS {
        let quoted = format!("{attack:?}");
        session = session
            .prompt(attack)
            .response(|response| {
                response
                    .thinking(attack)
                    .text(attack)
                    .tool_use("Bash", &format!("{{\"command\":{quoted},\"description\":{quoted}}}"))
            })
            .tool_result(attack)
            .side("custom-title", |line| {
                line.string("customTitle", attack).string("sessionId", id);
            })
            .side("tag", |line| {
                line.string("tag", attack).string("sessionId", id);
            })
            .side(attack, |line| {
                line.string(attack, attack);
            });
    }
    home.write(format!("projects/-w/{id}.jsonl"), session.into_bytes());
    let server = TestServer::start(library(&home));
    for path in [
        "/".to_owned(),
        format!("/session/{id}"),
        format!("/session/{id}/window/0"),
        format!("/session/{id}/raw/3"),
        "/search?q=alert".to_owned(),
        "/usage".to_owned(),
        "/usage/tools".to_owned(),
        "/files".to_owned(),
        "/check".to_owned(),
        format!("/session/{id}/change/rename?value=%3Cscript%3E"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        check(&path, &answer.body);
    }
    for attack in ["%3Cscript%3Ealert(1)%3C%2Fscript%3E", "%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"] {
        for path in [
            format!("/?q={attack}"),
            format!("/search?q={attack}"),
            format!("/session/{attack}"),
            format!("/usage?project={attack}"),
            format!("/usage/tools?project={attack}"),
            format!("/files?q={attack}&session={attack}&project={attack}"),
            format!("/file/{attack}"),
        ] {
            check(&path, &server.get(&path).body);
        }
    }
}

#[test]
fn a_hostile_store_is_listed_and_shown() {
    let store = HostileStore::new();
    let server = TestServer::start(library(&store.home));
    let list = server.get("/");
    assert_eq!(list.status, 200);
    let page = server.get(&format!("/session/{HOSTILE_SESSION}"));
    assert_eq!(page.status, 200);
    let is_hidden = |letter: char| {
        HOSTILE.contains(letter) && !letter.is_ascii_graphic() && letter != '\n' && letter != ' '
    };
    for (name, body) in [("list", &list.body), ("page", &page.body)] {
        let found = body.char_indices().find(|(_, letter)| is_hidden(*letter));
        assert!(
            found.is_none(),
            "{name}: {:?}",
            found.map(|(at, letter)| (
                letter,
                body[at.saturating_sub(60)..].chars().take(90).collect::<String>()
            ))
        );
    }
    for link in list.body.split("class=\"title\" href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert_eq!(server.get(link).status, 200, "{link}");
    }
}

#[test]
fn a_line_of_five_megabytes_is_cut_and_the_page_stays_small() {
    let home = Home::new();
    let id = "33333333-aaaa-4aaa-8aaa-000000000002";
    let session = Session::new()
        .id(id)
        .prompt("go")
        .tool_use("Bash", r#"{"command":"yes"}"#)
        .tool_result(&"y\n".repeat(2_500_000))
        .reply("done");
    home.write(format!("projects/-w/{id}.jsonl"), session.into_bytes());
    let server = TestServer::start(library(&home));
    let page = server.get(&format!("/session/{id}"));
    assert!(
        page.body.len() < 1_000_000 && page.body.contains("more: the raw record has all of it"),
        "{}",
        page.body.len()
    );
}

#[test]
fn an_image_is_served_only_as_what_its_bytes_are() {
    let home = Home::new();
    let id = "33333333-aaaa-4aaa-8aaa-000000000003";
    let image = |session: Session, media: &str, data: &str| {
        session.user(|message| {
            message.array("content", |blocks| {
                blocks.object(|block| {
                    block.string("type", "image").object("source", |source| {
                        source.string("type", "base64").string("media_type", media).string("data", data);
                    });
                });
            });
        })
    };
    let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let session = image(Session::new().id(id).prompt("look"), "image/svg+xml", png);
    // <svg onload=alert(1)>
    let session = image(session, "image/png", "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+");
    home.write(format!("projects/-w/{id}.jsonl"), session.into_bytes());
    let server = TestServer::start(library(&home));
    assert_eq!(server.get(&format!("/session/{id}/image/2/0")).header("content-type"), Some("image/png"));
    assert_eq!(server.get(&format!("/session/{id}/image/3/0")).status, 404);
    assert_eq!(server.get(&format!("/session/{id}/image/1/0")).status, 404);
}
