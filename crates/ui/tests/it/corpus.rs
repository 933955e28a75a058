//! Every session file of the corpus, in every format.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_testkit::corpus;
use annals_transcript::graph::{Graph, history};
use annals_transcript::line::lines;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::{Node, Transcript};
use annals_transcript::turn::{Speaker, prompt_text};
use annals_ui::html::{self, HtmlOptions, Markup, PageHeader};
use annals_ui::terminal::{self, RenderOptions};
use annals_ui::view::{BranchDetail, ItemBody, LiveSession, NoteKind};
use annals_ui::{Conversation, TerminalText, ViewOptions, markdown};

/// Words long enough to be somebody's own.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| word.len() > 3)
}

#[test]
fn every_session_is_drawn_in_every_form_and_loses_no_text() {
    let Some(corpus) = corpus::or_skip("every_session_is_drawn_in_every_form_and_loses_no_text") else {
        return;
    };
    let found = corpus.sample();
    assert!(!found.is_empty());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(path) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
            every_form(path);
        }
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
}

fn every_form(path: &Path) {
    let bytes = fs::read(path).unwrap_or_default();
    let transcript = Transcript::parse(&bytes);
    let conversation = Conversation::build(&transcript, &[], ViewOptions::default());
    main_history_is_told(path, &transcript, &conversation);
    forms(path, &conversation);
    let told = Conversation::build(&transcript, &[], ViewOptions { branches: BranchDetail::Full });
    main_history_is_told(path, &transcript, &told);
    terminal::draw(&told, &RenderOptions::plain(80), &mut TerminalText::default());
    let mut live = LiveSession::new();
    let items = lines(&bytes).flat_map(|line| live.add_line(&line).items).collect();
    main_history_is_told(path, &transcript, &Conversation { items });
}

/// Every text of the main history is an item, word for word.
fn main_history_is_told(path: &Path, transcript: &Transcript<'_>, conversation: &Conversation) {
    let graph = Graph::new(transcript);
    let is_end = |node: &Node<'_>| node.is_chain() && node.kind != RecordKind::Progress && !node.is_sidechain;
    let Some(leaf) = transcript.rposition(is_end) else { return };
    let mut told = HashSet::new();
    for item in &conversation.items {
        match &item.body {
            ItemBody::Prompt(prompt) => told.insert(prompt.text.as_str()),
            ItemBody::Text(speech) => told.insert(speech.text.as_str()),
            ItemBody::Failure(failure) => told.insert(failure.message.as_str()),
            _ => false,
        };
    }
    for node in history(transcript, &graph, leaf) {
        let texts: Vec<String> = match transcript.record(node) {
            Record::User(user) if Speaker::of(&user).opens_turn() => vec![prompt_text(&user)],
            Record::Assistant(line) => {
                line.content().blocks().filter_map(|block| block.plain_text()).collect()
            }
            _ => continue,
        };
        for text in texts.iter().filter(|text| !text.trim().is_empty()) {
            let line = transcript.nodes()[node].line;
            assert!(told.contains(text.as_str()), "{path:?} line {line} is not told");
        }
    }
}

fn forms(path: &Path, conversation: &Conversation) {
    let mut wide = TerminalText::default();
    terminal::draw(conversation, &RenderOptions { full: true, ..RenderOptions::plain(100_000) }, &mut wide);
    let wide = wide.as_str();
    assert!(!wide.contains('\u{1b}'), "{path:?}");
    let mut page = TerminalText::default();
    markdown::write(conversation, &mut page);
    for (form, text) in [("terminal", wide), ("markdown", page.as_str())] {
        let seen: HashSet<&str> = words(text).collect();
        for item in &conversation.items {
            let said = match &item.body {
                ItemBody::Prompt(prompt) => &prompt.text,
                ItemBody::Text(speech) => &speech.text,
                ItemBody::Note(note) if note.kind == NoteKind::Client => &note.text,
                _ => continue,
            };
            // Escape sequences and entities are read, not shown.
            if said.contains('\u{1b}') || said.contains('&') || said.contains("]:") {
                continue;
            }
            for word in words(said) {
                assert!(seen.contains(word), "{form} of {path:?} line {} lacks {word:?}", item.position.line);
            }
        }
    }
    for options in [
        RenderOptions::plain(60),
        RenderOptions { unicode: false, ..RenderOptions::plain(30) },
        RenderOptions { full: true, ..RenderOptions::ansi(100) },
    ] {
        let mut out = TerminalText::default();
        terminal::draw(conversation, &options, &mut out);
        let out = out.as_str();
        if options.width == 60 {
            let long = out.lines().find(|line| unicode_width::UnicodeWidthStr::width(*line) > options.width);
            assert_eq!(long, None, "{path:?}");
        }
        let escapes = out.matches('\u{1b}').count();
        let own = out.matches("\u{1b}[").count();
        assert_eq!(escapes, own, "{path:?}");
    }
}

/// Bytes of the style, the script and what else every page has.
const PAGE_FRAME: usize = 12 * 1024;

/// Bytes that a page of many short items may have more.
const PAGE_SLACK: usize = 8 * 1024;

#[test]
fn every_session_is_a_page_hardly_larger_than_its_text() {
    let Some(corpus) = corpus::or_skip("every_session_is_a_page_hardly_larger_than_its_text") else { return };
    let (mut pages, mut texts) = (0, 0);
    for path in corpus.sample() {
        let bytes = fs::read(&path).unwrap_or_default();
        let transcript = Transcript::parse(&bytes);
        let conversation =
            Conversation::build(&transcript, &[], ViewOptions { branches: BranchDetail::Full });
        let mut page = String::new();
        let options = HtmlOptions { markup: Markup::Compact, ..HtmlOptions::default() };
        html::page(&PageHeader::default(), &conversation, &options, &mut page);
        let (body, text) = (page.len(), shown_text(&page));
        assert!(
            body <= text * 13 / 10 + PAGE_FRAME + PAGE_SLACK,
            "{path:?}: {body} bytes for {text} of text"
        );
        (pages, texts) = (pages + body.saturating_sub(PAGE_FRAME), texts + text);
    }
    assert!(pages * 10 <= texts * 13, "{pages} bytes for {texts} of text");
}

#[test]
fn parts_of_a_session_are_the_whole() {
    let Some(corpus) = corpus::or_skip("parts_of_a_session_are_the_whole") else { return };
    let options = ViewOptions { branches: BranchDetail::Full };
    let mut divided = 0;
    for path in corpus.sample() {
        let bytes = fs::read(&path).unwrap_or_default();
        let transcript = Transcript::parse(&bytes);
        let (mut items, mut parts) = (Vec::new(), 0);
        Conversation::build_in_parts(&transcript, &[], options, &mut |part| {
            items.extend(part.items);
            parts += 1;
        });
        assert!(items == Conversation::build(&transcript, &[], options).items, "{path:?}: {parts} parts");
        divided += usize::from(parts > 1);
    }
    assert!(divided > 0, "no session is long enough");
}

/// The bytes of text that a reader sees.
fn shown_text(page: &str) -> usize {
    let (mut text, mut is_code) = (0, false);
    for token in html5gum::Tokenizer::new(page) {
        let Ok(token) = token;
        match token {
            html5gum::Token::StartTag(tag) => is_code = matches!(tag.name.as_slice(), b"style" | b"script"),
            html5gum::Token::EndTag(_) => is_code = false,
            html5gum::Token::String(words) if !is_code => text += words.len(),
            _ => {}
        }
    }
    text
}
