//! Whatever a transcript holds, a page stays a page of ours: parsed as a browser does, it has only our elements, attributes
//! and addresses.

use annals_transcript::transcript::Transcript;
use annals_ui::html::{self, EmbeddedImages, HtmlOptions, IndexGroup, IndexRow, PageHeader};
use annals_ui::{AgentThread, highlight};
use html5gum::{Token, Tokenizer};
use proptest::prelude::*;

use crate::html::full;
use crate::session::{Session, quoted};

/// What somebody would try.
const HOSTILE: [&str; 22] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</pre></details></main><iframe src=//evil.example>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "[a](javascript:alert(1)) [b](JAVASCRIPT:x) [c](data:text/html,x) [d](vbscript:x) [e](\u{1}javascript:x)",
    "![i](https://evil.example/x.png) ![j](javascript:x)",
    "<javascript:alert(1)> <https://evil.example/\"onclick=x>",
    "[a]: javascript:alert(1)\n[a]",
    "<style>*{display:none}</style><link rel=stylesheet href=//evil.example>",
    "<!-- <b> --> <![CDATA[x]]> <?php x ?>",
    "&lt;script&gt;&#60;script&#62;&lt;img onerror=x&gt;",
    "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{0}f\u{1b}[31mg\u{7f}\u{2028}",
    "```html\n<script>alert(1)</script>\n```",
    "```\"><script>x</script>\nx",
    "<base href=//evil.example><meta http-equiv=refresh content=0>",
    "../../etc/passwd\\..\\x",
    "<a href=\"jav&#x09;ascript:alert(1)\">x</a>",
    "<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>",
    "\n\n<plaintext>",
    "| <script> |\n|---|\n| <img src=x onerror=y> |",
];

/// Elements that a page may have.
const ELEMENTS: &str = " html meta title style body a header h1 dl dt dd nav details summary ol li main footer script section h2 \
    h3 h4 h5 h6 p div pre b i u q em var ins del code time img small ul table tr td th blockquote br hr ";

/// Attributes that an element may have.
const ATTRIBUTES: &str = " lang charset http-equiv content name class href id data-uuid open tabindex aria-label rel alt src start \
    title ";

fn check(page: &str) {
    let (mut scripts, mut styles) = (0, 0);
    for token in Tokenizer::new(page) {
        let Ok(token) = token;
        let Token::StartTag(tag) = token else { continue };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        assert!(ELEMENTS.contains(&format!(" {name} ")), "<{name}> in {page}");
        scripts += usize::from(name == "script");
        styles += usize::from(name == "style");
        for (key, value) in &tag.attributes {
            let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
            assert!(ATTRIBUTES.contains(&format!(" {key} ")), "{key}={value:?} in <{name}>");
            match (&*name, &*key) {
                ("a", "href") => {
                    let is_own = value.starts_with('#') || value == "a.html";
                    let is_web = ["http:", "https:", "mailto:"]
                        .iter()
                        .any(|scheme| value.to_lowercase().starts_with(scheme));
                    assert!(is_own || is_web, "{value}");
                }
                (_, "src") => assert!(name == "img" && value.starts_with("data:image/"), "{value}"),
                (_, "href") => panic!("<{name} href={value}>"),
                _ => {}
            }
        }
    }
    assert!(scripts <= 1 && styles == 1, "{scripts} scripts, {styles} styles");
    let is_hidden = |c: char| matches!(c, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}');
    assert_eq!(page.find(is_hidden), None);
}

/// The text in every place of a session that a page shows.
fn everywhere(text: &str) -> Session {
    let q = quoted(text);
    let image = format!(r#"{{"type":"image","source":{{"type":"base64","media_type":{q},"data":{q}}}}}"#);
    Session::new()
        .prompt(text)
        .line("user", &format!(r#""message":{{"content":[{image},{{"type":"text","text":{q}}}]}}"#))
        .block(&format!(r#"{{"type":"thinking","thinking":{q}}}"#))
        .say(text)
        .block(&format!(r#"{{"type":{q},"x":{q}}}"#))
        .block(&format!(r#"{{"type":"tool_use","id":"t1","name":{q},"input":{{{q}:{q},"url":{q}}}}}"#))
        .result_of("t1", &format!(r#"[{{"type":"text","text":{q}}},{image}]"#), "null")
        .call("t2", "Bash", &format!(r#"{{"command":{q},"description":{q}}}"#))
        .result("t2", text, &format!(r#"{{"stdout":{q},"stderr":{q},"returnCodeInterpretation":{q}}}"#))
        .call("t3", "Edit", &format!(r#"{{"file_path":{q},"old_string":{q},"new_string":"x"}}"#))
        .result("t3", text, &format!(r#"{{"filePath":{q},"oldString":{q},"newString":"x","structuredPatch":[{{"oldStart":1,"newStart":1,"lines":[{q},"-a","+b"]}}]}}"#))
        .call("t4", "Read", &format!(r#"{{"file_path":{q}}}"#))
        .result("t4", text, &format!(r#"{{"type":"text","file":{{"filePath":{q},"content":{q},"startLine":1}}}}"#))
        .call("t5", "WebFetch", &format!(r#"{{"url":{q},"prompt":{q}}}"#))
        .result("t5", text, &format!(r#"{{"result":{q},"url":{q}}}"#))
        .call("t6", "TodoWrite", &format!(r#"{{"todos":[{{"content":{q},"status":"pending"}}]}}"#))
        .failure("t6", text)
        .call("t7", "AskUserQuestion", "{}")
        .result("t7", text, &format!(r#"{{"questions":[{{"question":{q},"options":[{{"label":{q}}}]}}],"answers":{{{q}:{q}}}}}"#))
        .call("t8", "Glob", &format!(r#"{{"pattern":{q}}}"#))
        .result("t8", text, &format!(r#"{{"filenames":[{q}],"numFiles":1}}"#))
        .call("t9", "ExitPlanMode", &format!(r#"{{"plan":{q}}}"#))
        .result("t9", text, &format!(r#"{{"plan":{q}}}"#))
        .line("system", &format!(r#""subtype":"compact_boundary","compactMetadata":{{"trigger":{q},"preTokens":1}}"#))
        .line("user", &format!(r#""isCompactSummary":true,"message":{{"content":{q}}}"#))
        .line("system", &format!(r#""subtype":{q},"content":{q}"#))
        .line("attachment", &format!(r#""attachment":{{"type":{q},"path":{q}}}"#))
        .after("u1")
        .prompt(text)
        .after("u1")
        .prompt("taken")
        .raw(&format!(r#"{{"type":"pr-link","prNumber":1,"prUrl":{q},"prRepository":{q}}}"#))
        .raw(&format!(r#"{{"type":"custom-title","customTitle":{q}}}"#))
        .raw(&format!(r#"{{"type":{q},"uuid":{q}}}"#))
}

fn page_of(text: &str) -> String {
    let (main, agent) = (everywhere(text).bytes(), Session::agent().prompt(text).say(text).bytes());
    let (main, agent) = (Transcript::parse(&main), Transcript::parse(&agent));
    let thread =
        AgentThread { id: text.to_owned(), tool_use: None, label: Some(text.to_owned()), transcript: &agent };
    let mut images = EmbeddedImages::new(&main);
    images.add_agent(text, &agent);
    let header = PageHeader { title: text.to_owned(), facts: vec![("Project", text.to_owned())] };
    let mut page = String::new();
    html::page(
        &header,
        &full(&main, &[thread]),
        &HtmlOptions { images: &images, ..HtmlOptions::default() },
        &mut page,
    );
    page
}

#[test]
fn nothing_of_a_hostile_session_becomes_markup() {
    for text in HOSTILE {
        check(&page_of(text));
    }
    check(&page_of(&HOSTILE.join("\n\n")));
}

#[test]
fn nothing_of_a_hostile_list_becomes_markup() {
    for text in HOSTILE {
        let [title, id, date, turns, cost] = [text; 5].map(str::to_owned);
        let rows = vec![IndexRow { file: "a.html".to_owned(), title, id, date, turns, cost }];
        let mut page = String::new();
        html::index(text, &[IndexGroup { project: text.to_owned(), rows }], &mut page);
        check(&page);
    }
}

#[test]
fn long_lines_and_deep_nesting_stay_small_and_quick() {
    let began = std::time::Instant::now();
    for text in
        ["x".repeat(5_000_000), "> ".repeat(20_000) + "x", "[".repeat(50_000), "*a **b ".repeat(50_000)]
    {
        let bytes = Session::new().prompt(&text).say(&text).bytes();
        let mut page = String::new();
        html::conversation(&full(&Transcript::parse(&bytes), &[]), &HtmlOptions::default(), &mut page);
        assert!(page.len() < text.len() * 5 + 10_000, "{}", page.len());
    }
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

proptest! {
    #[test]
    fn any_text_stays_text(text in "[a-z<>&\"'`*_\\[\\]()!#|:/=\\-\n \u{202e}\u{0}]{0,60}") {
        check(&page_of(&text));
    }

    #[test]
    fn spans_are_the_code(code in "[a-z0-9\"'`/*#<>\\-\\\\\\[\\]{}@$ ü\n]{0,80}") {
        for language in highlight::Language::all() {
            let spans = highlight::spans(&code, language);
            prop_assert_eq!(spans.iter().map(|span| span.text).collect::<String>(), code.as_str());
            prop_assert!(spans.iter().all(|span| !span.text.is_empty()));
        }
    }
}

#[test]
fn highlighting_takes_linear_time() {
    let time = |code: &str| {
        let began = std::time::Instant::now();
        for language in highlight::Language::all() {
            highlight::spans(code, language);
        }
        began.elapsed()
    };
    for piece in [
        "/*", "\"", "'", "<", "<a ", "r#\"", "a: ", "#", "--[[", "\\", "${", "a-", "`", "{-", "- ", "<!--",
        "'''", "\u{e9}",
    ] {
        let (short, long) = (piece.repeat(4_000), piece.repeat(64_000));
        time(&short);
        let (short, long) = (time(&short), time(&long));
        assert!(
            long < short * 16 * 6 + std::time::Duration::from_millis(400),
            "{piece:?}: {short:?}, then {long:?}"
        );
    }
}
