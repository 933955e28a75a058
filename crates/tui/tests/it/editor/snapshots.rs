//! Views at 80, 40 and 20 columns, compared with files in `frames/`. With `ANNALS_BLESS` set, the files are written instead.

use annals_tui::editor::{Editor, EditorMode, HistoryPrompt};

use super::{Offers, press, shown};

#[track_caller]
fn check(name: &str, editor: &Editor) {
    for width in [80, 40, 20] {
        let path = format!("{}/tests/it/frames/editor-{name}-{width}.txt", env!("CARGO_MANIFEST_DIR"));
        let seen = shown(&editor.view(width, 6));
        if std::env::var_os("ANNALS_BLESS").is_some() {
            std::fs::write(path, seen).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(seen == expected, "{name} {width}: the view is\n{seen}--- the file has\n{expected}---");
    }
}

fn editor(mode: EditorMode) -> Editor {
    let mut editor = Editor::new(mode);
    editor.set_completions(Box::new(Offers));
    editor
}

#[test]
fn a_text_of_many_scripts() {
    let mut editor = editor(EditorMode::Standard);
    editor.set_text("Move the tax rates into a table, with one row for each region.\n日本語のタイトルをもう少し短くしてください。\n👨‍👩‍👧 e\u{301} שלום עולם 🇩🇪\u{1b}[2J");
    press(&mut editor, "{up}{left}");
    check("scripts", &editor);
}

#[test]
fn chips_and_a_long_text() {
    let mut editor = editor(EditorMode::Standard);
    press(&mut editor, "see ");
    editor.paste(&"line\n".repeat(12));
    press(&mut editor, "and{ctrl-j}1{ctrl-j}2{ctrl-j}3{ctrl-j}4{ctrl-j}5{up}{up}");
    check("chips", &editor);
}

#[test]
fn menus() {
    let mut commands = editor(EditorMode::Standard);
    press(&mut commands, "/co{down}");
    check("commands", &commands);
    let mut mentions = editor(EditorMode::Standard);
    press(&mut mentions, "ask @");
    check("mentions", &mentions);
}

#[test]
fn a_search_a_shell_line_and_vim() {
    let mut search = editor(EditorMode::Standard);
    let prompt = |display: &str| HistoryPrompt { display: display.to_owned(), ..HistoryPrompt::default() };
    let prompts =
        vec![prompt("fix the cache"), prompt("write a test\nfor the cache\nand run it"), prompt("hello")];
    search.set_history(prompts, "/w", "");
    press(&mut search, "{ctrl-r}cache");
    check("search", &search);
    let mut shell = editor(EditorMode::Standard);
    press(&mut shell, "!git log --oneline --graph --decorate --all");
    check("shell", &shell);
    let mut vim = editor(EditorMode::Vim);
    press(&mut vim, "one two three{esc}b2d");
    check("vim", &vim);
}
