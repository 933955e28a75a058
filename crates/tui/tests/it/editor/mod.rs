//! The input editor from outside: any keys, and what is seen at three widths.

mod any_keys;
mod snapshots;

use std::sync::Arc;

use annals_tui::Key;
use annals_tui::editor::{
    CommandEntry, Completions, Editor, EditorAction, EditorView, MentionEntry, MentionKind,
};

/// A few commands and files.
struct Offers;

impl Completions for Offers {
    fn commands(&self) -> Vec<CommandEntry> {
        let all = [
            ("compact", "[FOCUS]", "summarize the conversation to free context"),
            ("autocompact", "", "compact by itself"),
            ("copy", "", "copy the last answer"),
            ("context", "", "show what fills the context window"),
            ("clear", "", "start a new session; this one can be resumed"),
            ("cost", "", "show tokens and cost"),
        ];
        let entry = |(name, hint, description): (&str, &str, &str)| CommandEntry {
            name: name.to_owned(),
            hint: hint.to_owned(),
            description: description.to_owned(),
        };
        all.map(entry).into()
    }

    fn mentions(&self, _: &str) -> Arc<[MentionEntry]> {
        let all = [
            ("src/main.rs", MentionKind::File, ""),
            ("src/", MentionKind::Folder, ""),
            ("agent-reviewer", MentionKind::Agent, "reads code\u{1b}[2J and judges"),
            ("srv:mem://a", MentionKind::Resource, "a resource"),
        ];
        let entry = |(name, kind, description): (&str, MentionKind, &str)| MentionEntry {
            name: name.to_owned(),
            kind,
            description: description.to_owned(),
        };
        all.map(entry).into()
    }
}

/// Presses keys: characters as they are, other keys by their name in braces.
fn press(editor: &mut Editor, keys: &str) {
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let (key, length) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((name, _)) => (Key::from_name(name).unwrap(), name.len() + 2),
            None => (Key::Char(first), first.len_utf8()),
        };
        rest = &rest[length..];
        assert!(!matches!(editor.handle(key), EditorAction::Submit(_)));
    }
}

/// A view as text: menu, rows with the cursor as `▏`, and the footer.
fn shown(view: &EditorView) -> String {
    let mut out = String::new();
    for line in &view.menu {
        let text: String = line.iter().map(|span| span.text.as_str()).collect();
        out.push_str(&format!("menu  {}\n", text.trim_end()));
    }
    for (number, line) in view.rows.iter().enumerate() {
        let text: String = line.iter().map(|span| span.text.as_str()).collect();
        let text =
            if number == usize::from(view.cursor.1) { with_cursor(&text, view.cursor.0) } else { text };
        out.push_str(&format!("text  {}\n", text.trim_end()));
    }
    if let Some(sign) = &view.sign {
        out.push_str(&format!("sign  {sign}\n"));
    }
    out
}

fn with_cursor(text: &str, column: u16) -> String {
    let mut used = 0;
    let mut at = text.len();
    for end in annals_ui::grapheme::ends(text) {
        if used >= usize::from(column) {
            break;
        }
        used = annals_ui::terminal::width(&text[..end]);
        at = end;
    }
    if column == 0 {
        at = 0;
    }
    format!("{}▏{}", &text[..at], &text[at..])
}
