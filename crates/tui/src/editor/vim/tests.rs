//! Tests of the normal mode: keys, and the text with the cursor that they leave.

use crate::editor::{Editor, EditorAction, EditorMode};
use crate::key::Key;

/// Presses keys on a text whose cursor is `|`, in normal mode; returns the text with its cursor.
fn pressed(text: &str, keys: &str) -> String {
    let mut editor = Editor::new(EditorMode::Vim);
    let at = text.find('|').unwrap();
    editor.set_text(&text.replace('|', ""));
    editor.place_cursor_for_tests(at);
    press(&mut editor, "{esc}");
    editor.place_cursor_for_tests(at);
    press(&mut editor, keys);
    let mut shown = editor.text();
    shown.insert(editor.cursor_for_tests(), '|');
    shown
}

fn press(editor: &mut Editor, keys: &str) {
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let (key, length) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((name, _)) if Key::from_name(name).is_some() && name.len() > 1 => {
                (Key::from_name(name).unwrap(), name.len() + 2)
            }
            _ => (Key::Char(first), first.len_utf8()),
        };
        rest = &rest[length..];
        assert!(!matches!(editor.handle(key), EditorAction::Submit(_)), "{keys}");
    }
}

#[track_caller]
fn check(cases: &[(&str, &str, &str)]) {
    let wrong = cases.iter().filter_map(|(text, keys, expected)| {
        let left = pressed(text, keys);
        (left != *expected).then(|| format!("{text:?} {keys} leaves {left:?}, not {expected:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn motions() {
    check(&[
        ("|one two", "w", "one |two"),
        ("|one two", "2w", "one tw|o"),
        ("|a.b c", "w", "a|.b c"),
        ("|a.b c", "W", "a.b |c"),
        ("one tw|o", "b", "one |two"),
        ("a.b| c", "B", "|a.b c"),
        ("|one two", "e", "on|e two"),
        ("|one two", "ee", "one tw|o"),
        ("|a.b c", "E", "a.|b c"),
        ("  on|e", "0", "|  one"),
        ("  on|e", "^", "  |one"),
        ("o|ne", "$", "on|e"),
        ("a\nb\n|c", "gg", "|a\nb\nc"),
        ("|a\nb\nc", "G", "a\nb\n|c"),
        ("|a\nb\nc", "2G", "a\n|b\nc"),
        ("|a,b,c", "f,", "a|,b,c"),
        ("|a,b,c", "2f,", "a,b|,c"),
        ("|a,b,c", "f,;", "a,b|,c"),
        ("|a,b,c", "f,;,", "a|,b,c"),
        ("|a,b,c", "t,", "|a,b,c"),
        ("|ab,c", "t,", "a|b,c"),
        ("a,b,|c", "F,", "a,b|,c"),
        ("a,bc|d", "T,", "a,|bcd"),
        ("|abc", "fz", "|abc"),
        ("|日本語", "l", "日|本語"),
        ("|ab\ncd", "lll", "a|b\ncd"),
        ("ab\n|cd", "h", "ab\n|cd"),
        ("|ab\ncd", "j", "ab\n|cd"),
    ]);
}

#[test]
fn operators() {
    check(&[
        ("|one two", "dw", "|two"),
        ("one |two\nx", "dw", "one| \nx"),
        ("|one two three", "d2w", "|three"),
        ("|one two three", "2dw", "|three"),
        ("o|ne two", "de", "o| two"),
        ("one t|wo", "db", "one |wo"),
        ("o|ne", "d$", "|o"),
        ("on|e", "d0", "|e"),
        ("a\n|b\nc", "dd", "a\n|c"),
        ("a\nb\n|c", "dd", "a\n|b"),
        ("|a", "dd", "|"),
        ("|a\nb\nc", "2dd", "|c"),
        ("|a\nb\nc", "dj", "|c"),
        ("a\nb\n|c", "dk", "|a"),
        ("a\n|b\nc", "dG", "|a"),
        ("a\n|b\nc", "dgg", "|c"),
        ("|a,b", "df,", "|b"),
        ("|a,b", "dt,", "|,b"),
        ("|one two", "cwx{esc}", "|x two"),
        ("|a two", "cwx{esc}", "|x two"),
        ("on|e two", "cwx{esc}", "on|x two"),
        ("a\n|b\nc", "ccx{esc}", "a\n|x\nc"),
        ("o|ne", "Cx{esc}", "o|x"),
        ("o|ne", "D", "|o"),
        ("|one", "x", "|ne"),
        ("|one", "2x", "|e"),
        ("|one", "9x", "|"),
        ("on|e", "X", "o|e"),
        ("|one", "rx", "|xne"),
        ("|one", "2rx", "x|xe"),
        ("|one", "9rx", "|one"),
        ("|aBc", "~~", "Ab|c"),
        ("|a\n  b", "J", "a| b"),
        ("|a\nb\nc", "3J", "a b| c"),
        ("|👨‍👩‍👧b", "x", "|b"),
    ]);
}

#[test]
fn text_objects() {
    check(&[
        ("one t|wo three", "diw", "one | three"),
        ("one t|wo three", "daw", "one |three"),
        ("one t|wo", "daw", "on|e"),
        ("a-|b c", "diW", "| c"),
        ("a-|b c", "daW", "|c"),
        ("x \"a| b\" y", "di\"", "x \"|\" y"),
        ("x \"a| b\" y", "da\"", "x |y"),
        ("|x 'ab' y", "ci'z{esc}", "x '|z' y"),
        ("f(a, |(b))", "di(", "f(a, (|))"),
        ("f(a|, (b))", "di(", "f(|)"),
        ("f(a|, (b))", "da)", "|f"),
        ("f(\na|\n)", "dib", "f(|)"),
        ("{|x}", "ciBy{esc}", "{|y}"),
        ("[|x]", "di]", "[|]"),
        ("<|x>", "da<", "|"),
        ("|x", "di(", "|x"),
    ]);
}

#[test]
fn registers_undo_and_repetition() {
    check(&[
        ("|a b", "dwp", "ba| "),
        ("|a\nb", "yyp", "a\n|a\nb"),
        ("|a\nb", "yyjP", "a\n|a\nb"),
        ("|a\nb", "ddp", "b\n|a"),
        ("|ab", "x2p", "ba|a"),
        ("on|e two", "yiwP", "on|eone two"),
        ("|one two", "ywP", "one| one two"),
        ("|one two three", "dw.", "|three"),
        ("|one two", "cwx{esc}w.", "x |x"),
        ("|a b c", "x.u", "| b c"),
        ("|a b c", "x.uu", "|a b c"),
        ("|one", "xu{ctrl-r}", "|ne"),
        ("|one", "ixy{esc}u", "|one"),
        ("|one", "Axy{esc}", "onex|y"),
        ("  |one", "Ix{esc}", "  |xone"),
        ("|one", "ox{esc}", "one\n|x"),
        ("|one", "Ox{esc}", "|x\none"),
        ("|one", "ax{esc}.", "ox|xne"),
        ("|one", "d{esc}x", "|ne"),
        ("|one", "3{esc}x", "|ne"),
        ("|one", "dzx", "|ne"),
        ("|one two", "cwab{esc}u", "|one two"),
    ]);
}
