//! Pages: what they show, and where their parts come from.

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_web::Theme;

use super::support::{TestServer, library};

const ID: &str = "22222222-aaaa-4aaa-8aaa-000000000001";

fn path() -> String {
    format!("projects/-w-shop/{ID}.jsonl")
}

#[test]
fn a_long_session_comes_in_windows_and_every_line_has_a_place() {
    let home = Home::new();
    let mut session = Session::new();
    for number in 0..200 {
        session = session
            .prompt(&format!("question {number}"))
            .reply(&format!("answer {number}\n\n{}", "words ".repeat(200)));
    }
    home.write(path(), session.into_bytes());
    let server = TestServer::start(library(&home));
    let page = server.get(&format!("/session/{ID}"));
    assert_eq!(page.status, 200);
    let windows = page.body.matches("class=\"window\"").count();
    assert!(windows > 5, "{windows}");
    assert!(
        page.body.contains("answer 0") && !page.body.contains("answer 150"),
        "only the first window is in the page"
    );
    let all: String =
        (0..windows).map(|number| server.get(&format!("/session/{ID}/window/{number}")).body).collect();
    for number in [0, 77, 199] {
        assert!(
            all.contains(&format!("answer {number}\n")) || all.contains(&format!("answer {number}<")),
            "{number}"
        );
    }
    let place = server.get(&format!("/session/{ID}/place/301")).body;
    let window = place
        .split("\"window\":")
        .nth(1)
        .and_then(|text| text.trim_end_matches('}').parse::<usize>().ok())
        .unwrap();
    assert!(server.get(&format!("/session/{ID}/window/{window}")).body.contains("id=L301"), "{place}");
    assert_eq!(server.get(&format!("/session/{ID}/place/99999")).status, 200, "the nearest line before it");
}

#[test]
fn a_record_is_shown_as_it_is_written_with_line_and_byte() {
    let home = Home::new();
    let session = Session::new().prompt("first").reply("second");
    let uuid = session.last_uuid().unwrap().to_owned();
    home.write(path(), session.into_bytes());
    let server = TestServer::start(library(&home));
    let raw = server.get(&format!("/session/{ID}/raw/2")).body;
    assert!(raw.contains("line 2") && raw.contains("byte ") && raw.contains("second"), "{raw}");
    assert_eq!(server.get(&format!("/session/{ID}/raw/3")).status, 404);
    let link = server.get(&format!("/session/{ID}/record/{uuid}"));
    assert_eq!(link.header("location").unwrap().split_once('#').unwrap().1, "L2");
}

#[test]
fn a_branch_is_switched_where_it_begins() {
    let home = Home::new();
    let session = Session::new().prompt("first").reply("one");
    let fork = session.last_uuid().unwrap().to_owned();
    let session = session.prompt("left way");
    let left = session.last_uuid().unwrap().to_owned();
    let session = session.reply("left answer").parent(Some(&fork)).prompt("right way").reply("right answer");
    home.write(path(), session.into_bytes());
    let server = TestServer::start(library(&home));
    let page = server.get(&format!("/session/{ID}")).body;
    assert!(page.contains("right answer") && !page.contains("left answer"));
    assert!(page.contains(&format!("?branch={left}#L3")), "{page}");
    let other = server.get(&format!("/session/{ID}?branch={left}")).body;
    assert!(other.contains("left answer") && !other.contains("right answer"));
}

#[test]
fn home_filters_sorts_and_searches() {
    let home = Home::new();
    for (number, words) in ["alpha rockets", "beta gardens"].iter().enumerate() {
        let id = format!("22222222-aaaa-4aaa-8aaa-00000000000{number}");
        let session = Session::new()
            .id(&id)
            .prompt(&format!("Please look at {words}"))
            .reply(&format!("The {words} are fine: zebra{number}."));
        home.write(format!("projects/-w-{number}/{id}.jsonl"), session.into_bytes());
    }
    let server = TestServer::start(library(&home));
    let page = server.get("/").body;
    assert!(page.contains("alpha rockets") && page.contains("beta gardens"));
    let found = server.get("/sessions?q=gardens").body;
    assert!(found.contains("1 session") && found.contains("beta"), "{found}");
    let text = server.get("/search?q=zebra1").body;
    assert!(text.contains("<mark>zebra1</mark>") && text.contains("#L2"), "{text}");
    assert!(!server.get("/sessions?since=2999-01-01").body.contains("rockets"));
    assert!(server.get("/search?q=%22open").body.contains("missing closing quote"));
}

#[test]
fn usage_has_charts_and_csv() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(30), ..annals_demo::Plan::default() });
    let server = TestServer::start(library(&home));
    let page = server.get("/usage");
    assert_eq!(page.status, 200);
    for part in [
        "class=\"columns\"",
        "class=\"calendar\"",
        "By model",
        "By project",
        "By tool",
        "Blocks of five hours",
    ] {
        assert!(page.body.contains(part), "{part}");
    }
    let csv = server.get("/usage.csv?by=model");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(csv.body.lines().count() > 1 && csv.body.starts_with("model,responses,"), "{}", csv.body);
    assert_eq!(server.get("/usage.csv?by=secret").status, 400);
    assert!(server.get("/check").body.contains("sessions checked"));
}

#[test]
fn every_session_of_a_store_has_a_page_and_its_sub_agents_open_in_place() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(30), ..annals_demo::Plan::default() });
    let server = TestServer::start(library(&home));
    let list = server.get("/").body;
    let mut agents = 0;
    for link in list.split("class=\"title\" href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let page = server.get(link);
        assert_eq!(page.status, 200, "{link}");
        assert!(page.body.ends_with("</html>"), "{link}");
        for agent in page.body.split("data-src=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let opened = server.get(&agent.replace("&amp;", "&"));
            assert_eq!(opened.status, 200, "{agent}");
            assert!(opened.body.contains("class=\"window\""), "{agent}");
            agents += 1;
        }
    }
    assert!(agents > 2, "{agents}");
}

#[test]
fn every_page_has_the_theme_that_was_chosen_also_one_about_an_error() {
    let home = Home::new();
    home.write(path(), Session::new().prompt("hello").into_bytes());
    for (theme, expected) in [
        (Theme::Dark, Some("<html lang=\"en\" data-theme=\"dark\">")),
        (Theme::Light, Some("<html lang=\"en\" data-theme=\"light\">")),
        (Theme::System, None),
    ] {
        let server = TestServer::start(library(&home).with_theme(theme));
        let paths =
            [("/", 200), ("/search", 200), ("/files", 200), ("/usage", 200), ("/check", 200), ("/undo", 200)];
        let errors = [("/nowhere", 404), ("/session/none", 404), ("/file/none", 404)];
        for (path, status) in paths.into_iter().chain(errors) {
            let answer = server.get(path);
            assert_eq!(answer.status, status, "{path}");
            let expected = expected.unwrap_or("<html lang=\"en\">");
            assert!(answer.body.contains(expected), "{theme:?} {path}: {}", answer.body);
        }
        let refused = server.post("/undo", "form_token=wrong");
        assert_eq!(refused.status, 400);
        assert!(refused.body.contains(expected.unwrap_or("<html lang=\"en\">")), "{}", refused.body);
    }
}
