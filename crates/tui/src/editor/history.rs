//! Earlier prompts: recalled one by one with the arrows, as far as they are of this folder.

/// An earlier prompt, of any project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryPrompt {
    /// The prompt as it was shown, pastes as their marks.
    pub display: String,
    /// Its pastes, each with the number of its mark.
    pub pastes: Vec<(u32, HistoryPaste)>,
    /// The folder in which it was typed.
    pub project: String,
    /// The session; empty if it is not known.
    pub session: String,
}

/// A paste of an earlier prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryPaste {
    /// The text itself.
    Text(String),
    /// The name under which the text is stored.
    Stored(String),
}

/// Earlier prompts, oldest first, and where the person is among them.
#[derive(Clone, Debug, Default)]
pub(super) struct PromptHistory {
    prompts: Vec<HistoryPrompt>,
    /// The folder and the session that are in use.
    project: String,
    session: String,
    /// The prompt that is shown.
    recalled: Option<usize>,
    /// The text from before a prompt was recalled.
    draft: String,
}

impl PromptHistory {
    pub(super) fn new(prompts: Vec<HistoryPrompt>, project: &str, session: &str) -> Self {
        let (project, session) = (project.to_owned(), session.to_owned());
        Self { prompts, project, session, ..Self::default() }
    }

    pub(super) fn set_session(&mut self, session: &str) {
        session.clone_into(&mut self.session);
    }

    /// Adds a prompt of this folder, unless it is the last one.
    pub(super) fn push(&mut self, mut prompt: HistoryPrompt) {
        self.recalled = None;
        prompt.project.clone_from(&self.project);
        prompt.session.clone_from(&self.session);
        let mut here = self.prompts.iter().rev().filter(|known| known.project == self.project);
        if here.next().is_none_or(|last| last.display != prompt.display) {
            self.prompts.push(prompt);
        }
    }

    /// Returns the prompt before the one that is shown, in this folder.
    pub(super) fn older(&mut self, current: &str) -> Option<&HistoryPrompt> {
        let end = self.recalled.unwrap_or(self.prompts.len());
        let is_here = |prompt: &HistoryPrompt| prompt.project == self.project && prompt.display != current;
        let found = self.prompts[..end].iter().rposition(is_here)?;
        if self.recalled.is_none() {
            current.clone_into(&mut self.draft);
        }
        self.recalled = Some(found);
        self.prompts.get(found)
    }

    /// Returns the prompt after the one that is shown; behind the last one, what was typed before.
    pub(super) fn newer(&mut self) -> Option<HistoryPrompt> {
        let start = self.recalled? + 1;
        let is_here = |prompt: &HistoryPrompt| prompt.project == self.project;
        match self.prompts[start..].iter().position(is_here) {
            Some(found) => {
                self.recalled = Some(start + found);
                self.prompts.get(start + found).cloned()
            }
            None => {
                self.recalled = None;
                let display = std::mem::take(&mut self.draft);
                Some(HistoryPrompt { display, ..HistoryPrompt::default() })
            }
        }
    }

    /// Returns whether an earlier prompt is shown.
    pub(super) fn is_recalling(&self) -> bool {
        self.recalled.is_some()
    }

    /// Lets the arrows begin at the newest prompt again.
    pub(super) fn rewind(&mut self) {
        self.recalled = None;
    }

    /// Returns the prompts of a scope, newest first, each text once.
    pub(super) fn in_scope(&self, scope: SearchScope) -> Vec<&HistoryPrompt> {
        let mut seen = std::collections::HashSet::new();
        let is_in = |prompt: &&HistoryPrompt| match scope {
            SearchScope::Everywhere => true,
            SearchScope::Folder => prompt.project == self.project,
            SearchScope::Session => prompt.session == self.session && !self.session.is_empty(),
        };
        let newest = self.prompts.iter().rev().filter(is_in);
        newest.filter(|prompt| seen.insert(prompt.display.as_str())).collect()
    }
}

/// Which earlier prompts are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SearchScope {
    #[default]
    Everywhere,
    Folder,
    Session,
}

impl SearchScope {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Everywhere => Self::Folder,
            Self::Folder => Self::Session,
            Self::Session => Self::Everywhere,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Everywhere => "all projects",
            Self::Folder => "this folder",
            Self::Session => "this session",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(display: &str, project: &str) -> HistoryPrompt {
        HistoryPrompt { display: display.into(), project: project.into(), ..HistoryPrompt::default() }
    }

    fn history() -> PromptHistory {
        PromptHistory::new(vec![prompt("a", "/w"), prompt("x", "/other"), prompt("b", "/w")], "/w", "s")
    }

    #[test]
    fn prompts_of_this_folder_are_recalled_and_the_draft_comes_back() {
        let mut history = history();
        assert_eq!(history.older("draft").map(|found| found.display.as_str()), Some("b"));
        assert_eq!(history.older("b").map(|found| found.display.as_str()), Some("a"));
        assert_eq!(history.older("a"), None);
        assert_eq!(history.newer().map(|found| found.display).as_deref(), Some("b"));
        assert_eq!(history.newer().map(|found| found.display).as_deref(), Some("draft"));
        assert_eq!(history.newer(), None);
    }

    #[test]
    fn scopes_have_each_prompt_once_newest_first() {
        let mut history = history();
        history.push(prompt("c", ""));
        history.push(prompt("c", ""));
        history.push(prompt("a", ""));
        let in_scope = |scope| -> Vec<String> {
            history.in_scope(scope).into_iter().map(|found| found.display.clone()).collect()
        };
        assert_eq!(in_scope(SearchScope::Everywhere), ["a", "c", "b", "x"]);
        assert_eq!(in_scope(SearchScope::Folder), ["a", "c", "b"]);
        assert_eq!(in_scope(SearchScope::Session), ["a", "c"]);
    }
}
