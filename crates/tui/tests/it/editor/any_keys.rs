//! Any keys and pastes: no panic, the cursor inside, nothing wider than the terminal, and undo leads back to the start.

use annals_tui::Key;
use annals_tui::editor::{Editor, EditorAction, EditorMode, HistoryPaste, HistoryPrompt};
use annals_ui::terminal::width;
use proptest::prelude::*;

use super::Offers;

#[derive(Clone, Debug)]
enum Input {
    Key(Key),
    Paste(String),
    View(u16, u16),
}

fn keys() -> impl Strategy<Value = Input> {
    let letters = "[ -~]|[éßд日本語שلا한]|👨‍👩‍👧|\u{301}|\u{200d}|\u{1b}|\t|\u{202e}|🇩|🇪|\u{fe0f}";
    let letter =
        letters.prop_map(|text: String| text.chars().map(|letter| Input::Key(Key::Char(letter))).next());
    let vim = "[hjklwbeWBE0^$gGdcyxXDCSsrpPuiaIAoO.fFtT;,~J\"'(){}2-5]";
    let vim = vim.prop_map(|text: String| text.chars().map(|letter| Input::Key(Key::Char(letter))).next());
    let named = [
        "ctrl-j",
        "alt-enter",
        "left",
        "right",
        "alt-b",
        "alt-f",
        "ctrl-a",
        "ctrl-e",
        "ctrl-home",
        "ctrl-end",
        "up",
        "down",
        "backspace",
        "delete",
        "ctrl-d",
        "ctrl-w",
        "alt-d",
        "ctrl-u",
        "ctrl-k",
        "ctrl-y",
        "alt-y",
        "ctrl-_",
        "alt-_",
        "ctrl-r",
        "ctrl-s",
        "tab",
        "esc",
        "esc",
        "ctrl-g",
        "ctrl-c",
        "pgup",
        "/",
        "@",
        "!",
        "\\",
    ];
    let named =
        prop::sample::select(named.to_vec()).prop_map(|name| Some(Input::Key(Key::from_name(name).unwrap())));
    let pastes =
        ["a\r\nb", "1\n2\n3", "long\n\n\n\ntext", "\u{1b}[2J", "日本\t語", "[Pasted text #1 +2 lines]", ""];
    let pasted = prop::sample::select(pastes.to_vec()).prop_map(|text| Some(Input::Paste(text.to_owned())));
    let view = (1_u16..60, 1_u16..8).prop_map(|(columns, rows)| Some(Input::View(columns, rows)));
    prop_oneof![6 => letter, 4 => vim, 6 => named, 1 => pasted, 2 => view]
        .prop_map(|input| input.unwrap_or(Input::View(20, 3)))
}

fn editor(mode: EditorMode) -> Editor {
    let mut editor = Editor::new(mode);
    editor.set_completions(Box::new(Offers));
    let prompt = |display: &str, pastes| HistoryPrompt {
        display: display.to_owned(),
        project: "/w".to_owned(),
        pastes,
        ..HistoryPrompt::default()
    };
    let paste = (1, HistoryPaste::Text("x\ny\nz".to_owned()));
    let prompts = vec![
        prompt("first\nof\nthree lines", Vec::new()),
        prompt("see [Pasted text #1 +2 lines]", vec![paste]),
        prompt("/compact", Vec::new()),
    ];
    editor.set_history(prompts, "/w", "s");
    editor
}

fn check_view(editor: &Editor, columns: u16, max_rows: u16) {
    let view = editor.view(columns, max_rows);
    assert!(!view.rows.is_empty() && view.rows.len() <= usize::from(max_rows));
    assert!(usize::from(view.cursor.1) < view.rows.len(), "{view:?}");
    // A character of two columns does not fit into one, nor a tab into three.
    if columns >= 4 {
        assert!(view.cursor.0 < columns, "{view:?}");
        for line in view.rows.iter().chain(&view.menu) {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            assert!(width(&text) <= usize::from(columns), "{columns}: {text:?}");
        }
    }
    for line in view.rows.iter().chain(&view.menu) {
        let is_hostile = |letter: char| letter.is_control() || letter == '\u{202e}';
        assert!(line.iter().all(|span| !span.text.contains(is_hostile)), "{line:?}");
    }
    assert!(!view.sign.unwrap_or_default().contains(char::is_control));
}

fn run(mode: EditorMode, inputs: &[Input]) {
    let mut editor = editor(mode);
    for input in inputs {
        match input {
            Input::Key(key) => drop(editor.handle(*key)),
            Input::Paste(text) => drop(editor.paste(text)),
            Input::View(columns, rows) => check_view(&editor, *columns, *rows),
        }
    }
    check_view(&editor, 20, 4);
    // Out of a search, a menu and the normal mode.
    (0..3).for_each(|_| drop(editor.handle(Key::Escape)));
    if mode == EditorMode::Vim {
        editor.handle(Key::Char('i'));
    }
    let end = editor.text();
    let mut undone = 0;
    while editor.handle(Key::Ctrl('_')) != EditorAction::None {
        undone += 1;
        assert!(undone < 10_000);
    }
    check_view(&editor, 20, 4);
    // Stashing and recalling begin with an empty text, too.
    assert_eq!(editor.text(), "", "after {undone} steps from {end:?}");
    for _ in 0..undone {
        editor.handle(Key::Alt('_'));
    }
    assert_eq!(editor.text(), end);
}

#[test]
fn marks_behind_a_chip_are_one_character_with_its_end() {
    let joiners = ["\u{200d}", "\u{200d}", "\u{200d}", "\u{fe0f}"].concat();
    let letters = joiners.chars().map(|letter| Input::Key(Key::Char(letter)));
    let mut inputs = vec![Input::Paste("1\n2\n3".to_owned())];
    inputs.extend(letters);
    inputs.extend([
        Input::Paste("long\n\n\n\ntext".to_owned()),
        Input::Key(Key::Char('A')),
        Input::View(20, 4),
    ]);
    for mode in [EditorMode::Standard, EditorMode::Vim] {
        run(mode, &inputs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_the_standard_mode(inputs in prop::collection::vec(keys(), 0..120)) {
        run(EditorMode::Standard, &inputs);
    }

    #[test]
    fn in_the_mode_of_vim(inputs in prop::collection::vec(keys(), 0..120)) {
        run(EditorMode::Vim, &inputs);
    }
}
