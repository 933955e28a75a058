//! Conversations and pages in HTML.

use annals_transcript::transcript::Transcript;
use annals_ui::html::{self, EmbeddedImages, HtmlOptions, Markup, PageHeader};
use annals_ui::view::{BranchDetail, Detail};
use annals_ui::{AgentThread, Conversation, ViewOptions};

use crate::session::Session;
use crate::snapshot::check;

pub(crate) fn full(transcript: &Transcript<'_>, agents: &[AgentThread<'_>]) -> Conversation {
    Conversation::build(transcript, agents, ViewOptions { branches: BranchDetail::Full })
}

/// A fragment, one element a line.
fn drawn(session: &Session, markup: Markup) -> String {
    let bytes = session.bytes();
    let transcript = Transcript::parse(&bytes);
    let mut out = String::new();
    let images = EmbeddedImages::new(&transcript);
    let options = HtmlOptions { markup, images: &images, ..HtmlOptions::default() };
    html::conversation(&full(&transcript, &[]), &options, &mut out);
    out.replace("<section", "\n<section")
        .replace("<details", "\n<details")
        .replace("<div class=reply", "\n<div class=reply")
        .trim_start()
        .to_owned()
        + "\n"
}

#[test]
fn a_conversation_as_html() {
    let edit = r#"{"filePath":"/w/a.rs","oldString":"one","newString":"two","structuredPatch":[{"oldStart":9,"oldLines":1,"newStart":9,"newLines":1,"lines":[" fn a() {","-one","+two"]}]}"#;
    let read = r#"{"type":"text","file":{"filePath":"/w/a.rs","content":"let a = 1;\n// b","startLine":9,"numLines":2,"totalLines":90}}"#;
    let todos =
        r#"{"newTodos":[{"content":"one","status":"completed"},{"content":"two","status":"in_progress"}]}"#;
    let session = Session::new()
        .prompt("Fix <b>this</b>:\nnow")
        .block(r#"{"type":"thinking","thinking":"Hm."}"#)
        .say("I *will*.\n\n```rust\nlet a = \"b\";\n```\n\n| a | b |\n|---|--:|\n| [x](https://x.y/?a=b&c) | 2 |")
        .call("t1", "Bash", r#"{"command":"ls <x>","description":"List"}"#)
        .failure("t1", "Error: Exit code 2\nno <x>")
        .call("t2", "Edit", r#"{"file_path":"/w/a.rs","old_string":"one","new_string":"two"}"#)
        .result("t2", "ok", edit)
        .call("t3", "Read", r#"{"file_path":"/w/a.rs"}"#)
        .result("t3", "ok", read)
        .call("t4", "TodoWrite", r#"{"todos":[]}"#)
        .result("t4", "ok", todos)
        .call("t5", "mcp__x__y", r#"{"n":1,"text":"a"}"#)
        .result("t5", "found", "null");
    check(
        &drawn(&session, Markup::Full),
        r##"
<section class=prompt id=L1 data-uuid=u1><h2>You<time>2026-01-03 15:00</time></h2><p>Fix &lt;b>this&lt;/b>:
now</section>
<details class=think id=L2 data-uuid=u2><summary>Thinking<time>15:00</time></summary><p>Hm.</details>
<div class=reply id=L3 data-uuid=u3><p class=who>Claude · opus-4-5<time>15:00</time><p>I <i>will</i>.<pre class=code><b>let</b> a = <q>"b"</q>;</pre><table><tr><th>a<th class=right>b<tr><td><a href="https://x.y/?a=b&amp;c" rel="noopener noreferrer nofollow">x</a><td class=right>2</table></div>
<details open class="tool failed" id=L4 data-uuid=u4><summary><b>Bash</b> <code>ls &lt;x></code> <small>List · 5.0 s · exit 2</small><time>15:00</time></summary><div id=L5><pre>Error: Exit code 2
no &lt;x></pre></div></details>
<details open class=tool id=L6 data-uuid=u6><summary><b>Edit</b> <code>a.rs</code> <small>+1 −1 · 5.0 s</small><time>15:00</time></summary><div id=L7><div class=diff tabindex=0><div><pre>9 
</pre><pre><b>fn</b> a() {</pre></div><del><pre>10-
</pre><pre>one</pre></del><ins><pre>10+
</pre><pre>two</pre></ins></div></div></details>
<details open class=tool id=L8 data-uuid=u8><summary><b>Read</b> <code>a.rs</code> <small>5.0 s</small><time>15:00</time></summary><div id=L9><div class=file tabindex=0><pre>9
10
</pre><pre><b>let</b> a = <em>1</em>;
<i>// b</i></pre></div></div></details>
<details open class=tool id=L10 data-uuid=u10><summary><b>TodoWrite</b> <small>5.0 s</small><time>15:00</time></summary><div id=L11><ul class=todos><li class=done>☑ one<li class=now>◐ two <small>in progress</small></ul></div></details>
<details open class=tool id=L12 data-uuid=u12><summary><b>mcp__x__y</b> <code>a</code> <small>5.0 s</small><time>15:01</time></summary><dl><dt>n<dd>1<dt>text<dd>a</dl><div id=L13><pre>found</pre></div></details><p class=end>1m 00s · opus-4-5 · 49 tokens · 5 tool calls</p>
[EOF]
"##,
    );
}

#[test]
fn an_export_has_no_ids_and_each_time_once() {
    let session = Session::new().prompt("one").say("two").say("three");
    check(
        &drawn(&session, Markup::Compact),
        r##"
<section class=prompt id=L1><h2>You<time>2026-01-03 15:00</time></h2><p>one</section>
<div class=reply id=L2><p class=who>Claude · opus-4-5<p>two</div>
<div class=reply id=L3><p>three</div><p class=end>10 s · opus-4-5 · 14 tokens</p>
[EOF]
"##,
    );
}

#[test]
fn sub_agents_have_anchors_of_their_own() {
    let main = Session::new()
        .prompt("go")
        .call("t1", "Task", r#"{"description":"Look","subagent_type":"Explore","prompt":"find it"}"#)
        .result("t1", "found", r#"{"content":[{"type":"text","text":"found"}]}"#)
        .bytes();
    let agent = Session::agent().prompt("find it").say("found").bytes();
    let (main, agent) = (Transcript::parse(&main), Transcript::parse(&agent));
    let thread = AgentThread {
        id: "a/1".to_owned(),
        tool_use: Some("t1".to_owned()),
        label: None,
        transcript: &agent,
    };
    let mut out = String::new();
    html::conversation(&full(&main, &[thread]), &HtmlOptions::default(), &mut out);
    for id in ["id=L1 ", "id=L2 ", "id=L3>", "id=agent-a_1-L1 ", "id=agent-a_1-L2 "] {
        assert_eq!(out.matches(id).count(), 1, "{id} in {out}");
    }
    assert_eq!(out.matches("found").count(), 1, "an answer is shown once: {out}");
}

#[test]
fn images_are_shown_only_if_their_bytes_are_images() {
    let image = |data: &str| {
        format!(r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#)
    };
    let (png, svg) = (image("iVBORw0KGgoAAAANSUhEUgAA"), image("PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"));
    let session = Session::new()
        .line("user", &format!(r#""message":{{"content":[{svg},{png},{{"type":"text","text":"see"}}]}}"#))
        .call("t1", "Read", r#"{"file_path":"/w/a.png"}"#)
        .result_of(
            "t1",
            &format!("[{png}]"),
            r#"{"type":"image","file":{"base64":"iVBORw0KGgoAAAANSUhEUgAA","type":"image/png"}}"#,
        )
        .call("t2", "shot", "{}")
        .result_of("t2", &format!("[{svg},{png}]"), "null");
    let page = drawn(&session, Markup::Full);
    assert_eq!(page.matches("src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA\"").count(), 3, "{page}");
    assert_eq!(page.matches("<img").count(), 3, "{page}");
    assert_eq!(page.matches("<p class=note>[image").count(), 2, "{page}");
}

#[test]
fn less_detail_leaves_out_tools_or_everything_but_prompts() {
    let bytes = Session::new()
        .prompt("ask")
        .say("answer")
        .call("t1", "Bash", r#"{"command":"ls"}"#)
        .result("t1", "a", r#"{"stdout":"listed","stderr":""}"#)
        .bytes();
    let transcript = Transcript::parse(&bytes);
    let shown = |detail: Detail| {
        let mut conversation = full(&transcript, &[]);
        conversation.keep_detail(detail);
        let mut out = String::new();
        html::page(&PageHeader::default(), &conversation, &HtmlOptions::default(), &mut out);
        ["<p>ask", "<p>answer", "listed"].map(|text| out.contains(text))
    };
    assert_eq!(shown(Detail::Full), [true, true, true]);
    assert_eq!(shown(Detail::NoTools), [true, true, false]);
    assert_eq!(shown(Detail::Prompts), [true, false, false]);
}
