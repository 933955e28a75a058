//! The chat screen: its frames, what scrolls off, how much is laid out, and that hostile text stays text.

use annals_testkit::builder::Session;
use annals_testkit::hostile::{HOSTILE, Surface, hostile_part};
use annals_tui::chat::{ChatInput, FooterFacts, PermissionSign, ScreenLayout};
use annals_tui::editor::Prompt;
use annals_ui::terminal::Style;
use annals_ui::view::ItemBody;
use ratatui_core::style::Modifier;

use crate::chat_fixture::{Chat, frame_text, plain, question, sessions, stored};

pub(crate) const SIZES: [(u16, u16); 3] = [(80, 24), (40, 15), (200, 60)];

#[track_caller]
pub(crate) fn check(name: &str, size: (u16, u16), seen: &str) {
    let path =
        format!("{}/tests/it/frames/chat-{name}-{}x{}.txt", env!("CARGO_MANIFEST_DIR"), size.0, size.1);
    if std::env::var_os("ANNALS_BLESS").is_some() {
        return std::fs::write(path, seen).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(seen == expected, "{name}: the frame is\n{seen}--- the file has\n{expected}---");
}

/// A turn with everything in it: a thought, Markdown, a call, a sub-agent, a text that still arrives.
fn turn(chat: &mut Chat) {
    let now = chat.now;
    chat.screen.note(Style::BOLD, "annals");
    chat.screen.prompt(&Prompt::of_line("Count the beds, 日本語 👨‍👩‍👧 שלום"));
    chat.screen.start_work("working", now);
    chat.screen.add_thought("first a thought\nthen another");
    chat.screen.start_text();
    for piece in
        ["## Beds\n\nThere are **thi", "rty** beds:\n\n- one\n- two\n\n```rust\nfn main() {}\n", "```\n"]
    {
        chat.screen.add_text(piece);
    }
    let input = r#"{"command":"seq 1 9"}"#;
    chat.start_call("c1", "Bash", input);
    chat.finish_call("c1", "Bash", input, r"1\n2\n3\n4\n5\n6\n7\n8\n9");
    let task = r#"{"description":"Look around","subagent_type":"Explore","prompt":"Find beds"}"#;
    chat.start_call("c2", "Task", task);
    for pattern in ["a", "b", "c", "d"] {
        let input = format!(r#"{{"pattern":"{pattern}"}}"#);
        let step = annals_ui::view::LiveCall { id: "s", tool: "Grep", input: input.as_bytes(), cwd: "/w" };
        step.started().items.iter().for_each(|step| chat.screen.add_step("c2", 1, step));
    }
    chat.screen.add_agent_tokens("c2", 1234);
    chat.screen.add_tokens(321);
    chat.wait(7000);
}

#[test]
fn frames_of_a_turn() {
    for size in SIZES {
        for (layout, name) in [(ScreenLayout::Inline, "inline"), (ScreenLayout::Full, "full")] {
            let mut chat = Chat::new(layout, size);
            *chat.screen.footer() = FooterFacts {
                mode: PermissionSign::AcceptEdits,
                model: "opus-4-5".to_owned(),
                context: Some(12),
                title: Some("Beds".to_owned()),
            };
            turn(&mut chat);
            chat.screen.enqueue(Prompt::of_line("and then water them"));
            chat.type_text("half typed");
            let seen = if layout == ScreenLayout::Inline { chat.all() } else { chat.frame() };
            check(&format!("turn-{name}"), size, &seen);
        }
    }
}

#[test]
fn frames_of_questions_lists_and_pages() {
    for size in SIZES {
        let mut chat = Chat::new(ScreenLayout::Inline, size);
        turn(&mut chat);
        chat.screen.scroll_off();
        chat.screen.ask(question(&["echo one", "rm -r build"]));
        check("question", size, &chat.frame());
        chat.screen.withdraw("q");
        chat.screen.open_picker(sessions());
        check("picker", size, &chat.frame());
        chat.wait(1000);
        chat.press("esc ctrl-o");
        check("transcript", size, &chat.frame());
        chat.press("q");
        chat.screen.finish_work();
        chat.press("?");
        check("keys", size, &chat.frame());
    }
}

#[test]
fn what_is_finished_scrolls_off_once_and_in_order() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    turn(&mut chat);
    let first = chat.all();
    assert!(first.contains("● Bash  seq 1 9") && first.contains("• two"), "{first}");
    let (off, live) = first.split_once("────\n").unwrap();
    assert!(!off.contains("Look around") && live.contains("Look around"), "a running call stays: {first}");
    assert!(live.contains("4 tool calls · 1.2k tokens"), "{live}");
    let task = r#"{"description":"Look around","subagent_type":"Explore","prompt":"Find beds"}"#;
    chat.finish_call("c2", "Task", task, "30 beds");
    let second = chat.all();
    let off = second.split_once("────\n").unwrap().0;
    assert!(off.contains("Look around") && off.contains("30 beds") && !off.contains("seq 1 9"), "{second}");
    assert!(!chat.all().split_once("────\n").unwrap().0.contains("beds"), "only once");
}

#[test]
fn markdown_scrolls_off_block_by_block_and_is_the_same_as_at_once() {
    let text = "# A\n\npara one two three four five six seven eight\n\n- x\n- y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n";
    let mut whole = Chat::new(ScreenLayout::Inline, (40, 20));
    whole.screen.show_conversation(stored(&Session::new().reply(text).into_bytes()), Default::default());
    let expected = whole.all();
    let expected = expected.split_once("────\n").unwrap().0.to_owned();
    let mut chat = Chat::new(ScreenLayout::Inline, (40, 20));
    chat.screen.start_text();
    let mut off = String::new();
    for (at, _) in text.char_indices() {
        chat.screen.add_text(&text[at..=at]);
        off.push_str(chat.all().split_once("────\n").unwrap().0);
    }
    chat.screen.end_text();
    off.push_str(chat.all().split_once("────\n").unwrap().0);
    assert!(expected.starts_with(off.trim_end_matches('\n')), "{off}\n----\n{expected}");
    assert!(off.contains("para one") && off.contains("end"), "{off}");
}

#[test]
fn the_transcript_shows_everything_and_text_is_found_in_it() {
    let output = (1..=100).map(|line| format!("line {line}")).collect::<Vec<_>>().join(r"\n");
    for layout in [ScreenLayout::Inline, ScreenLayout::Full] {
        let mut chat = Chat::new(layout, (60, 20));
        chat.start_call("c1", "Bash", r#"{"command":"seq"}"#);
        chat.finish_call("c1", "Bash", r#"{"command":"seq"}"#, &output);
        let brief = chat.all();
        assert!(brief.contains("more (ctrl-o)") && !brief.contains("line 50"), "{brief}");
        chat.press("ctrl-o");
        assert!(chat.frame().contains("line 100"), "{}", chat.frame());
        chat.press("g");
        assert!(chat.frame().contains("line 1\n"), "{}", chat.frame());
        chat.press("/");
        chat.type_text("line 50");
        chat.press("enter");
        assert!(
            chat.frame().contains("line 50\n") && !chat.frame().contains("line 49\n"),
            "{}",
            chat.frame()
        );
        chat.press("/");
        chat.type_text("cucumber");
        chat.press("enter");
        assert!(chat.frame().contains("not found"));
        chat.press("q");
        assert!(chat.frame().contains("❯"));
    }
}

#[test]
fn matches_are_counted_and_marked_and_the_last_page_is_full() {
    let text: String = (1..=60).map(|line| format!("line {line} of it\n\n")).collect();
    let conversation = stored(&Session::new().prompt("go").reply(&text).into_bytes());
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.screen.show_conversation(conversation, Default::default());
    chat.all();
    chat.press("ctrl-o g /");
    chat.type_text("line 5");
    chat.press("enter");
    assert!(chat.frame().contains("1 of 11 · more below · n, N matches"), "{}", chat.frame());
    let (cells, _) = chat.screen.draw();
    let (seen, size) = (frame_text(&cells), "line 5".len());
    let found = seen.lines().enumerate().find_map(|(row, line)| Some((row, line.find("line 5 of")?)));
    let (row, column) = found.unwrap_or_else(|| panic!("{seen}"));
    let is_marked = |at: usize| {
        let cell = &cells[(u16::try_from(at).unwrap(), u16::try_from(row).unwrap())];
        cell.modifier.contains(Modifier::UNDERLINED)
    };
    assert!((column..column + size).all(is_marked) && !is_marked(column + size), "{seen}");
    chat.press("n n N");
    assert!(chat.frame().contains("2 of 11"), "{}", chat.frame());
    // One near the end is on a page that is full, and the footer says that it is the last one.
    chat.press("/");
    chat.type_text("line 59");
    chat.press("enter");
    let seen = chat.frame();
    assert!(
        seen.contains("line 59 of it") && seen.contains("line 60 of it") && seen.contains("line 53"),
        "{seen}"
    );
    assert!(seen.contains("1 of 1 · end · n, N matches") && !seen.contains("more below"), "{seen}");
    // On that page, the next match is the next, though the first row stays.
    chat.press("/");
    chat.type_text("line 5");
    chat.press("enter");
    let places = ["11 of 11", "1 of 11", "2 of 11"];
    for _ in 0..12 {
        if chat.frame().contains("9 of 11") {
            break;
        }
        chat.press("n");
    }
    chat.press("n");
    assert!(chat.frame().contains("10 of 11"), "{}", chat.frame());
    for place in places {
        chat.press("n");
        assert!(chat.frame().contains(place), "{place}: {}", chat.frame());
    }
}

#[test]
fn no_line_is_lost_when_the_width_changes_while_a_text_scrolls_off() {
    let words =
        |from: usize| (from..from + 30).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.screen.start_text();
    let mut off = String::new();
    for (part, columns) in [(0, 60), (30, 25), (60, 90), (90, 40)] {
        chat.screen.resize((columns, 20));
        chat.screen.add_text(&format!("{}\n\n", words(part)));
        off.push_str(chat.all().split_once("────\n").unwrap().0);
    }
    chat.screen.resize((70, 20));
    chat.screen.end_text();
    off.push_str(chat.all().split_once("────\n").unwrap().0);
    let seen: Vec<&str> = off.split_whitespace().filter(|word| word.starts_with('w')).collect();
    let expected: Vec<String> = (0..120).map(|number| format!("w{number}")).collect();
    assert_eq!(seen, expected, "{off}");
}

#[test]
fn a_long_conversation_is_laid_out_where_it_is_shown() {
    let mut session = Session::new();
    for number in 0..2000 {
        session = session.prompt(&format!("prompt {number}")).reply(&format!("answer **{number}**"));
    }
    let mut chat = Chat::new(ScreenLayout::Full, (80, 24));
    chat.screen.show_conversation(stored(&session.into_bytes()), Default::default());
    let seen = chat.frame();
    assert!(seen.contains("answer 1999"), "{seen}");
    assert!(chat.screen.layouts() < 100, "{} blocks were laid out", chat.screen.layouts());
    let before = chat.screen.layouts();
    chat.frame();
    assert_eq!(chat.screen.layouts(), before, "an unchanged screen costs nothing");
    chat.press("pgup pgup");
    let above = chat.frame();
    assert!(!above.contains("answer 1999") && above.contains("more below"), "{above}");
    chat.press("pgdn pgdn pgdn");
    assert!(chat.frame().contains("answer 1999"));
    assert!(chat.screen.layouts() < 200);
    // The scrollback gets the end, and says what it does not get.
    let mut session = Session::new();
    for number in 0..20 {
        session = session.prompt(&format!("prompt {number}.")).reply("fine");
    }
    let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
    chat.screen.show_conversation(stored(&session.into_bytes()), Default::default());
    let seen = chat.all();
    assert!(seen.contains("prompt 10.") && !seen.contains("prompt 9."), "{seen}");
    assert!(seen.contains("10 earlier prompts of this session: ctrl-o shows them"), "{seen}");
    chat.press("ctrl-o g");
    assert!(chat.frame().contains("prompt 0."), "{}", chat.frame());
}

#[test]
fn no_cell_has_hostile_text() {
    for layout in [ScreenLayout::Inline, ScreenLayout::Full] {
        for size in SIZES {
            let mut chat = Chat::new(layout, size);
            let json = r#"{"command":"\u001b[2J\u202e\u0007x","description":"\u001b]0;t\u0007"}"#;
            let now = chat.now;
            chat.screen.footer().model = HOSTILE.to_owned();
            chat.screen.footer().title = Some(HOSTILE.to_owned());
            chat.screen.set_status(HOSTILE, 2);
            chat.screen.note(Style::DIM, HOSTILE);
            chat.screen.notes(vec![plain(HOSTILE)]);
            chat.screen.prompt(&Prompt::of_line(HOSTILE));
            chat.screen.start_work(HOSTILE, now);
            chat.screen.add_thought(HOSTILE);
            chat.start_call("c0", HOSTILE, json);
            chat.screen.show_output("c0", HOSTILE);
            chat.start_call("c1", "Bash", json);
            chat.screen.show_output("c1", HOSTILE);
            chat.finish_call("c1", "Bash", json, r"\u001b[2J\u202ex");
            chat.screen.start_text();
            HOSTILE.chars().for_each(|piece| chat.screen.add_text(&piece.to_string()));
            chat.screen.enqueue(Prompt::of_line(HOSTILE));
            chat.screen.set_todos(vec![plain(HOSTILE)]);
            chat.screen.update(ChatInput::Paste(HOSTILE.to_owned()));
            let mut seen = chat.all();
            chat.press("ctrl-o");
            seen.push_str(&chat.frame());
            chat.press("q");
            let mut asked = question(&[HOSTILE]);
            (asked.title, asked.why) = (plain(HOSTILE), vec![plain(HOSTILE)]);
            asked.choices[0].label = HOSTILE.to_owned();
            chat.screen.ask(asked);
            seen.push_str(&chat.frame());
            let mut picker = sessions();
            picker.title = HOSTILE.to_owned();
            picker.about = vec![plain(HOSTILE)];
            picker.rows[0].line = plain(HOSTILE);
            picker.rows[0].preview = vec![plain(HOSTILE)];
            chat.screen.open_picker(picker);
            seen.push_str(&chat.frame());
            chat.press("esc");
            chat.screen.open_page(HOSTILE, vec![plain(HOSTILE)]);
            seen.push_str(&chat.frame());
            chat.press("/");
            assert_eq!(hostile_part(seen.as_bytes(), Surface::Plain), None, "{seen}");
        }
    }
}

#[test]
fn every_size_draws_without_a_panic_and_within_it() {
    for columns in [1, 5, 10, 19, 20, 40, 79, 300] {
        for rows in [1, 2, 3, 5, 8, 13, 24, 100] {
            for layout in [ScreenLayout::Inline, ScreenLayout::Full] {
                let mut chat = Chat::new(layout, (80, 24));
                turn(&mut chat);
                chat.screen.resize((columns, rows));
                for keys in ["a", "ctrl-o", "pgup", "q"] {
                    chat.press(keys);
                    let (buffer, cursor) = chat.screen.draw();
                    assert!(
                        buffer.area.height <= rows.max(2) && buffer.area.width == columns,
                        "{columns}x{rows}"
                    );
                    assert!(cursor.is_none_or(|(_, row)| row < usize::from(rows.max(2))), "{columns}x{rows}");
                }
                chat.screen.ask(question(&["one", "two"]));
                chat.frame();
                chat.screen.open_picker(sessions());
                chat.frame();
                chat.screen.scroll_off();
            }
        }
    }
}

#[test]
fn without_unicode_every_cell_is_ascii() {
    let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
    chat.screen = annals_tui::chat::ChatScreen::new(
        annals_tui::chat::ChatOptions { layout: ScreenLayout::Inline, unicode: false },
        (80, 24),
        chat.now,
    );
    turn(&mut chat);
    let off = crate::chat_fixture::frame_text(&chat.screen.scroll_off().cells);
    let seen = off + &chat.frame();
    assert!(seen.is_ascii(), "{seen}");
}

#[test]
fn a_rewind_removes_a_prompt_and_what_followed_it() {
    for layout in [ScreenLayout::Full, ScreenLayout::Inline] {
        let mut chat = Chat::new(layout, (60, 30));
        let turn = |chat: &mut Chat, name: &str, id: &str| {
            chat.screen.prompt(&Prompt::of_line(name));
            chat.screen.start_work("working", chat.now);
            chat.screen.add_text(&format!("answer {name}\n"));
            // What is absorbed in a turn is no prompt to rewind to.
            chat.screen.absorbed("by the way");
            chat.screen.set_prompt_id(id);
            chat.screen.finish_work();
            chat.all();
        };
        turn(&mut chat, "first", "1");
        turn(&mut chat, "second", "2");
        turn(&mut chat, "third", "3");
        assert!(chat.screen.rewind_to("2") && !chat.screen.rewind_to("3"));
        chat.press("ctrl-o");
        assert!(!chat.frame().contains("second") && !chat.frame().contains("third"), "{}", chat.frame());
        assert!(chat.frame().contains("answer first"), "{}", chat.frame());
        chat.press("q");
        turn(&mut chat, "fourth", "4");
        let seen = chat.frame();
        assert_eq!(seen.contains("answer first"), layout == ScreenLayout::Full, "{seen}");
        assert_eq!(seen.contains("answer fourth"), layout == ScreenLayout::Full, "{seen}");
        assert!(!seen.contains("second"), "{seen}");
    }
}

#[test]
fn a_stored_prompt_can_be_rewound_to() {
    let session = Session::new().prompt("kept").reply("one").prompt("gone").reply("two");
    let conversation = stored(&session.into_bytes());
    let prompts = conversation.items.iter().filter(|item| matches!(item.body, ItemBody::Prompt(_)));
    let ids: Vec<String> = prompts.filter_map(|item| item.position.uuid.clone()).collect();
    let mut chat = Chat::new(ScreenLayout::Full, (60, 20));
    chat.screen.show_conversation(conversation, Default::default());
    assert!(chat.frame().contains("gone") && chat.frame().contains("two"), "{}", chat.frame());
    assert!(chat.screen.rewind_to(&ids[1]), "{ids:?}");
    assert!(chat.frame().contains("one") && !chat.frame().contains("gone"), "{}", chat.frame());
}
