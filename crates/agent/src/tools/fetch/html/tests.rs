//! Pages as they are read, and pages that are made to hurt.

use std::time::{Duration, Instant};

use annals_testkit::depth::repetitions;

use super::*;

#[track_caller]
fn becomes(html: &str, markdown: &str) {
    assert_eq!(to_markdown(html), markdown, "{html}");
}

#[test]
fn a_page_is_readable() {
    for (html, markdown) in [
        (
            "<html><head><title>A &amp; x</title></head><body><h1>A  b</h1><p>One\n two</p></body>",
            "Title: A & x\n\n# A b\n\nOne two",
        ),
        ("<p>a <b>b</b>c</p><p>d</p>", "a **b**c\n\nd"),
        ("<ul><li>one</li><li>two <a href='/x'>there</a></li></ul>", "- one\n- two [there](/x)"),
        ("<pre><code>a\n  b &lt;c&gt;</code></pre>end", "```\na\n  b <c>\n```\n\nend"),
        ("use <code>x</code>!", "use `x`!"),
        ("<script>if (a</b) {}</script>x<!-- <p>y --><style>z", "x"),
        ("1 < 2 &amp;&amp; 3 &gt; 2 &#233;&#xe9;&unknown; & end", "1 < 2 && 3 > 2 éé&unknown; & end"),
        ("<a href=\"a>b\" class=x>t</a><a href=javascript:x>u</a>", "[t](a>b)u"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a | b |\nc |"),
        ("<a href=1>one <a href=2>two</a> three</a> <a>four</a>", "[one](1) [two](2) three four"),
        ("<p unclosed", ""),
        ("<div><div><div>deep</div></div></div>", "deep"),
        ("", ""),
    ] {
        becomes(html, markdown);
    }
}

#[test]
fn links_lead_where_they_led() {
    becomes("<a href=jobs.html>jobs</a> <a href='Journal/1'>j</a>", "[jobs](jobs.html) [j](Journal/1)");
    for dead in
        ["javascript:x()", " JavaScript:x", "java\nscript:x", "#top", "", "data:text/html,x", "vbscript:x"]
    {
        becomes(&format!("<a href=\"{dead}\">t</a>"), "t");
    }
    becomes("<a href='a (b)'>t</a>", "[t](a%20%28b%29)");
    becomes("<a href=u> <h2>A card</h2><p>and its text</p></a>after", "## [A card and its text](u)\n\nafter");
    becomes("<a href=u></a><a href=v><img src=i alt='An  image'></a>", "[![An image](i)](v)");
    becomes("<img src=x><img alt='' src=x>y<img src='data:image/png;base64,xx' alt=z>", "y![z]()");
}

#[test]
fn letters_are_decoded() {
    becomes("caf&eacute; &nbsp;&rarr; &hearts;&CounterClockwiseContourIntegral; &#128512;", "café → ♥∳ 😀");
    becomes("<a href='?a=1&amp;b=2'>&lt;t&gt;</a>", "[<t>](?a=1&b=2)");
}

#[test]
fn lists_have_numbers_and_levels() {
    becomes("<p>so:<ol><li>one<li>two</ol>end", "so:\n\n1. one\n2. two\n\nend");
    becomes("<ol start=9><li>a</li><li value=12>b</li><li>c</li></ol>", "9. a\n12. b\n13. c");
    let nested = "<ul><li>one<ol><li>in<p>more</p></li><li>side</li></ol></li><li><p>two</p></li></ul>";
    becomes(nested, "- one\n  1. in\n\n     more\n  2. side\n- two");
    becomes("<ul><li><pre>a\nb</pre></li></ul>", "- ```\n  a\n  b\n  ```");
    becomes("<ul><li></li><li>x</li></ul>", "- x");
    becomes("<li>stray</li>", "- stray");
    becomes("<blockquote><p>a</p><ul><li>b</ul></blockquote>c", "> a\n\n> - b\n\nc");
}

#[test]
fn emphasis_hugs_its_words() {
    becomes("a<b> b </b>c <i></i>d <strong><em>e</em> f</strong>", "a **b** c d ***e* f**");
    becomes("<b><b>a</b></b> <b>b<p>c</b>d", "**a** **b**\n\n**c**d");
    becomes("<b>one <i>two</b> three</i>", "**one *two*** *three*");
    becomes("<b><a href=u>x</a> y</b>", "**[x](u) y**");
    becomes("<code><b>x</b></code> <kbd>y</kbd>", "`x` `y`");
    becomes("</b></a></li></ul></pre></blockquote></table>x", "x");
}

#[test]
fn tables_code_and_rules_keep_their_form() {
    let table = "<table><thead><tr><th>a<th>b</tr></thead><tr><td>1</td><td>2</td></tr></table>x";
    becomes(&table.replace("<th>b", "</th><th>b</th>"), "a | b |\n--- | --- |\n1 | 2 |\n\nx");
    becomes("<pre class=x><code class='a language-rust'>\nfn</code></pre>", "```rust\nfn\n```");
    becomes("<pre>a<b>b</b> <a href=u>c</a></pre>", "```\nab c\n```");
    becomes("a<hr>b<br>c", "a\n\n---\n\nb\nc");
    becomes("<pre></pre>x<h2></h2>y", "x\n\ny");
    becomes(
        "<svg><title>t</title><svg></svg>no</svg><svg/>x<noscript>n</noscript><template>t</template>",
        "x",
    );
}

/// Each end of a link once wrote all of the text again.
#[test]
fn links_in_links_take_no_time() {
    let html = format!("{}{}", "<a href=b>x".repeat(300_000), "</a>".repeat(300_000));
    assert_eq!(to_markdown(&html), "[x](b)".repeat(300_000));
}

#[test]
fn depth_and_junk_take_neither_stack_nor_time() {
    let began = Instant::now();
    for tag in
        ["div", "ul", "ol", "li", "blockquote", "b", "a href=x", "pre", "table", "svg", "p", "h1", "code"]
    {
        let name = tag.split(' ').next().unwrap();
        let deep = repetitions(100_000);
        to_markdown(&format!("<{tag}>x").repeat(deep));
        let html = format!("{}x{}", format!("<{tag}>").repeat(deep), format!("</{name}>").repeat(deep));
        assert!(to_markdown(&html).len() < 1000, "{tag}");
    }
    let deep = "<ul><li>".repeat(100_000);
    assert!(to_markdown(&format!("{deep}<pre>{}", "\n".repeat(5 << 20))).len() <= MAX_MARKDOWN + 1000);
    // Five megabytes in all of tags and letters that never end.
    let kinds =
        ["<", "<a ", "<a href=\"", "&", "&#x", "</", "<!--", "<!", "\0", "`<code>", "<b>x</b>", "<p x=1 y=2"];
    for junk in kinds {
        let html = junk.repeat((5 << 20) / kinds.len() / junk.len());
        assert!(to_markdown(&html).len() <= MAX_MARKDOWN + html.len(), "{junk}");
    }
    assert!(began.elapsed() < Duration::from_secs(600), "{:?}", began.elapsed());
}
