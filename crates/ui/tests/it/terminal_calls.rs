//! Tool calls and sub-agents on a page for a terminal.

use annals_transcript::transcript::Transcript;
use annals_ui::terminal::{RenderOptions, draw};
use annals_ui::{AgentThread, Conversation, TerminalText, ViewOptions};

use crate::session::Session;
use crate::snapshot::check;
use crate::terminal::page;

#[test]
fn tools_with_their_results() {
    let edit = r#"{"filePath":"/w/a.rs","oldString":"one","newString":"two","structuredPatch":[{"oldStart":9,"oldLines":3,"newStart":9,"newLines":3,"lines":[" fn x() {","-    one","+    two"," }"]}]}"#;
    let session = Session::new()
        .prompt("go")
        .call("t1", "Read", r#"{"file_path":"/w/src/a.rs"}"#)
        .result("t1", "1 fn", r#"{"type":"text","file":{"filePath":"/w/src/a.rs","content":"a\nb\n","numLines":2,"startLine":1,"totalLines":90}}"#)
        .call("t2", "Bash", r#"{"command":"cargo test\nls","description":"Run the tests"}"#)
        .result("t2", "ok", r#"{"stdout":"line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\n","stderr":"warning: x","interrupted":false}"#)
        .call("t3", "Edit", r#"{"file_path":"/w/a.rs","old_string":"one","new_string":"two"}"#)
        .result("t3", "done", edit)
        .call("t4", "TodoWrite", r#"{"todos":[]}"#)
        .result("t4", "ok", r#"{"oldTodos":[],"newTodos":[{"content":"read","status":"completed"},{"content":"fix","status":"in_progress"},{"content":"rest","status":"pending"}]}"#)
        .call("t5", "Write", r#"{"file_path":"/w/new.txt","content":"x"}"#)
        .result("t5", "ok", r#"{"type":"create","filePath":"/w/new.txt","content":"one\ntwo\n","structuredPatch":[]}"#)
        .call("t6", "Bash", r#"{"command":"false"}"#)
        .failure("t6", "Exit code 1\nno such thing")
        .call("t7", "Edit", r#"{"file_path":"/w/a.rs","old_string":"a\nb","new_string":"a\nc"}"#)
        .failure("t7", "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnot there")
        .call("t8", "AskUserQuestion", r#"{"questions":[]}"#)
        .result("t8", "ok", r#"{"questions":[{"question":"Which?","options":[{"label":"A"}]}],"answers":{"Which?":"A"}}"#)
        .call("t9", "mcp__linear__get", r#"{"id":"E-1","deep":true}"#);
    check(
        &page(&session, &RenderOptions { output_lines: 5, ..RenderOptions::plain(60) }),
        r#"
▌ you                                       2026-01-03 15:00
▌ go

● Read  src/a.rs                                       5.0 s
  └ lines 1-2 of 90

● Bash  cargo test
        ls
        Run the tests
  │ line 1
  │ line 2
  │ line 3
  │ line 4
  │ … 3 lines more (--full)
  │ line 8
  │ warning: x

● Edit  a.rs  +1 −1                                    5.0 s
  │  9   fn x() {
  │ 10 -     one
  │ 10 +     two
  │ 11   }

● TodoWrite                                            5.0 s
  │ ☑ read
  │ ◐ fix
  │ ☐ rest

● Write  new.txt                                       5.0 s
  │ 2 lines
  │ 1 + one
  │ 2 + two

● Bash  false                                          5.0 s
  │ Exit code 1
  │ no such thing

● Edit  a.rs                                           5.0 s
  │   a
  │ - b
  │ + c
  │ denied: not there

● AskUserQuestion                                      5.0 s
  │ Which?
  │ → A

● linear/get  E-1
  │ deep: true
  └ never answered

  ── 1m 25s · opus-4-5 · 63 tokens · 9 tool calls
[EOF]
"#,
    );
    check(
        &page(&session, &RenderOptions { unicode: false, full: true, ..RenderOptions::plain(60) }),
        r#"
| you                                       2026-01-03 15:00
| go

* Read  src/a.rs                                       5.0 s
  | lines 1-2 of 90
  | 1   a
  | 2   b

* Bash  cargo test
        ls
        Run the tests
  | line 1
  | line 2
  | line 3
  | line 4
  | line 5
  | line 6
  | line 7
  | line 8
  | warning: x

* Edit  a.rs  +1 -1                                    5.0 s
  |  9   fn x() {
  | 10 -     one
  | 10 +     two
  | 11   }

* TodoWrite                                            5.0 s
  | [x] read
  | [~] fix
  | [ ] rest

* Write  new.txt                                       5.0 s
  | 2 lines
  | 1 + one
  | 2 + two

* Bash  false                                          5.0 s
  | Exit code 1
  | no such thing

* Edit  a.rs                                           5.0 s
  |   a
  | - b
  | + c
  | denied: not there

* AskUserQuestion                                      5.0 s
  | Which?
  | -> A

* linear/get  E-1
  | deep: true
  ` never answered

  -- 1m 25s - opus-4-5 - 63 tokens - 9 tool calls
[EOF]
"#,
    );
    assert!(page(&session, &RenderOptions { unicode: false, ..RenderOptions::plain(60) }).is_ascii());
}

#[test]
fn an_agent_stands_under_its_call() {
    let session = Session::new()
        .prompt("look around")
        .call("t1", "Agent", r#"{"description":"Explore","subagent_type":"Explore","prompt":"find it"}"#)
        .result(
            "t1",
            "found",
            r#"{"status":"completed","agentId":"a1","content":[{"type":"text","text":"It is **here**."}]}"#,
        )
        .say("Done.");
    let agent = Session::agent()
        .prompt("find it")
        .call("t5", "Agent", r#"{"description":"Deeper","prompt":"dig"}"#)
        .say("It is **here**.");
    let deeper = Session::agent().prompt("dig").say("Dug.");
    let loose = Session::agent().prompt("Warmup");
    let files = [session.bytes(), agent.bytes(), deeper.bytes(), loose.bytes()];
    let [main, one, two, three] = files.each_ref().map(|bytes| Transcript::parse(bytes));
    let thread = |id: &str, call: Option<&str>, transcript| AgentThread {
        id: id.to_owned(),
        tool_use: call.map(str::to_owned),
        label: Some("Explore".to_owned()),
        transcript,
    };
    let agents = [thread("a2", Some("t5"), &two), thread("a1", Some("t1"), &one), thread("a3", None, &three)];
    let mut out = TerminalText::default();
    draw(&Conversation::build(&main, &agents, ViewOptions::default()), &RenderOptions::plain(60), &mut out);
    check(
        out.as_str(),
        r#"
▌ you                                       2026-01-03 15:00
▌ look around

● Agent  Explore  · Explore
  ┊ agent Explore · a1 · 3 messages
  ┊
  ┊ ▌ asked                                            15:00
  ┊ ▌ find it
  ┊
  ┊ ● Agent  Deeper
  ┊   ┊ agent Explore · a2 · 2 messages
  ┊   ┊
  ┊   ┊ ▌ asked                                        15:00
  ┊   ┊ ▌ dig
  ┊   ┊
  ┊   ┊ ▌ agent · opus-4-5                             15:00
  ┊   ┊ ▌ Dug.
  ┊   └ never answered
  ┊
  ┊ ▌ agent · opus-4-5                                 15:00
  ┊ ▌ It is here.

▌ claude · opus-4-5                                    15:00
▌ Done.

  ── 15 s · opus-4-5 · 14 tokens · 1 tool call

  ┊ agent Explore · a3 · 1 message · not started by any call
    here · see --full
[EOF]
"#,
    );
}

#[test]
fn pictures_and_documents_are_a_line_each() {
    let source = |kind: &str| {
        format!(r#""source":{{"type":"base64","media_type":"{kind}","data":"{}"}}"#, "A".repeat(4000))
    };
    let document = format!(
        r#"[{{"type":"text","text":"PDF file read: /w/a.pdf (99 bytes), pages 2-3 of 30"}},{{"type":"document",{}}}]"#,
        source("application/pdf")
    );
    let picture =
        format!(r#"[{{"type":"image",{}}},{{"type":"text","text":"scaled"}}]"#, source("image/png"));
    let session = Session::new()
        .prompt("go")
        .call("t1", "Read", r#"{"file_path":"/w/a.pdf","pages":"2-3"}"#)
        .result_of(
            "t1",
            &document,
            r#"{"type":"pdf","file":{"filePath":"/w/a.pdf","base64":"","originalSize":99}}"#,
        )
        .call("t2", "Read", r#"{"file_path":"/w/a.png"}"#)
        .result_of(
            "t2",
            &picture,
            r#"{"type":"image","file":{"base64":"AAAA","type":"image/png","originalSize":99}}"#,
        );
    let page = page(&session, &RenderOptions { output_lines: 5, ..RenderOptions::plain(60) });
    assert!(page.contains("pages 2-3 of 30") && page.contains("document application/pdf 3.0 KB"), "{page}");
    assert!(page.contains("image image/png 3 B") && !page.contains("AAAA"), "{page}");
}
