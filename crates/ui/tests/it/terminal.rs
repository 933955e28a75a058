//! Pages for a terminal.

use annals_transcript::transcript::Transcript;
use annals_ui::terminal::{Look, Thinking, draw};
use annals_ui::{AgentThread, Conversation, Options};

use crate::session::Session;
use crate::snapshot::check;

fn page(session: &Session, look: &Look<'_>) -> String {
    let bytes = session.bytes();
    let mut page = String::new();
    draw(&Conversation::build(&Transcript::parse(&bytes), &[], Options::default()), look, &mut page);
    page
}

#[test]
fn a_turn_with_markdown_and_thinking() {
    let session = Session::new()
        .prompt("Fix the parser, please.\n\n  It fails on commas.")
        .block(r#"{"type":"thinking","thinking":"Where is the parser?"}"#)
        .say("# Plan\n\nI *will*:\n\n- read `parse.rs`\n- fix **it**\n  1. first\n  2. then\n\n> quoted\n\n```rust\nfn main() {}\n```\n\n| a | number |\n|---|---:|\n| x | 1 |\n| 日本 | 22 |\n\nSee [the docs](http://docs) or <http://a.b>.");
    check(&page(&session, &Look::plain(60)), r#"@1"#);
    check(&page(&session, &Look { thinking: Thinking::Hidden, ..Look::plain(24) }), r#"@2"#);
}

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
    check(&page(&session, &Look { output_lines: 5, ..Look::plain(60) }), r#"@3"#);
    check(&page(&session, &Look { unicode: false, full: true, ..Look::plain(60) }), r#"@4"#);
    assert!(page(&session, &Look { unicode: false, ..Look::plain(60) }).is_ascii());
}

#[test]
fn an_agent_stands_under_its_call() {
    let session = Session::new()
        .prompt("look around")
        .call("t1", "Agent", r#"{"description":"Explore","subagent_type":"Explore","prompt":"find it"}"#)
        .result("t1", "found", r#"{"status":"completed","agentId":"a1","content":[{"type":"text","text":"It is **here**."}]}"#)
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
    let mut out = String::new();
    draw(&Conversation::build(&main, &agents, Options::default()), &Look::plain(60), &mut out);
    check(&out, r#"@5"#);
}

#[test]
fn compaction_branch_failure_and_damage() {
    let session = Session::new()
        .prompt("first")
        .say("One.")
        .prompt("a way that was left")
        .say("Two.")
        .after("u2")
        .prompt("the way that was taken")
        .line("system", r#""subtype":"api_error","error":{"status":529,"error":{"error":{"message":"Overloaded"}}},"retryInMs":4000,"retryAttempt":1,"maxRetries":10"#)
        .line("system", r#""subtype":"api_error","error":{"status":529,"error":{"error":{"message":"Overloaded"}}},"retryInMs":8000,"retryAttempt":2,"maxRetries":10"#)
        .say("Three.")
        .line("attachment", r#""attachment":{"type":"skill_listing","skillCount":3}"#)
        .line("attachment", r#""attachment":{"type":"hook_success","hookName":"PreToolUse:Bash","content":""}"#)
        .line("attachment", r#""attachment":{"type":"queued_command","commandMode":"prompt","prompt":"and this"}"#)
        .raw(r#"{"type":"ai-title","aiTitle":"Ways"}"#)
        .raw(r#"{"type":"from-the-future","x":1}"#)
        .raw(r#"{"type":"user","torn"#)
        .line("system", r#""subtype":"turn_duration","durationMs":65000"#)
        .after("none")
        .line("user", r#""message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}"#)
        .raw(r#"{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"u16","compactMetadata":{"trigger":"auto","preTokens":155000,"postTokens":9000}}"#)
        .after("b")
        .line("user", r#""isCompactSummary":true,"message":{"content":"We did **much**."}"#)
        .prompt("/context")
        .line("user", r#""message":{"content":"<local-command-stdout>12 tokens</local-command-stdout>"}"#)
        .line("user", r#""isMeta":true,"message":{"content":"Base directory for this skill: /x\nand more"}"#)
        .line("user", r#""message":{"content":"<task-notification><summary>Task b1 ended</summary></task-notification>"}"#);
    check(&page(&session, &Look::plain(60)), r#"@6"#);
    let ascii = page(&session, &Look { unicode: false, ..Look::plain(60) });
    assert!(ascii.is_ascii());
    check(&ascii, r#"@7"#);
}

#[test]
fn wide_characters_wrap_by_columns() {
    let session = Session::new().prompt("日本語の文章は空白なしで続きます。🦀🦀🦀 and words").say("**太字**の文章も同じ幅で折り返します。");
    check(&page(&session, &Look::plain(24)), r#"@8"#);
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
    let plain = page(&session, &Look::plain(60));
    assert!(!plain.chars().any(|character| character.is_control() && character != '\n'), "{plain:?}");
    check(&plain, r#"@9"#);
    let ansi = page(&session, &Look::ansi(60));
    let styles = ansi.split('\u{1b}').skip(1);
    for style in styles {
        let codes = style.strip_prefix('[').and_then(|rest| rest.split_once('m')).unwrap().0;
        assert!(codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{style:?}");
    }
}

#[test]
fn colors_are_whole_and_end_on_their_line() {
    let session = Session::new().prompt("hi").say("**bold** and `code`");
    check(&page(&session, &Look::ansi(40)).replace('\u{1b}', "^"), r#"@10"#);
}
