//! The menus above the input: slash commands and what `@` can mention, matched as one types.

use super::area::TextArea;
use super::buffer::Position;
use super::completions::{CommandEntry, Completions, MentionEntry, MentionKind};
use crate::list::fuzzy::matches;

/// Rows of a menu; more can be reached with the arrows.
pub(super) const MAX_MENU_ROWS: usize = 5;
/// More matches are not offered.
const MAX_MATCHES: usize = 50;
/// The score of a name that begins with what was typed.
const BEGINS: i64 = 1_000;
/// Longer words are not completed.
const MAX_WORD_BYTES: usize = 512;

/// An open menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Menu {
    pub(super) items: Vec<MenuItem>,
    pub(super) selected: usize,
    /// Where the completed word begins.
    pub(super) start: Position,
}

/// A line of a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MenuItem {
    Command(CommandEntry),
    Mention(MentionEntry),
}

/// The word before the cursor that can be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Command(String),
    Mention(String),
}

impl Menu {
    /// Returns the menu for what is before the cursor; `None` if there is nothing to complete.
    pub(super) fn of(area: &TextArea, completions: &dyn Completions) -> Option<Self> {
        let (start, word) = word_before_cursor(area)?;
        let items = match word {
            Word::Command(name) => {
                let entries = completions.commands();
                best(entries, &name, |entry| &entry.name).into_iter().map(MenuItem::Command).collect()
            }
            Word::Mention(name) => {
                let entries = completions.mentions(&name);
                let found = best(entries.iter(), &name, |entry| &entry.name);
                found.into_iter().map(|entry| MenuItem::Mention(entry.clone())).collect()
            }
        };
        let menu = Self { items, selected: 0, start };
        (!menu.items.is_empty()).then_some(menu)
    }

    pub(super) fn select_next(&mut self) {
        self.selected = (self.selected + 1) % self.items.len().max(1);
    }

    pub(super) fn select_previous(&mut self) {
        self.selected = self.selected.checked_sub(1).unwrap_or(self.items.len().saturating_sub(1));
    }

    /// Returns the items that are shown, each with whether it is selected.
    pub(super) fn visible(&self) -> impl Iterator<Item = (&MenuItem, bool)> {
        let first = self.selected.saturating_sub(MAX_MENU_ROWS - 1);
        let shown = self.items.iter().enumerate().skip(first).take(MAX_MENU_ROWS);
        shown.map(|(at, item)| (item, at == self.selected))
    }
}

impl MenuItem {
    /// Returns what takes the place of the word, and whether a space follows it.
    pub(super) fn completion(&self) -> String {
        match self {
            Self::Command(command) => format!("/{} ", command.name),
            Self::Mention(mention) => {
                let end = if mention.kind == MentionKind::Folder { "" } else { " " };
                match mention.name.contains(char::is_whitespace) {
                    true => format!("@\"{}\"{end}", mention.name),
                    false => format!("@{}{end}", mention.name),
                }
            }
        }
    }
}

/// The entries that match best, those that begin with the word first.
fn best<T>(entries: impl IntoIterator<Item = T>, word: &str, name: impl Fn(&T) -> &String) -> Vec<T> {
    let scored = entries.into_iter().filter_map(|entry| {
        let found = matches(word, name(&entry))?.score;
        let bonus = if name(&entry).starts_with(word) { BEGINS } else { 0 };
        let length = i64::try_from(name(&entry).len()).unwrap_or(i64::MAX);
        // Of equal matches, the shorter name is nearer to what was typed.
        Some((found + bonus, if word.is_empty() { 0 } else { length }, entry))
    });
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by_key(|(score, length, _)| (std::cmp::Reverse(*score), *length));
    scored.into_iter().take(MAX_MATCHES).map(|(_, _, entry)| entry).collect()
}

/// A command begins the text; a mention begins a word.
fn word_before_cursor(area: &TextArea) -> Option<(Position, Word)> {
    let at = area.cursor;
    let from = area.buffer.line(at.line).floor_char_boundary(at.byte.saturating_sub(MAX_WORD_BYTES));
    let before = &area.buffer.line(at.line)[from..at.byte];
    if at.line == 0
        && from == 0
        && let Some(name) = before.strip_prefix('/')
        && !name.contains(|letter: char| letter.is_whitespace() || letter == '/')
    {
        return Some((Position::START, Word::Command(name.to_owned())));
    }
    // A quoted mention may have spaces.
    let quoted = before.rfind("@\"").filter(|start| !before[start + 2..].contains('"'));
    let start = quoted.or_else(|| {
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |space| space + before[space..].chars().next().map_or(1, char::len_utf8));
        before[start..].starts_with('@').then_some(start)
    })?;
    let is_word_start = before[..start].chars().next_back().is_none_or(char::is_whitespace);
    let is_cut = from > 0 && start == 0;
    let name = before[start + 1..].trim_start_matches('"').to_owned();
    (is_word_start && !is_cut).then(|| (Position::new(at.line, from + start), Word::Mention(name)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    struct Few;

    impl Completions for Few {
        fn commands(&self) -> Vec<CommandEntry> {
            let entry = |name: &str| CommandEntry { name: name.to_owned(), ..CommandEntry::default() };
            ["autocompact", "clear", "compact", "copy"].map(entry).into()
        }

        fn mentions(&self, _: &str) -> Arc<[MentionEntry]> {
            let entry =
                |name: &str, kind| MentionEntry { name: name.to_owned(), kind, description: String::new() };
            let files = ["src/main.rs", "my notes.txt"].map(|name| entry(name, MentionKind::File));
            files.into_iter().chain([entry("src/", MentionKind::Folder)]).collect()
        }
    }

    fn menu(text: &str) -> Option<Vec<String>> {
        let mut area = TextArea::default();
        area.set_text(text);
        Menu::of(&area, &Few).map(|menu| menu.items.iter().map(MenuItem::completion).collect())
    }

    #[test]
    fn commands_match_fuzzily_at_the_start_of_the_text() {
        assert_eq!(menu("/comp").unwrap(), ["/compact ", "/autocompact "]);
        assert_eq!(menu("/cmp").unwrap(), ["/compact ", "/autocompact "]);
        assert_eq!(menu("/").unwrap().len(), 4);
        for none in ["", "x /comp", "/comp act", "/comp/", "a\n/comp", "/zzz"] {
            assert_eq!(menu(none), None, "{none:?}");
        }
    }

    #[test]
    fn mentions_begin_a_word_anywhere() {
        assert_eq!(menu("see @main").unwrap(), ["@src/main.rs "]);
        assert_eq!(menu("a\n@src").unwrap(), ["@src/", "@src/main.rs "]);
        assert_eq!(menu("@\"my no").unwrap(), ["@\"my notes.txt\" "]);
        assert_eq!(menu("日本　@notes").unwrap(), ["@\"my notes.txt\" "]);
        for none in ["mail@main", "@main x", "@\"my notes.txt\"", "@zzz"] {
            assert_eq!(menu(none), None, "{none:?}");
        }
    }
}
