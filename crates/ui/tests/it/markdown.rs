//! Pages in Markdown.

use annals_transcript::transcript::Transcript;
use annals_ui::{AgentThread, Conversation, TerminalText, ViewOptions, markdown};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::session::{Session, quoted};
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
    let mut page = TerminalText::default();
    markdown::write(&Conversation::build(&main, &agents, ViewOptions::default()), &mut page);
    check(
        page.as_str(),
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

/// A page with the text in every place, before a last prompt.
fn page_with(text: &str) -> String {
    let quoted = quoted(text);
    let todos = format!(
        r#"{{"oldTodos":[],"newTodos":[{{"content":{quoted},"status":"pending","activeForm":"a"}}]}}"#
    );
    let agent =
        format!(r#"{{"status":"completed","agentId":"a1","content":[{{"type":"text","text":{quoted}}}]}}"#);
    let session = Session::new()
        .prompt(text)
        .block(&format!(r#"{{"type":"thinking","thinking":{quoted}}}"#))
        .say(text)
        .block(&format!(r#"{{"type":"tool_use","id":"t1","name":{quoted},"input":{{{quoted}:{quoted}}}}}"#))
        .result("t1", text, "{}")
        .call("t2", "TodoWrite", r#"{"todos":[]}"#)
        .result("t2", "ok", &todos)
        .call("t3", "Task", &format!(r#"{{"description":{quoted},"subagent_type":{quoted},"prompt":"p"}}"#))
        .result("t3", "ok", &agent)
        .raw(&format!(r#"{{"type":"pr-link","prNumber":1,"prUrl":{quoted},"prRepository":{quoted}}}"#))
        .raw(&format!(r#"{{"type":{quoted}}}"#))
        .line("system", &format!(r#""subtype":"compact_boundary","compactMetadata":{{"trigger":{quoted}}}"#))
        .line("user", &format!(r#""isCompactSummary":true,"message":{{"content":{quoted}}}"#))
        .say(text)
        .prompt("the last prompt");
    let bytes = session.bytes();
    let mut page = TerminalText::default();
    markdown::write(&Conversation::build(&Transcript::parse(&bytes), &[], ViewOptions::default()), &mut page);
    page.as_str().to_owned()
}

/// Holds that a reader finds the page that we wrote: our tags and no other, a heading for each turn, and the last prompt
/// in a quotation of its own.
fn is_our_page(page: &str, prompts: usize) -> Result<(), String> {
    let github =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM;
    for options in [Options::empty(), github] {
        let (mut headings, mut depth, mut last) = (0, 0, String::new());
        for event in Parser::new_ext(page, options) {
            match &event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    let ours = ["<details><summary>", "</details>", "<sub>", "</sub>"];
                    if !ours.iter().any(|tag| html.trim_start().starts_with(tag)) {
                        return Err(format!("a tag: {html}"));
                    }
                }
                Event::Start(Tag::Image { .. }) => return Err("an image".to_owned()),
                Event::End(TagEnd::Heading(HeadingLevel::H1 | HeadingLevel::H2)) => headings += 1,
                Event::Start(Tag::BlockQuote(_)) if depth == 0 => last.clear(),
                Event::Text(text) => last.push_str(text),
                _ => {}
            }
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        if headings != prompts || last != "the last prompt" {
            return Err(format!("{headings} headings, last {last:?}"));
        }
    }
    Ok(())
}

#[test]
fn no_text_hides_or_forges_the_rest() {
    let texts = [
        "    ```\nx",
        "> ```\n> x",
        "- a\n\n  ~~~\n  x",
        "```\nleft open",
        "<!-- hidden",
        "<style>",
        "<plaintext>",
        "<img src=http://x>",
        "![p](http://x)",
        "</details>\n## You\n\n> the last prompt\n\n<details>",
        "Forged\n===",
        "# Forged",
        "<script>\n\n</script",
        "| a |\n|-|\n| `<b>|` |",
        "\t<b>",
        "plaintext",
        "[a]: <b\n",
    ];
    for text in texts {
        let page = page_with(text);
        assert_eq!(is_our_page(&page, 2), Ok(()), "{text:?}\n{page}");
    }
    assert!(
        is_our_page("## You\n\n> x\n\n<!-- \n\n## You\n\n> the last prompt", 2).is_err(),
        "the check can fail"
    );
}

proptest::proptest! {
    #[test]
    fn any_text_leaves_the_page_ours(text in "([<>!/?`~#=|&;\\[\\]()*_\\\\ \t\n-]|<b|<!--|```|x|y ){0,24}") {
        let page = page_with(&format!("a{text}"));
        proptest::prop_assert_eq!(is_our_page(&page, 2), Ok(()), "{}", page);
    }
}
