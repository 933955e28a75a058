//! Pages in Markdown.

use annals_transcript::transcript::Transcript;
use annals_ui::{AgentThread, Conversation, ViewOptions, markdown};

use crate::session::Session;
use crate::snapshot::check;

#[test]
fn a_conversation_as_markdown() {
    let edit = r#"{"filePath":"/w/a.rs","oldString":"one","newString":"two","structuredPatch":[{"oldStart":9,"oldLines":1,"newStart":9,"newLines":1,"lines":["-one","+two"]}]}"#;
    let long: String = (1..=30).map(|number| format!("line {number}\\n")).collect();
    let session = Session::new()
        .prompt("Fix <b>this</b>:\n\n```\n</details>\n```")
        .block(r#"{"type":"thinking","thinking":"Hm."}"#)
        .say("I will.\n\n```rust\nleft open")
        .call("t1", "Bash", r#"{"command":"ls `x`","description":"List"}"#)
        .result("t1", "ok", r#"{"stdout":"a\n```\nb","stderr":""}"#)
        .call("t2", "Edit", r#"{"file_path":"/w/a.rs","old_string":"one","new_string":"two"}"#)
        .result("t2", "ok", edit)
        .call("t3", "Bash", r#"{"command":"seq 30"}"#)
        .result("t3", "ok", &format!(r#"{{"stdout":"{long}","stderr":""}}"#))
        .call("t4", "Task", r#"{"description":"Look","subagent_type":"Explore","prompt":"find it"}"#)
        .result(
            "t4",
            "found",
            r#"{"status":"completed","agentId":"a1","content":[{"type":"text","text":"Here."}]}"#,
        )
        .raw(r#"{"type":"from-the-future","x":1}"#)
        .say("Done.")
        .after("u13")
        .prompt("again");
    let agent = Session::agent().prompt("find it").say("Here.");
    let (main, one) = (session.bytes(), agent.bytes());
    let (main, one) = (Transcript::parse(&main), Transcript::parse(&one));
    let agents = [AgentThread {
        id: "a1".to_owned(),
        tool_use: Some("t4".to_owned()),
        label: Some("Explore".to_owned()),
        transcript: &one,
    }];
    let mut page = String::new();
    markdown::write(&Conversation::build(&main, &agents, ViewOptions::default()), &mut page);
    check(
        &page,
        r#"
## You, 2026-01-03 15:00 UTC

> Fix \<b>this\</b>:
>
> ```
> </details>
> ```

<details><summary>Thinking</summary>

Hm.

</details>

**Claude** · opus-4-5

I will.

```rust
left open
```

**Bash** `` ls `x` `` · List · 5.0 s

````
a
```
b
````

**Edit** `a.rs` · 5.0 s

```diff
@@ -9,1 +9,1 @@
-one
+two
```

**Bash** `seq 30` · 5.0 s

<details><summary>Output: 30 lines</summary>

```
line 1
line 2
line 3
line 4
line 5
line 6
line 7
line 8
line 9
line 10
line 11
line 12
line 13
line 14
line 15
line 16
line 17
line 18
line 19
line 20
line 21
line 22
line 23
line 24
line 25
line 26
line 27
line 28
line 29
line 30
```

</details>

**Task** `Look` · Explore · 5.0 s

<details><summary>Agent Explore · a1 · 2 messages</summary>

### Asked, 2026-01-03 15:00 UTC

> find it

**Agent** · opus-4-5

Here.

</details>

*Unknown record from-the-future (line 12)* `{"type":"from-the-future","x":1}`

**Claude** · opus-4-5

Done.

<sub>1m 00s · opus-4-5 · 49 tokens · 4 tool calls</sub>

## You, 2026-01-03 15:01 UTC

> again
[EOF]
"#,
    );
}
