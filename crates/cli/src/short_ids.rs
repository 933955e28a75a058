//! Ids as people type them: the shortest prefix that names one session of the store, and at least eight characters. Into pipes
//! and files ids are written whole.

use annals_store::Discovery;

use crate::context::Context;
use crate::vault;

/// Shorter prefixes are hard to tell from words, and will soon name two sessions.
const MIN_SHOWN: usize = 8;

/// The ids of a store.
pub(crate) struct ShortIds {
    /// In order; those of copies in several projects repeat.
    ids: Vec<String>,
    is_whole: bool,
}

impl ShortIds {
    /// From the sessions of the store, and those that only the vault has; whole unless tables are made to fit.
    pub(crate) fn new(discovery: &Discovery, context: &Context) -> Self {
        let mut ids: Vec<String> = discovery.sessions.iter().map(|session| session.key.to_string()).collect();
        ids.extend(vault::deleted_versions(context).into_iter().map(|version| version.session.to_string()));
        Self::of_ids(ids, context)
    }

    /// From ids that are known already.
    pub(crate) fn of_ids(ids: Vec<String>, context: &Context) -> Self {
        Self { is_whole: context.out.table_width.is_none(), ..Self::sorted(ids) }
    }

    fn sorted(mut ids: Vec<String>) -> Self {
        ids.sort_unstable();
        Self { ids, is_whole: false }
    }

    /// Whether several files have this id.
    pub(crate) fn is_repeated(&self, id: &str) -> bool {
        let at = self.ids.partition_point(|other| other.as_str() < id);
        self.ids[at..].iter().take_while(|other| *other == id).count() > 1
    }

    /// The id as a table shows it.
    pub(crate) fn shown(&self, id: &str) -> String {
        if self.is_whole { id.to_owned() } else { self.prefix(id) }
    }

    /// The id as a command names it, as a word of a shell.
    pub(crate) fn argument(&self, id: &str) -> String {
        shell_word(&self.prefix(id))
    }

    /// The shortest prefix that no other session has.
    fn prefix(&self, id: &str) -> String {
        // In a sorted list nobody shares more with it than its neighbours.
        let at = self.ids.partition_point(|other| other.as_str() < id);
        let before = at.checked_sub(1).and_then(|at| self.ids.get(at));
        let after = self.ids[at..].iter().find(|other| *other != id);
        let shared = before.into_iter().chain(after).map(|other| shared_characters(id, other)).max();
        id.chars().take(MIN_SHOWN.max(shared.unwrap_or(0) + 1)).collect()
    }
}

fn shared_characters(left: &str, right: &str) -> usize {
    left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count()
}

/// A text as one word of a shell. File names can hold anything.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '+');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefixes(ids: &[&str]) -> Vec<String> {
        let short = ShortIds::sorted(ids.iter().map(|id| (*id).to_owned()).collect());
        ids.iter().map(|id| short.prefix(id)).collect()
    }

    #[test]
    fn an_id_of_two_files_is_known() {
        let ids = ShortIds::sorted(["b", "a", "b"].map(str::to_owned).to_vec());
        assert!(ids.is_repeated("b") && !ids.is_repeated("a") && !ids.is_repeated("c"));
    }

    #[test]
    fn an_id_is_as_long_as_it_must_be_to_be_unique() {
        assert_eq!(
            prefixes(&["190c5c53-ea31-4c80", "190c5c53-ff00-4c80", "2f3280aa-0000"]),
            ["190c5c53-e", "190c5c53-f", "2f3280aa"]
        );
        assert_eq!(
            prefixes(&["images-inline", "images-input", "images"]),
            ["images-inl", "images-inp", "images"]
        );
        assert_eq!(prefixes(&["éééééééé1", "éééééééé2"]), ["éééééééé1", "éééééééé2"]);
        assert_eq!(prefixes(&["abcdefghij", "abcdefghijk"]), ["abcdefghij", "abcdefghijk"]);
    }

    #[test]
    fn a_name_with_blanks_is_one_word_of_a_shell() {
        assert_eq!(shell_word("190c5c53"), "190c5c53");
        assert_eq!(shell_word("it's $(here)"), r"'it'\''s $(here)'");
    }
}
