//! Any bytes are drawn, with any options.

use annals_transcript::line::lines;
use annals_transcript::transcript::Transcript;
use annals_ui::terminal::{LivePage, RenderOptions, draw};
use annals_ui::view::{BranchDetail, LiveSession};
use annals_ui::{Conversation, TerminalText, ViewOptions, markdown};

use crate::session::Session;

fn everything() -> Session {
    let edit = r#"{"filePath":"/w/a","oldString":"1","newString":"2","structuredPatch":[{"oldStart":9,"newStart":9,"lines":[" 日本","-1","+2"]}]}"#;
    Session::new()
        .prompt("one 日本 <b>`x`</b>")
        .block(r#"{"type":"thinking","thinking":"hm"}"#)
        .say("# a\n\n- b\n  1. c\n\n> d\n\n|x|y|\n|-|-|\n|🦀|`z`|\n\n```rust\ne\n```\n[l](u) ⚠\u{fe0f}")
        .call("t1", "Edit", r#"{"file_path":"/w/a","old_string":"1","new_string":"2"}"#)
        .result("t1", "ok", edit)
        .call("t2", "Read", r#"{"file_path":"/w/a","offset":3}"#)
        .result("t2", "ok", r#"{"type":"text","file":{"filePath":"/w/a","content":"x\ty","startLine":18446744073709551615,"totalLines":9}}"#)
        .call("t3", "Task", r#"{"description":"d","prompt":"p"}"#)
        .failure("t3", "no")
        .after("u1")
        .prompt("left")
        .after("u1")
        .prompt("taken")
        .line("system", r#""subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":1}"#)
        .line("user", r#""isCompactSummary":true,"message":{"content":"so far"}"#)
        .line("system", r#""subtype":"api_error","error":{"status":529},"retryInMs":1e300,"retryAttempt":1"#)
        .line("attachment", r#""attachment":{"type":"queued_command","prompt":[{"type":"image"}]}"#)
        .raw(r#"{"type":"queue-operation","operation":"dequeue"}"#)
        .raw(r#"{"type":"x"}"#)
}

#[test]
fn any_bytes_are_drawn_at_any_width() {
    let whole = everything().bytes();
    let mut seed: u64 = 7;
    let mut random = |max: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % max.max(1)
    };
    for round in 0..400 {
        let mut bytes = whole.clone();
        for _ in 0..round % 7 {
            let (at, other) = (random(bytes.len()), random(bytes.len()));
            match random(4) {
                0 => bytes[at] = b"{}[]\",:\\0u\n\x1b\xff"[random(13)],
                1 => bytes.truncate(at.max(whole.len() / 2)),
                2 => bytes.swap(at, other.min(whole.len() / 2)),
                _ => drop(bytes.drain(at.min(other)..at.max(other).min(at.min(other) + 9))),
            }
        }
        let transcript = Transcript::parse(&bytes);
        let conversation =
            Conversation::build(&transcript, &[], ViewOptions { branches: BranchDetail::Full });
        let mut page = TerminalText::default();
        let options = RenderOptions {
            full: round % 2 == 0,
            unicode: round % 3 > 0,
            output_lines: round % 4,
            ..RenderOptions::plain(round % 40)
        };
        draw(&conversation, &options, &mut page);
        let (mut live, mut live_page) = (LiveSession::new(), LivePage::default());
        lines(&bytes).for_each(|line| live_page.draw(&live.add_line(&line), &options, &mut page));
        assert!(!page.as_str().chars().any(|character| character.is_control() && character != '\n'));
        markdown::write(&conversation, &mut page);
    }
}
