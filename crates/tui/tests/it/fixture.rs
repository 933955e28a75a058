//! An app with a few sessions, keys by their names, and frames as text.

use std::path::{Path, PathBuf};

use annals_testkit::builder::Session;
use annals_transcript::transcript::Transcript;
use annals_tui::{
    Answer, App, AppOptions, Effect, Event, Key, OpenSession, SessionNumbers, SessionRow, UsageLine,
    UsageReport, draw,
};
use annals_ui::view::{AgentThread, BranchDetail, Conversation, ViewOptions};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

pub(crate) const NOW: i64 = 1_794_000_000_000;
const HOUR: i64 = 3_600_000;

/// Three sessions: one with everything, a fork, and one without numbers.
pub(crate) fn rows() -> Vec<SessionRow> {
    let row = |id: &str, title: &str, project: &str, hours: i64| SessionRow {
        id: format!("{id}0000-0000-4000-8000-000000000000"),
        path: PathBuf::from(format!("/store/{id}.jsonl")),
        title: title.to_owned(),
        project: project.to_owned(),
        folder: Some(format!("/home/dev/{project}")),
        first_prompt: Some("Move the tax rates into a table, with one row for each region.".to_owned()),
        last_prompt: Some("Thanks.".to_owned()),
        models: vec!["claude-opus-4-5-20251101".to_owned()],
        active: Some(NOW - hours * HOUR),
        bytes: 76_700,
        numbers: Some(SessionNumbers { turns: 12, agents: 2, cost: Some(1.25) }),
        ..SessionRow::default()
    };
    let mut table = row("1111", "Tax table", "lantern-shop", 2);
    (table.branch, table.tag) = (Some("fix/rounding".to_owned()), Some("tax".to_owned()));
    let mut fork = row("2222", "Sync conflicts (Branch)", "quill", 50);
    fork.fork_of = Some("3333".to_owned());
    let mut plain = row("3333", "日本語のタイトル: sync conflicts", "quill", 24 * 90);
    plain.numbers = None;
    vec![table, fork, plain]
}

/// An app that has read its list.
pub(crate) fn app(size: (u16, u16)) -> App {
    app_with(AppOptions::default(), size)
}

pub(crate) fn app_with(options: AppOptions, size: (u16, u16)) -> App {
    let mut app = App::new(options, size, NOW);
    assert_eq!(app.start(), [Effect::List, Effect::Count]);
    answer(&mut app, Answer::Sessions(Ok(rows())));
    answer(&mut app, Answer::Numbers(Ok(Vec::new())));
    app
}

pub(crate) fn answer(app: &mut App, answer: Answer) -> Vec<Effect> {
    app.update(Event::Answer(Box::new(answer)))
}

/// Presses keys, named and separated by spaces; returns the effects of the last.
pub(crate) fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for name in keys.split(' ') {
        let key = Key::from_name(name).unwrap_or_else(|| panic!("{name:?} is no key"));
        effects = app.update(Event::Key(key));
    }
    effects
}

pub(crate) fn type_text(app: &mut App, text: &str) {
    text.chars().for_each(|character| drop(app.update(Event::Key(Key::Char(character)))));
}

/// Opens the selected session, with this conversation.
pub(crate) fn open(app: &mut App, conversation: Conversation) {
    let effects = press(app, "enter");
    let [Effect::Open(path)] = effects.as_slice() else { panic!("{effects:?}") };
    show(app, path, conversation);
}

pub(crate) fn show(app: &mut App, path: &Path, conversation: Conversation) {
    let read = OpenSession { conversation: conversation.into(), bytes: 1, is_beginning: false };
    answer(app, Answer::Opened(path.to_path_buf(), Ok(read)));
}

pub(crate) fn conversation(bytes: &[u8]) -> Conversation {
    conversation_with(bytes, &[])
}

/// The conversation of a session, with sub-agents by the call that started them.
pub(crate) fn conversation_with(bytes: &[u8], agents: &[(&str, &[u8])]) -> Conversation {
    let transcripts: Vec<_> = agents.iter().map(|(_, bytes)| Transcript::parse(bytes)).collect();
    let threads: Vec<_> = agents
        .iter()
        .zip(&transcripts)
        .map(|((call, _), transcript)| AgentThread {
            id: format!("of-{call}"),
            tool_use: Some((*call).to_owned()),
            label: Some("Explore".to_owned()),
            transcript,
        })
        .collect();
    let options = ViewOptions { branches: BranchDetail::Full };
    Conversation::build(&Transcript::parse(bytes), &threads, options)
}

/// A session with thinking, a long output, and three turns.
pub(crate) fn garden() -> Vec<u8> {
    let output: String = (1..=30).map(|line| format!("bed {line}: tomatoes\n")).collect();
    Session::new()
        .prompt("How many beds are there?")
        .response(|response| {
            response
                .thinking("They are listed in a file.\nThe file has a line for each.")
                .text("Let me look.")
        })
        .tool_use("Bash", r#"{"command":"cat beds.txt","description":"List beds"}"#)
        .tool_result(&output)
        .reply("There are **30** beds.")
        .prompt("And pots?")
        .reply("None are listed.")
        .prompt("Thanks.")
        .reply("You are welcome.")
        .into_bytes()
}

pub(crate) fn report() -> UsageReport {
    let line = |key: &str, cost: f64, tokens: u64| UsageLine {
        key: key.to_owned(),
        cost: Some(cost),
        tokens,
        responses: 3,
    };
    let mut unpriced = line("some-other-model", 0.0, 500);
    unpriced.cost = None;
    UsageReport {
        days: vec![line("2026-11-02", 0.5, 20_000), line("2026-11-05", 2.0, 90_000)],
        models: vec![line("claude-opus-4-5-20251101", 2.5, 110_000), unpriced],
        projects: vec![line("/home/dev/quill", 2.5, 110_500)],
        total: line("total", 2.5, 110_500),
        today: "2026-11-06".to_owned(),
    }
}

/// The frame as text, its end marked; wide characters take their own columns.
pub(crate) fn frame(app: &App, (columns, rows): (u16, u16)) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    draw(app, &mut buffer);
    let mut text = String::new();
    for y in 0..rows {
        let mut line = String::new();
        let mut x = 0;
        while x < columns {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(annals_ui::terminal::width(symbol)).unwrap().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text + "[EOF]\n"
}
