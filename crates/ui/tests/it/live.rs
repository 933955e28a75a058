//! A session shown line by line, as it is written.

use annals_transcript::line::lines;
use annals_ui::TerminalText;
use annals_ui::terminal::{LivePage, RenderOptions};
use annals_ui::view::{CallPhase, ItemBody, LiveSession};

use crate::session::Session;
use crate::snapshot::check;

/// What somebody sees who watches from this line on.
fn page(session: &Session, from: usize) -> String {
    let (mut live, mut live_page, mut page) =
        (LiveSession::new(), LivePage::default(), TerminalText::default());
    for line in lines(&session.bytes()).skip(from) {
        live_page.draw(&live.add_line(&line), &RenderOptions::plain(60), &mut page);
    }
    page.as_str().to_owned()
}

#[test]
fn lines_stand_as_on_a_page_that_was_drawn_at_once() {
    let session = Session::new()
        .raw(r#"{"type":"ai-title","aiTitle":"Parser"}"#)
        .prompt("Fix the parser.")
        .block(r#"{"type":"thinking","thinking":"Where is it?"}"#)
        .say("I look.")
        .call("t1", "Bash", r#"{"command":"ls","description":"List files"}"#)
        .line("progress", r#""data":{"type":"bash_progress","output":"never seen"}"#)
        .result("t1", "a\nb", r#"{"stdout":"a\nb","stderr":""}"#)
        .raw(r#"{"type":"ai-title","aiTitle":"Parser"}"#)
        .say("Two files.")
        .say("No parser.")
        .line("system", r#""subtype":"informational","content":"Something happened""#)
        .raw("damaged")
        .prompt("Thanks");
    check(
        &page(&session, 0),
        r#"
  · title Parser

▌ you                                       2026-01-03 15:00
▌ Fix the parser.

  thinking
  │ Where is it?

▌ claude · opus-4-5                                    15:00
▌ I look.

● Bash  ls  · List files
  │ a
  │ b

▌ claude                                               15:00
▌ Two files.
▌
▌ No parser.

  · Something happened
  · damaged line 12: The line is not JSON.

▌ you                                                  15:01
▌ Thanks
[EOF]
"#,
    );
}

#[test]
fn results_find_their_calls_in_any_order() {
    let edit = r#"{"file_path":"/w/a","old_string":"1","new_string":"2"}"#;
    let kept = r#"{"filePath":"/w/a","oldString":"1","newString":"2","structuredPatch":[{"oldStart":9,"newStart":9,"lines":[" x","-1","+2"]}]}"#;
    let session = Session::new()
        .call("t1", "Bash", r#"{"command":"sleep 9"}"#)
        .call("t2", "Edit", edit)
        .result("t2", "ok", kept)
        .failure("t1", "no sleep")
        .call("t3", "Read", r#"{"file_path":"/w/b"}"#)
        .say("while it reads");
    check(
        &page(&session, 0),
        r#"
● Bash  sleep 9
● Edit  a
  │  9   x
  │ 10 - 1
  │ 10 + 2

● Bash  sleep 9                                         15 s
  └ no sleep
● Read  b

▌ claude · opus-4-5                         2026-01-03 15:00
▌ while it reads
[EOF]
"#,
    );
    // Who comes later knows nothing of the calls.
    check(
        &page(&session, 3),
        r#"
● earlier call
  └ no sleep
● Read  b

▌ claude · opus-4-5                         2026-01-03 15:00
▌ while it reads
[EOF]
"#,
    );
}

#[test]
fn a_sub_agent_inside_the_file_is_beside_and_one_in_its_own_file_is_not() {
    let inside = Session::new().prompt("mine").bytes();
    let agent = Session::agent().prompt("asked").bytes();
    let beside = |parts: &[&[u8]]| {
        let bytes = parts.concat();
        let mut live = LiveSession::new();
        lines(&bytes)
            .flat_map(|line| live.add_line(&line).items)
            .map(|item| item.position.is_off_path)
            .collect::<Vec<_>>()
    };
    assert_eq!(beside(&[b"{}\n", &inside, &agent]), [false, false, true]);
    assert_eq!(beside(&[b"{}\n", &agent, &agent]), [false, false, false]);
}

#[test]
fn calls_that_nobody_answers_are_forgotten_in_the_end() {
    let input = format!(r#"{{"command":"{}"}}"#, "x".repeat(1 << 20));
    let calls = (0..20).fold(Session::new(), |session, n| session.call(&format!("t{n}"), "Bash", &input));
    let session = calls.result("t0", "first", "{}").result("t19", "last", "{}");
    let mut live = LiveSession::new();
    let bytes = session.bytes();
    let mut told: Vec<_> = lines(&bytes).map(|line| live.add_line(&line).items).collect();
    let mut last = || match told.pop().unwrap_or_default().as_slice() {
        [item] => match &item.body {
            ItemBody::ToolCall(call) => (call.name.clone(), call.phase, item.position.line),
            other => panic!("{other:?}"),
        },
        items => panic!("{items:?}"),
    };
    assert_eq!(last(), ("Bash".to_owned(), CallPhase::Finished, 22));
    assert_eq!(last(), ("earlier call".to_owned(), CallPhase::Finished, 21));
    assert_eq!(last(), ("Bash".to_owned(), CallPhase::Started, 20));
}
