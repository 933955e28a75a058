//! What is very large on the chat screen in a real terminal: a paste, a session that is resumed and scrolled; and a storm of sizes.

use std::time::{Duration, Instant};

use annals_testkit::builder::Session;
use annals_testkit::depth::at_least;

use super::{ChatFixture, HANGS, signal};

const ID: &str = "7777aaaa-0000-4000-8000-000000000000";
const SCRIPT: &str = r#"{"hello":[[{"type":"text","text":"Hello there."}]],"read":[[{"type":"text","text":"I have read it."}]],
    "long":[{"content":[{"type":"text","text":"one\n\ntwo\n\nthree\n\nfour\n\nfive\n\nsix\n\nthe end"}],"chunk_bytes":60,
        "play":["head",{"events":[0,4]},{"wait_ms":1500},{"events":[4,99]},"end"]}]}"#;

#[test]
fn ten_megabytes_are_pasted_and_reach_the_model() {
    let lines = at_least(640 * 1024, 64 * 1024);
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "say @@hello@@"], |_| {});
    terminal.sees("Hello there.");
    let text = "0123456789abcde\n".repeat(lines);
    terminal.press(&format!("\x1b[200~{text}the last line\x1b[201~"));
    let chip = format!("[Pasted text #1 +{lines} lines]");
    terminal.sees(&format!("❯ {chip}"));
    terminal.press(" @@read@@\r");
    terminal.sees(&format!("> {chip} @@read@@"));
    terminal.sees("I have read it.");
    let sent = fixture.last();
    assert!(sent.len() > text.len() && sent.contains(r"the last line @@read@@"), "{} bytes", sent.len());
    // `annals check` warns of a line of this size, and rightly.
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn a_hundred_megabytes_are_resumed_and_scrolled() {
    // More than is loaded at first.
    let turns = at_least(20_000, 4_000);
    for layout in ["full", "inline"] {
        let fixture = ChatFixture::new(SCRIPT);
        let output = "a line of output\n".repeat(300);
        let mut session = Session::new().id(ID);
        for turn in 1..=turns {
            session = session.prompt(&format!("prompt {turn}.")).tool_use("Bash", r#"{"command":"ls"}"#);
            session = session.tool_result(&output).reply(&format!("answer {turn}."));
        }
        fixture.home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
        let arguments = ["--screen", layout, "--trust", "--resume", ID];
        let mut terminal = fixture.chat_in((80, 24), &arguments, |_| {});
        terminal.sees(&format!("answer {turns}."));
        terminal.shows("? keys");
        if layout == "full" {
            let wanted = format!("prompt {}.", turns - 40);
            for _ in 0..200 {
                let seen = terminal.visible();
                if seen.contains(&wanted) {
                    break;
                }
                terminal.press("\x1b[5~");
                // The next page only when this one is there: keys that wait would scroll past what is looked for.
                let pressed = Instant::now();
                while terminal.visible() == seen && pressed.elapsed() < HANGS {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            terminal.shows("… more below");
            terminal.shows(&wanted);
        }
        terminal.press("\x0f");
        terminal.shows("q leaves");
        terminal.press("g");
        terminal.shows("of this session are not loaded");
        let began = Instant::now();
        while terminal.visible().contains("e loads more") {
            assert!(began.elapsed() < HANGS, "{}", terminal.visible());
            let seen = terminal.visible();
            terminal.press("e");
            while terminal.visible() == seen && began.elapsed() < HANGS {
                std::thread::sleep(Duration::from_millis(5));
            }
            terminal.press("g");
            terminal.shows("transcript");
            std::thread::sleep(Duration::from_millis(100));
        }
        terminal.shows("> prompt 1.");
        terminal.press(&format!("/prompt {}\r", turns - 100));
        terminal.shows(&format!("prompt {}.", turns - 100));
        terminal.press("q");
        terminal.shows("? keys");
        terminal.press("and @@hello@@\r");
        // 100 MB are too much for a request, so they are summarized with the prompt, and the scripted answer is not the prompt's.
        let is_compacted = turns > 10_000;
        terminal.sees(if is_compacted { "● a scripted reply" } else { "Hello there." });
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0));
    }
}

#[test]
fn a_new_session_has_no_part_of_the_one_before() {
    let fixture = ChatFixture::new(SCRIPT);
    let output = "a line of output\n".repeat(6000);
    let mut session = Session::new().id(ID);
    for turn in 1..=200 {
        session = session.prompt(&format!("prompt {turn}.")).tool_use("Bash", r#"{"command":"ls"}"#);
        session = session.tool_result(&output).reply(&format!("answer {turn}."));
    }
    fixture.home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let arguments = ["--screen", "inline", "--trust", "--resume", ID];
    let mut terminal = fixture.chat_in((80, 24), &arguments, |_| {});
    terminal.sees("of this session are not loaded");
    terminal.shows("? keys");
    terminal.press("/clear\r");
    terminal.shows("· new · /help");
    terminal.press("say @@hello@@\r");
    terminal.shows("Hello there.");
    terminal.press("\x0f");
    terminal.shows("q leaves");
    terminal.press("e");
    // It is read at once, if at all.
    std::thread::sleep(Duration::from_secs(1));
    terminal.press("g");
    std::thread::sleep(Duration::from_millis(300));
    let seen = terminal.visible();
    assert!(seen.contains("transcript") && !seen.contains("> prompt 1."), "{seen}");
    terminal.press("q");
    terminal.shows("? keys");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
}

/// Forty paragraphs that arrive one after the other.
fn slow_paragraphs() -> String {
    let text: String = (0..40).map(|number| format!(r"Paragraph {number:02} has words.\n\n")).collect();
    let step = text.len() / 8;
    let piece = |at: usize| format!(r#"{{"bytes":[{},{}]}},{{"wait_ms":60}},"#, at * step, (at + 1) * step);
    let (pieces, rest): (String, usize) = ((0..40).map(piece).collect(), 40 * step);
    format!(
        r#"{{"slow":[{{"content":[{{"type":"text","text":"{text}It has ended."}}],
            "play":["head",{pieces}{{"bytes":[{rest},9999999]}},"end"]}}]}}"#
    )
}

#[test]
fn a_storm_of_heights_while_text_arrives_leaves_each_line_once() {
    let fixture = ChatFixture::new(&slow_paragraphs());
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "@@slow@@"], |_| {});
    terminal.sees("Paragraph 00");
    for height in [15, 8, 24, 40, 8, 12, 24, 6, 40, 15, 8, 24, 30, 9, 24, 7, 40, 8, 24, 11, 8] {
        terminal.resize((80, height));
        std::thread::sleep(Duration::from_millis(60));
    }
    terminal.resize((80, 24));
    terminal.sees("It has ended.");
    terminal.shows("? keys");
    std::thread::sleep(Duration::from_millis(300));
    let text = terminal.text();
    for number in 0..40 {
        assert_eq!(text.matches(&format!("Paragraph {number:02} ")).count(), 1, "{number} in\n{text}");
    }
    for (row, times) in [("? keys", 1), ("❯", 1), ("to interrupt", 0), ("> @@slow@@", 1)] {
        assert_eq!(text.matches(row).count(), times, "{row:?} in\n{text}");
    }
    fixture.leave(&mut terminal);
}

#[test]
fn a_storm_of_sizes_while_text_arrives_and_after_it() {
    for layout in ["inline", "full"] {
        let fixture = ChatFixture::new(SCRIPT);
        let mut terminal = fixture.chat_in((80, 24), &["--screen", layout, "@@long@@"], |_| {});
        terminal.sees("● one");
        for step in 0..120_u16 {
            terminal.resize((20 + step * 37 % 181, 6 + step * 11 % 55));
            // It does not wait for each of them.
            if step % 7 == 0 {
                std::thread::sleep(Duration::from_millis(15));
            }
        }
        signal(&terminal, "-WINCH");
        terminal.resize((80, 24));
        terminal.sees("the end");
        terminal.press("\x0c");
        terminal.shows("? keys");
        terminal.press("still @@hello@@");
        terminal.shows("❯ still @@hello@@");
        assert_eq!(terminal.visible().matches("❯ still").count(), 1, "{}", terminal.visible());
        terminal.press("\r");
        terminal.sees("Hello there.");
        fixture.leave(&mut terminal);
    }
}
