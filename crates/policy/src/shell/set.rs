//! The variables that a text has surely set at a point of it: not those of a branch that may not run, of a subshell, of a pipeline,
//! of a function. A variable that is not among them has the value that the environment gives it.

use super::parser::{ParseResult, Parser};
use super::word::{Word, WordPart};

/// A part of a text in which all commands run, or none: a branch, a body, a subshell.
pub(super) type Scope = usize;

/// The scope of what another process has set.
const LOST: Scope = Scope::MAX;

/// The variables that are set so far, and where that holds.
#[derive(Clone, Debug)]
pub(super) struct SetNames {
    /// The scope around each scope; the first is the whole text.
    around: Vec<Scope>,
    current: Scope,
    names: Vec<(String, Scope)>,
}

impl Default for SetNames {
    fn default() -> Self {
        Self { around: vec![0], current: 0, names: Vec::new() }
    }
}

impl SetNames {
    /// How many variables have been set: a mark for [`Self::lose`].
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    pub(super) fn current(&self) -> Scope {
        self.current
    }

    /// Sets a variable from here to the end of the current scope.
    pub(super) fn add(&mut self, name: &str) {
        self.names.push((name.to_owned(), self.current));
    }

    /// Whether a variable is surely set here.
    pub(super) fn holds(&self, name: &str) -> bool {
        let mut scope = self.current;
        loop {
            if self.names.iter().any(|(set, within)| *within == scope && set == name) {
                return true;
            }
            if scope == 0 {
                return false;
            }
            scope = self.around[scope];
        }
    }

    /// Forgets what the current scope has set since a mark: it was set by another process.
    pub(super) fn lose(&mut self, mark: usize) {
        let current = self.current;
        for (_, scope) in self.names[mark..].iter_mut().filter(|(_, scope)| *scope == current) {
            *scope = LOST;
        }
    }

    /// Opens a scope within the current one.
    pub(super) fn open(&mut self) -> Scope {
        self.around.push(self.current);
        self.current = self.around.len() - 1;
        self.current
    }

    /// Goes back to a scope around the current one.
    pub(super) fn return_to(&mut self, scope: Scope) {
        self.current = scope;
    }

    /// The names that one scope has set.
    fn of(&self, scope: Scope) -> Vec<String> {
        self.names.iter().filter(|(_, within)| *within == scope).map(|(name, _)| name.clone()).collect()
    }

    /// Sets what every one of these scopes has set: one of them runs.
    pub(super) fn add_common(&mut self, branches: &[Scope]) {
        let Some((first, others)) = branches.split_first() else { return };
        let mut names = self.of(*first);
        names.retain(|name| others.iter().all(|scope| self.of(*scope).contains(name)));
        names.iter().for_each(|name| self.add(name));
    }
}

impl Parser<'_> {
    /// Reads what may not run, or runs in a process of its own; returns its scope.
    pub(super) fn apart<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<(T, Scope)> {
        let before = self.set.current();
        let scope = self.set.open();
        let result = read(self);
        self.set.return_to(before);
        result.map(|value| (value, scope))
    }

    /// Notes that a word takes the value of a variable.
    pub(super) fn uses(&self, word: &mut Word, name: &str) {
        word.variables.push(name.to_owned());
        if !self.set.holds(name) {
            word.unset.push(name.to_owned());
        }
    }
}

/// Whether a loop over these words runs at least once.
pub(super) fn is_some_word(words: &[Word]) -> bool {
    let is_text = |part: &WordPart| match part {
        WordPart::Text(text) => !text.is_empty(),
        part => matches!(part, WordPart::Glob(_) | WordPart::Home),
    };
    words.iter().any(|word| word.is_one() || word.parts.iter().any(is_text))
}
