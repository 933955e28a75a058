//! Tests of the editor as a whole: keys in, text and actions out.

use std::sync::Arc;

use super::*;

/// Presses keys: characters as they are, other keys by their name in braces. Returns what was sent.
fn pressed(editor: &mut Editor, keys: &str) -> Vec<Prompt> {
    let mut sent = Vec::new();
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let (key, length) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((name, _)) => (Key::from_name(name).unwrap_or_else(|| panic!("{name}")), name.len() + 2),
            None => (Key::Char(first), first.len_utf8()),
        };
        rest = &rest[length..];
        if let EditorAction::Submit(prompt) = editor.handle(key) {
            sent.push(prompt);
        }
    }
    sent
}

fn texts(sent: Vec<Prompt>) -> Vec<String> {
    sent.into_iter().map(|prompt| prompt.text).collect()
}

struct Offers;

impl Completions for Offers {
    fn commands(&self) -> Vec<CommandEntry> {
        let entry = |name: &str, hint: &str, description: &str| CommandEntry {
            name: name.into(),
            hint: hint.into(),
            description: description.into(),
        };
        vec![
            entry("compact", "[FOCUS]", "summarize the conversation"),
            entry("context", "", "show what fills the context window"),
            entry("clear", "", "start a new session"),
        ]
    }

    fn mentions(&self, _: &str) -> Arc<[MentionEntry]> {
        let entry = |name: &str, kind| MentionEntry { name: name.into(), kind, description: String::new() };
        [entry("src/", MentionKind::Folder), entry("src/lib.rs", MentionKind::File)].into()
    }

    fn stored_paste(&self, name: &str) -> Option<String> {
        (name == "hash").then(|| "from\nthe\ncache".to_owned())
    }

    fn images(&self, pasted: &str) -> Result<Vec<Image>, String> {
        if pasted.ends_with("bad.png") {
            return Err("it is damaged".to_owned());
        }
        let image = |path: &str| Image {
            media_type: "image/png".into(),
            base64: "AA==".into(),
            path: Some(path.to_owned()),
        };
        let is_images = pasted.split(' ').all(|path| path.ends_with(".png"));
        Ok(if is_images { pasted.split(' ').map(image).collect() } else { Vec::new() })
    }
}

fn offering() -> Editor {
    let mut editor = Editor::new(EditorMode::Standard);
    editor.set_completions(Box::new(Offers));
    editor
}

#[test]
fn a_text_is_edited_in_the_usual_ways() {
    let cases = [
        ("hello{enter}", "hello"),
        ("helo{left}l{enter}", "hello"),
        ("ello{home}h{enter}", "hello"),
        ("日本{backspace}本{left}語{enter}", "日語本"),
        ("one two three{ctrl-w}{ctrl-w}x{enter}", "one x"),
        ("one two{alt-b}{ctrl-k}x{enter}", "one x"),
        ("one two{alt-b}{ctrl-u}x{enter}", "xtwo"),
        ("one{ctrl-a}{alt-f}!{enter}", "one!"),
        ("one two{ctrl-a}{alt-d}x{enter}", "x two"),
        ("a\\{enter}b{enter}", "a\nb"),
        ("a{ctrl-j}b{shift-enter}c{alt-enter}d{enter}", "a\nb\nc\nd"),
        ("ab{ctrl-j}cd{up}{left}_{enter}", "a_b\ncd"),
        ("a{ctrl-j}b{up}{ctrl-e}{ctrl-k}{enter}", "ab"),
        ("ab{ctrl-a}{delete}{enter}", "b"),
        ("ab{ctrl-a}{ctrl-d}{enter}", "b"),
        ("👨‍👩‍👧b{home}{right}a{enter}", "👨‍👩‍👧ab"),
        ("a👨‍👩‍👧{left}b{enter}", "ab👨‍👩‍👧"),
        ("ae\u{301}{backspace}b{enter}", "ab"),
        ("🇩🇪b{home}{delete}{enter}", "b"),
        ("שלום{left}x{enter}", "שלוxם"),
        ("one two{ctrl-w}{ctrl-a}{ctrl-y}{enter}", "twoone "),
        ("one two{ctrl-w}{left}{right}{ctrl-w}{ctrl-y}{alt-y}{enter}", "two"),
        ("one two{ctrl-_}three{enter}", "one three"),
        ("one two{ctrl-7}{alt-_}{enter}", "one two"),
        ("ab{ctrl-j}c{ctrl-home}x{ctrl-end}y{enter}", "xab\ncy"),
    ];
    for (keys, expected) in cases {
        let mut editor = Editor::new(EditorMode::Standard);
        assert_eq!(texts(pressed(&mut editor, keys)), [expected], "{keys:?}");
        assert!(editor.is_empty());
    }
}

#[test]
fn what_means_nothing_here_is_handed_back() {
    let mut editor = Editor::new(EditorMode::Standard);
    for key in
        [Key::Escape, Key::Ctrl('c'), Key::Ctrl('d'), Key::BackTab, Key::Tab, Key::Ctrl('t'), Key::PageUp]
    {
        assert_eq!(editor.handle(key), EditorAction::Unhandled(key));
    }
    assert_eq!(editor.handle(Key::Enter), EditorAction::None, "nothing to send");
    assert_eq!(editor.handle(Key::Left), EditorAction::None);
    assert_eq!(editor.handle(Key::Ctrl('g')), EditorAction::OpenExternalEditor);
    for nothing in ["  ", "!", "! "] {
        editor.set_text(nothing);
        assert_eq!((editor.handle(Key::Enter), editor.text().as_str()), (EditorAction::None, nothing));
    }
}

#[test]
fn pastes_are_sent_in_full_and_remembered_as_chips() {
    let mut editor = Editor::new(EditorMode::Standard);
    let long = "line\n".repeat(11) + "line";
    pressed(&mut editor, "see ");
    editor.paste(&long);
    let sent = pressed(&mut editor, " ok{enter}");
    assert_eq!(sent[0].display, "see [Pasted text #1 +11 lines] ok");
    assert_eq!(sent[0].text, format!("see {long} ok"));
    assert_eq!(sent[0].pastes, [(1, long.clone())]);
    pressed(&mut editor, "{up}");
    assert_eq!(editor.text(), format!("see {long} ok"), "the chip still stands for its text");
    pressed(&mut editor, "{left}{left}{left}{backspace}");
    assert_eq!(editor.text(), "see  ok", "a chip is deleted as one character");
}

#[test]
fn images_are_chips_too() {
    let mut editor = offering();
    editor.paste("/tmp/shot.png");
    editor.attach_image(Image { media_type: "image/jpeg".into(), base64: "BB==".into(), path: None });
    let sent = pressed(&mut editor, "{left}{backspace}{right} what?{enter}");
    assert_eq!((sent[0].text.as_str(), sent[0].images.len()), ("[Image #2] what?", 1));
    assert_eq!(sent[0].images[0].1.media_type, "image/jpeg");
}

#[test]
fn images_are_numbered_on_and_a_damaged_one_stays_a_path() {
    let mut editor = offering();
    editor.paste("/tmp/a.png /tmp/b.png");
    let first = pressed(&mut editor, "{enter}");
    assert_eq!(first[0].display, "[Image #1] [Image #2]");
    assert_eq!(first[0].images[1].1.path.as_deref(), Some("/tmp/b.png"));
    editor.paste("a\nb\nc");
    assert_eq!(editor.paste("/tmp/c.png"), None);
    let second = pressed(&mut editor, "{enter}");
    assert_eq!(second[0].display, "[Pasted text #1 +2 lines][Image #3]");
    assert_eq!(second[0].images[0].0, 3);
    editor.take_back(&second);
    assert_eq!(editor.text(), "a\nb\nc[Image #4]");
    editor.set_text("");
    assert_eq!(editor.paste("/tmp/bad.png").as_deref(), Some("it is damaged"));
    assert_eq!(editor.text(), "/tmp/bad.png");
    assert_eq!(editor.handle(Key::Ctrl('v')), EditorAction::PasteImage);
}

#[test]
fn ten_megabytes_are_pasted_and_edited_around() {
    let mut editor = Editor::new(EditorMode::Standard);
    let long = "0123456789abcde\n".repeat(640 * 1024);
    editor.paste(&long);
    pressed(&mut editor, "x{left}{left}y{ctrl-_}{ctrl-_}");
    editor.view(80, 10);
    editor.paste(&long);
    assert_eq!(editor.text().len(), long.len());
    pressed(&mut editor, "x{up}{up}{down}y");
    assert_eq!(editor.view(80, 10).rows.len(), 10);
    let one_line = "wide 日本 ".repeat(800 * 1024);
    editor.set_text(&one_line);
    pressed(&mut editor, "{up}{up}{left}z");
    assert_eq!(editor.view(80, 10).rows.len(), 10);
}

#[test]
fn earlier_prompts_come_back_with_their_pastes_and_the_draft_too() {
    let mut editor = offering();
    let prompt = |display: &str, project: &str| HistoryPrompt {
        display: display.into(),
        project: project.into(),
        ..HistoryPrompt::default()
    };
    let mut pasted = prompt("read [Pasted text #3 +2 lines]", "/w");
    pasted.pastes = vec![(3, HistoryPaste::Stored("hash".into()))];
    editor.set_history(vec![pasted, prompt("/context", "/w"), prompt("other", "/o")], "/w", "");
    pressed(&mut editor, "draft{up}");
    assert_eq!((editor.text().as_str(), editor.menu.is_none()), ("/context", true));
    pressed(&mut editor, "{up}{up}");
    assert_eq!(editor.text(), "read from\nthe\ncache");
    pressed(&mut editor, "{down}{down}");
    assert_eq!(editor.text(), "draft");
    assert_eq!(editor.handle(Key::Down), EditorAction::None);
    pressed(&mut editor, "{ctrl-r}oth{enter}");
    assert_eq!(editor.text(), "other", "the search begins with all projects");
    pressed(&mut editor, "{ctrl-r}{ctrl-s}read{esc}");
    assert_eq!(editor.text(), "other");
}

#[test]
fn what_is_put_aside_comes_back_after_the_next_prompt_or_by_the_key() {
    let mut editor = Editor::new(EditorMode::Standard);
    editor.paste("1\n2\n3");
    pressed(&mut editor, "later{ctrl-s}");
    assert!(editor.is_empty());
    assert_eq!(texts(pressed(&mut editor, "now{enter}")), ["now"]);
    assert_eq!(editor.text(), "1\n2\n3later");
    pressed(&mut editor, "{ctrl-s}{ctrl-s}");
    assert_eq!(editor.text(), "1\n2\n3later");
    editor.clear();
    assert!(editor.is_empty());
    pressed(&mut editor, "{up}");
    assert_eq!(editor.text(), "1\n2\n3later", "what was cleared can be recalled");
}

#[test]
fn menus_complete_send_and_close() {
    let mut editor = offering();
    assert_eq!(texts(pressed(&mut editor, "/con{enter}")), ["/context"], "no arguments: sent");
    assert_eq!(texts(pressed(&mut editor, "/comp{enter}")), [""; 0], "arguments may follow");
    assert_eq!(editor.text(), "/compact ");
    assert_eq!(texts(pressed(&mut editor, "the tests{enter}")), ["/compact the tests"]);
    assert_eq!(texts(pressed(&mut editor, "/compact{enter}")), ["/compact"], "typed in full: sent");
    pressed(&mut editor, "/c{down}{tab}");
    let second = editor.text();
    assert!(second.ends_with(' ') && second != "/clear ", "{second}");
    editor.set_text("");
    pressed(&mut editor, "/c{esc}");
    assert_eq!((editor.text().as_str(), editor.menu.is_none()), ("/c", true), "the text stays");
    pressed(&mut editor, "o");
    assert!(editor.menu.is_none(), "and the menu of this word stays closed");
    assert_eq!(editor.handle(Key::Escape), EditorAction::Unhandled(Key::Escape));
    editor.set_text("");
    assert_eq!(texts(pressed(&mut editor, "see @sr{tab}{down}{enter}now{enter}")), ["see @src/lib.rs now"]);
}

#[test]
fn a_line_for_the_shell_is_told_from_a_message() {
    let mut editor = Editor::new(EditorMode::Standard);
    let sent = pressed(&mut editor, "! ls -l{enter}a!b{enter}");
    assert_eq!(
        (sent[0].kind, sent[0].text.as_str(), sent[0].display.as_str()),
        (PromptKind::Shell, "ls -l", "! ls -l")
    );
    assert_eq!((sent[1].kind, sent[1].text.as_str()), (PromptKind::Message, "a!b"));
}

#[test]
fn vim_begins_in_insert_and_sends_from_both_modes() {
    let mut editor = Editor::new(EditorMode::Vim);
    assert_eq!(texts(pressed(&mut editor, "one two{esc}bcwthree{enter}")), ["one three"]);
    assert_eq!(texts(pressed(&mut editor, "one{esc}x{enter}")), ["on"]);
    assert_eq!(editor.view(40, 3).sign.as_deref(), Some("-- INSERT --"));
    pressed(&mut editor, "a{esc}2d");
    assert_eq!(editor.view(40, 3).sign.as_deref(), Some("-- NORMAL -- 2d"));
    assert_eq!(editor.handle(Key::Escape), EditorAction::Redraw, "it gives the command up");
    assert_eq!(editor.handle(Key::Escape), EditorAction::Unhandled(Key::Escape));
}

#[test]
fn prompts_come_back_with_their_chips_under_new_numbers() {
    let mut editor = Editor::new(EditorMode::Standard);
    let mut sent = Vec::new();
    for text in ["a\nb\nc", "d\ne\nf\ng"] {
        editor.paste(text);
        sent.extend(pressed(&mut editor, " x{enter}"));
    }
    editor.paste("1\n2\n3");
    editor.take_back(&sent);
    let view = editor.view(80, 9);
    let rows: Vec<String> =
        view.rows.iter().map(|row| row.iter().map(|span| span.text.as_str()).collect()).collect();
    assert_eq!(
        rows,
        ["❯ [Pasted text #2 +2 lines] x", "  [Pasted text #3 +3 lines] x", "  [Pasted text #1 +2 lines]"]
    );
    assert_eq!(editor.text(), "a\nb\nc x\nd\ne\nf\ng x\n1\n2\n3");
    assert_eq!(Prompt::of_line("! ls").line(), "!ls");
    assert_eq!(Prompt::of_line("/exit").line(), "/exit");
}

#[test]
fn enter_sends_a_mention_that_was_typed_in_full() {
    let mut editor = Editor::new(EditorMode::Standard);
    editor.set_completions(Box::new(Offers));
    assert_eq!(texts(pressed(&mut editor, "look @src/lib.rs{enter}")), ["look @src/lib.rs"]);
    assert_eq!(texts(pressed(&mut editor, "look @src/li{enter}")), [""; 0], "that accepts");
    assert_eq!(editor.text(), "look @src/lib.rs ");
    assert_eq!(texts(pressed(&mut editor, "{enter}")), ["look @src/lib.rs "]);
}

#[test]
fn rows_that_are_not_shown_are_told() {
    let mut editor = Editor::new(EditorMode::Standard);
    pressed(&mut editor, "1{ctrl-j}2{ctrl-j}3{ctrl-j}4");
    assert_eq!(editor.view(40, 4).sign, None);
    assert_eq!(editor.view(40, 3).sign.as_deref(), Some("line 4 of 4"));
    pressed(&mut editor, "{ctrl-home}");
    assert_eq!(editor.view(40, 3).sign.as_deref(), Some("line 1 of 4"));
    editor.set_text(&"word ".repeat(30));
    assert_eq!(editor.view(40, 2).sign.as_deref(), Some("… more of the line"));
}
