//! Hostile text in every field: no cell has anything that a terminal obeys or a reader cannot see.

use annals_testkit::builder::Session;
use annals_testkit::hostile::{HOSTILE, HOSTILE_NAME, Surface, hostile_part};
use annals_tui::{Answer, Change, SearchHit, SessionRow, UsageLine, UsageReport};

use crate::fixture::{NOW, answer, app, conversation_with, frame, press, show, type_text};

fn row() -> SessionRow {
    let text = || HOSTILE.to_owned();
    SessionRow {
        id: HOSTILE_NAME.to_owned(),
        path: "/store/h.jsonl".into(),
        title: text(),
        project: text(),
        folder: Some(text()),
        branch: Some(text()),
        tag: Some(text()),
        first_prompt: Some(text()),
        last_prompt: Some(HOSTILE.repeat(2)),
        models: vec![text()],
        created: Some(i64::MIN),
        active: Some(i64::MAX),
        bytes: u64::MAX,
        fork_of: Some(text()),
        numbers: None,
    }
}

#[track_caller]
fn check(app: &mut annals_tui::App, what: &str) {
    for size in [(80, 24), (40, 12), (120, 40)] {
        app.update(annals_tui::Event::Resize(size.0, size.1));
        let seen = frame(app, size);
        assert_eq!(hostile_part(seen.as_bytes(), Surface::Plain), None, "{what}\n{seen}");
    }
}

#[test]
fn no_cell_has_hostile_text() {
    let mut app = app((120, 40));
    let mut rows = vec![row()];
    rows[0].active = Some(NOW);
    answer(&mut app, Answer::Sessions(Ok(rows)));
    check(&mut app, "the list");
    let hit =
        SearchHit { session: HOSTILE_NAME.to_owned(), line: None, snippet: HOSTILE.to_owned(), count: 1 };
    answer(&mut app, Answer::Hits(HOSTILE.to_owned(), Ok(vec![hit])));
    check(&mut app, "a search");
    press(&mut app, "/");
    app.update(annals_tui::Event::Paste(HOSTILE.to_owned()));
    check(&mut app, "a paste");
    press(&mut app, "esc r");
    check(&mut app, "a choice");
    press(&mut app, "esc");
    let change = Change::Rename { session: "/store/h.jsonl".into(), title: HOSTILE.to_owned() };
    answer(&mut app, Answer::Plan(change.clone(), Ok(vec![HOSTILE.to_owned()])));
    check(&mut app, "a plan");
    press(&mut app, "y");
    answer(&mut app, Answer::Applied(change, Err(HOSTILE.to_owned())));
    check(&mut app, "an error");
    let line = UsageLine { key: HOSTILE.to_owned(), cost: Some(f64::NAN), tokens: u64::MAX, responses: 0 };
    press(&mut app, "U");
    let report = UsageReport {
        days: vec![line.clone()],
        models: vec![line.clone()],
        projects: vec![line.clone()],
        total: line,
        today: HOSTILE.to_owned(),
    };
    answer(&mut app, Answer::Usage(Ok(report)));
    for _ in 0..4 {
        press(&mut app, "tab");
        check(&mut app, "usage");
    }
}

#[test]
fn no_line_of_a_session_has_hostile_text() {
    let json = HOSTILE
        .chars()
        .map(|character| match character {
            '"' | '\\' => format!("\\{character}"),
            other if u32::from(other) < 0x20 => format!("\\u{:04x}", u32::from(other)),
            other => other.to_string(),
        })
        .collect::<String>();
    let input = format!(
        r#"{{"description":"{json}","subagent_type":"{json}","prompt":"{json}","command":"{json}"}}"#
    );
    let bytes = Session::new()
        .prompt(HOSTILE)
        .response(|response| response.thinking(HOSTILE).text(HOSTILE))
        .tool_use("Task", &input)
        .tool_result(HOSTILE)
        .tool_use(HOSTILE, &input)
        .tool_result(HOSTILE)
        .compaction(HOSTILE)
        .prompt(HOSTILE)
        .into_bytes();
    let call = HOSTILE_NAME;
    let mut app = app((120, 40));
    answer(&mut app, Answer::Sessions(Ok(vec![SessionRow { bytes: 1, active: Some(0), ..row() }])));
    press(&mut app, "enter");
    show(&mut app, "/store/h.jsonl".as_ref(), conversation_with(&bytes, &[(call, &bytes)]));
    for keys in ["G", "T", "o", "g", "o", "G", "enter", "[", "v", "j j enter"] {
        press(&mut app, keys);
        check(&mut app, keys);
    }
    press(&mut app, "g /");
    type_text(&mut app, "B");
    press(&mut app, "enter n n");
    check(&mut app, "matches");
}
