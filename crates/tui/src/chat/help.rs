//! The page of keys: those of the screen and those of the editor, as they are bound.

use annals_ui::terminal::{Span, Style, StyledLine};

use super::keymap::{ChatKeyScope, ChatKeymap};
use crate::editor::EditorKeymap;

const MENUS: [(&str, &str); 3] = [
    ("/", "at the start, lists commands"),
    ("@", "lists files, sub-agents and resources"),
    ("!", "at the start, runs the line in the shell"),
];

/// Returns the lines of the page.
pub(super) fn key_lines(chat: &ChatKeymap, editor: &EditorKeymap) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for scope in ChatKeyScope::ALL {
        if scope != ChatKeyScope::Prompt {
            lines.push(StyledLine::new());
        }
        lines.push(heading(scope.title()));
        lines.extend(chat.bindings(scope).filter_map(|binding| row(&binding.keys, binding.help)));
        if scope == ChatKeyScope::Prompt {
            lines.extend(MENUS.iter().filter_map(|(keys, what)| row(&[(*keys).to_owned()], what)));
            lines.push(StyledLine::new());
            lines.push(heading("text of the prompt"));
            lines.extend(editor.bindings().filter_map(|binding| row(&binding.keys, binding.help)));
        }
    }
    lines
}

fn heading(title: &str) -> StyledLine {
    vec![Span::new(title.to_owned(), Style::BOLD)]
}

/// Keys and what they do; none for what no key does.
fn row(keys: &[String], what: &str) -> Option<StyledLine> {
    let keys = (!keys.is_empty()).then(|| keys.join(", "))?;
    Some(vec![Span::plain(format!("  {keys:<24} ")), Span::dim(what.to_owned())])
}
