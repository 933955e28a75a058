//! Pages for a terminal.

use annals_transcript::transcript::Transcript;
use annals_ui::terminal::{RenderOptions, ThinkingDisplay, draw};
use annals_ui::{Conversation, TerminalText, ViewOptions};

use crate::session::Session;
use crate::snapshot::check;

/// A session as it looks.
pub(crate) fn page(session: &Session, options: &RenderOptions<'_>) -> String {
    let bytes = session.bytes();
    let mut page = TerminalText::default();
    draw(&Conversation::build(&Transcript::parse(&bytes), &[], ViewOptions::default()), options, &mut page);
    page.as_str().to_owned()
}

#[test]
fn a_turn_with_markdown_and_thinking() {
    let session = Session::new()
        .prompt("Fix the parser, please.\n\n  It fails on commas.")
        .block(r#"{"type":"thinking","thinking":"Where is the parser?"}"#)
        .say("# Plan\n\nI *will*:\n\n- read `parse.rs`\n- fix **it**\n  1. first\n  2. then\n\n> quoted\n\n```rust\nfn main() {}\n```\n\n| a | number |\n|---|---:|\n| x | 1 |\n| 日本 | 22 |\n\nSee [the docs](http://docs) or <http://a.b>.");
    check(
        &page(&session, &RenderOptions::plain(60)),
        r#"
▌ you                                       2026-01-03 15:00
▌ Fix the parser, please.
▌
▌   It fails on commas.

  thinking
  │ Where is the parser?

▌ claude · opus-4-5                                    15:00
▌ # Plan
▌
▌ I will:
▌
▌ • read `parse.rs`
▌ • fix it
▌   1. first
▌   2. then
▌
▌ ┃ quoted
▌
▌ ╭─ rust ──────
▌ │ fn main() {}
▌ ╰─────────────
▌
▌ a    │ number
▌ ─────┼───────
▌ x    │      1
▌ 日本 │     22
▌
▌ See the docs (http://docs) or http://a.b.

  ── 10 s · opus-4-5 · 14 tokens
[EOF]
"#,
    );
    check(
        &page(&session, &RenderOptions { thinking: ThinkingDisplay::Hidden, ..RenderOptions::plain(24) }),
        r#"
▌ you   2026-01-03 15:00
▌ Fix the parser,
▌ please.
▌
▌   It fails on commas.

▌ claude · opus-4-5
▌ # Plan
▌
▌ I will:
▌
▌ • read `parse.rs`
▌ • fix it
▌   1. first
▌   2. then
▌
▌ ┃ quoted
▌
▌ ╭─ rust ──────
▌ │ fn main() {}
▌ ╰─────────────
▌
▌ a    │ number
▌ ─────┼───────
▌ x    │      1
▌ 日本 │     22
▌
▌ See the docs
▌ (http://docs) or
▌ http://a.b.

  ── 10 s · opus-4-5 ·
     14 tokens
[EOF]
"#,
    );
}

#[test]
fn wide_characters_wrap_by_columns() {
    let session = Session::new()
        .prompt("日本語の文章は空白なしで続きます。🦀🦀🦀 and words")
        .say("**太字**の文章も同じ幅で折り返します。");
    check(
        &page(&session, &RenderOptions::plain(24)),
        r#"
▌ you   2026-01-03 15:00
▌ 日本語の文章は空白なし
▌ で続きます。🦀🦀🦀 and
▌ words

▌ claude · opus-4-5
▌ 太字の文章も同じ幅で折
▌ り返します。

  ── 5.0 s · opus-4-5 ·
     7 tokens
[EOF]
"#,
    );
}

#[test]
fn a_transcript_cannot_control_the_terminal() {
    let hostile = "a\u{1b}[2J\u{1b}]0;owned\u{7}b\u{9b}31mc\u{202e}d\u{8}";
    let session = Session::new()
        .prompt(hostile)
        .say(&format!("**{hostile}** `{hostile}`\n\n```\u{1b}[31m\n{hostile}\n```"))
        .call("t1", "Bash\\u001b[31m", r#"{"command":"\u001b[31mls","x":"\u001b]0;t\u0007"}"#)
        .result("t1", hostile, r#"{"stdout":"\u001b[31mred\u001b[0m","stderr":""}"#)
        .raw("{\"type\":\"\\u001b[31munknown\"}");
    let plain = page(&session, &RenderOptions::plain(60));
    assert!(!plain.chars().any(|character| character.is_control() && character != '\n'), "{plain:?}");
    check(
        &plain,
        r#"
▌ you                                       2026-01-03 15:00
▌ abc<U+202E>d^H

▌ claude · opus-4-5                                    15:00
▌ abc<U+202E>d^H `abc<U+202E>d^H`
▌
▌ ╭───────────────
▌ │ abc<U+202E>d^H
▌ ╰───────────────

● Bash  ‹U+001B›[31mls                                 5.0 s
  └ red

  · unknown record unknown (line 5)
    {"type":"\u001b[31munknown"}

  ── 15 s · opus-4-5 · 14 tokens · 1 tool call
[EOF]
"#,
    );
    let ansi = page(&session, &RenderOptions::ansi(60));
    let styles = ansi.split('\u{1b}').skip(1);
    for style in styles {
        let codes = style.strip_prefix('[').and_then(|rest| rest.split_once('m')).unwrap().0;
        assert!(codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{style:?}");
    }
}

#[test]
fn colors_are_whole_and_end_on_their_line() {
    let session = Session::new().prompt("hi").say("**bold** and `code`");
    check(
        &page(&session, &RenderOptions::ansi(40)).replace('\u{1b}', "^"),
        r#"
^[36m▌ ^[0m^[1;36myou^[0m                   ^[90m2026-01-03 15:00^[0m
^[36m▌ ^[0mhi

^[35m▌ ^[0m^[1;35mclaude^[0m^[90m · opus-4-5^[0m                ^[90m15:00^[0m
^[35m▌ ^[0m^[1mbold^[0m and ^[36mcode^[0m

^[90m  ── ^[0m^[90m5.0 s · opus-4-5 · 7 tokens^[0m
[EOF]
"#,
    );
}
