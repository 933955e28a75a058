//! Compactions, branches, failures and damage on a page for a terminal.

use annals_ui::terminal::RenderOptions;

use crate::session::Session;
use crate::snapshot::check;
use crate::terminal::page;

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
    check(
        &page(&session, &RenderOptions::plain(60)),
        r#"
▌ you                                       2026-01-03 15:00
▌ first

▌ claude · opus-4-5                                    15:00
▌ One.

  ── 5.0 s · opus-4-5 · 7 tokens

⌥ 1 abandoned branch
  └ a way that was left · line 3, 2 messages

▌ you                                                  15:00
▌ the way that was taken

  ✗ request failed 529 Overloaded · attempt 2 of 10 · again
    in 8.0 s · ×2

▌ claude                                               15:00
▌ Three.

  · skill listing (3 skills), hook PreToolUse:Bash

▌ you · queued while at work                           15:00
▌ and this

  · title Ways
  · unknown record from-the-future (line 13)
    {"type":"from-the-future","x":1}
  · damaged line 14: A line breaks off in the middle of a
    record.
  · damaged line 16: The parent is not in the file: what
    came before may be lost.
  · interrupted Request interrupted by user

━━━ compacted · auto · 155k → 9.0k tokens ━━━━━━━━━━━━━━━━━━
▌ We did much.

  ── 1m 05s · opus-4-5 · 7 tokens

▌ you                                                  15:01
▌ /context
  │ 12 tokens

  · client Base directory for this skill: /… (2 lines)
  · background task Task b1 ended
[EOF]
"#,
    );
    let ascii = page(&session, &RenderOptions { unicode: false, ..RenderOptions::plain(60) });
    assert!(ascii.is_ascii());
    check(
        &ascii,
        r#"
| you                                       2026-01-03 15:00
| first

| claude - opus-4-5                                    15:00
| One.

  -- 5.0 s - opus-4-5 - 7 tokens

Y 1 abandoned branch
  ` a way that was left - line 3, 2 messages

| you                                                  15:00
| the way that was taken

  x request failed 529 Overloaded - attempt 2 of 10 - again
    in 8.0 s - x2

| claude                                               15:00
| Three.

  - skill listing (3 skills), hook PreToolUse:Bash

| you - queued while at work                           15:00
| and this

  - title Ways
  - unknown record from-the-future (line 13)
    {"type":"from-the-future","x":1}
  - damaged line 14: A line breaks off in the middle of a
    record.
  - damaged line 16: The parent is not in the file: what
    came before may be lost.
  - interrupted Request interrupted by user

=== compacted - auto - 155k -> 9.0k tokens =================
| We did much.

  -- 1m 05s - opus-4-5 - 7 tokens

| you                                                  15:01
| /context
  | 12 tokens

  - client Base directory for this skill: /... (2 lines)
  - background task Task b1 ended
[EOF]
"#,
    );
}
