//! What all tools share: the store, the project and the session that they are asked from, the clock.

use std::path::PathBuf;
use std::sync::Arc;

use annals_index::recall::ProjectSlugs;
use annals_index::{Index, IndexError};
use annals_store::source::Source;
use annals_transcript::redact::SecretRules;
use annals_transcript::time::format_millis;
use annals_ui::one_line;

use crate::arguments::Arguments;
use crate::cleaner::TextCleaner;
use crate::error::ToolError;
use crate::page::ResultPage;

/// Finds a copy of a deleted file by its session and its path below the config dir.
pub type CopyFinder<'f> = dyn FnMut(&str, &str) -> Option<PathBuf> + 'f;

/// A question to the index of a store, by the number of that store. It may be asked again if the index was out of date.
pub type IndexQuestion<'q> = dyn FnMut(usize, &Index, &mut CopyFinder<'_>) -> Result<(), IndexError> + 'q;

/// A change that a tool makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEdit<'t> {
    /// Sets the title.
    Rename(&'t str),
    /// Sets the tag.
    Tag(&'t str),
}

/// The stores behind the tools.
pub trait MemoryStore {
    /// Asks the index of each store. The first question of a call brings them up to date, and all others see the same.
    fn ask(&self, question: &mut IndexQuestion<'_>) -> Result<(), String>;

    /// Ends a call of a tool: the indexes are no longer read, so that others can change them.
    fn end_call(&self);

    /// Runs a command of annals (`search`, `show` or `usage`) over a team's sessions, and returns what it printed.
    fn ask_team(&self, command: &[String]) -> Result<Vec<u8>, String>;

    /// Changes a session, and says how to revert that.
    fn edit(&self, session: &str, edit: SessionEdit<'_>) -> Result<String, String>;
}

/// Where the tools are asked from, and what they may show.
#[derive(Debug)]
pub struct MemoryOptions {
    /// The folder of the current project.
    pub project: Option<PathBuf>,
    /// The current session: it is left out of searches, and its compactions are meant unless another is named.
    pub session: Option<String>,
    /// What counts as a secret.
    pub rules: SecretRules,
    /// Clock and random numbers.
    pub source: Arc<dyn Source>,
}

/// The past of an agent.
#[derive(Debug)]
pub struct Memory<S> {
    store: S,
    /// The folder of the current project.
    pub(crate) project: Option<PathBuf>,
    /// The current session.
    pub(crate) session: Option<String>,
    pub(crate) cleaner: TextCleaner,
    source: Arc<dyn Source>,
}

/// The projects of a question, as a filter and in words.
pub(crate) struct ProjectScope {
    /// A part of a path; `None` for all projects.
    pub(crate) name: Option<String>,
    pub(crate) label: String,
}

impl ProjectScope {
    pub(crate) fn all() -> Self {
        Self { name: None, label: "all projects".to_owned() }
    }

    pub(crate) fn slugs(&self, index: &Index) -> Result<ProjectSlugs, IndexError> {
        self.name.as_ref().map_or(Ok(ProjectSlugs::All), |name| index.projects_named(name))
    }
}

impl<S: MemoryStore> Memory<S> {
    /// The past in these stores.
    pub fn new(store: S, options: MemoryOptions) -> Self {
        let MemoryOptions { project, session, rules, source } = options;
        Self { store, project, session, cleaner: TextCleaner::new(rules), source }
    }

    /// Asks the index of each store; an answer for each.
    pub(crate) fn ask<T>(
        &self,
        mut question: impl FnMut(&Index, &mut CopyFinder<'_>) -> Result<T, IndexError>,
    ) -> Result<Vec<T>, ToolError> {
        let mut answers: Vec<Option<T>> = Vec::new();
        let mut ask = |number: usize, index: &Index, copies: &mut CopyFinder<'_>| {
            let answer = question(index, copies)?;
            if answers.len() <= number {
                answers.resize_with(number + 1, || None);
            }
            answers[number] = Some(answer);
            Ok(())
        };
        self.store.ask(&mut ask).map_err(ToolError::Store)?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Ends a call of a tool.
    pub(crate) fn end_call(&self) {
        self.store.end_call();
    }

    pub(crate) fn ask_team(&self, command: &[String]) -> Result<Vec<u8>, ToolError> {
        self.store.ask_team(command).map_err(ToolError::Store)
    }

    pub(crate) fn edit(&self, session: &str, edit: SessionEdit<'_>) -> Result<String, ToolError> {
        self.store.edit(session, edit).map_err(ToolError::Store)
    }

    pub(crate) fn now(&self) -> i64 {
        self.source.now()
    }

    /// Begins a result.
    pub(crate) fn page(&self, heading: &str, max_tokens: usize) -> ResultPage {
        ResultPage::new(heading, max_tokens, self.source.random())
    }

    /// The projects that `project` names: the current one unless it says otherwise.
    pub(crate) fn scope(&self, arguments: &Arguments) -> Result<ProjectScope, ToolError> {
        let named = arguments.text("project")?;
        Ok(match (named.as_deref(), &self.project) {
            (Some("all" | "*"), _) | (None | Some("current"), None) => ProjectScope::all(),
            (None | Some("current"), Some(folder)) => {
                let name = folder.to_string_lossy().into_owned();
                ProjectScope {
                    label: format!("project {}", bounded(&one_line(&name), 120)),
                    name: Some(name),
                }
            }
            (Some(name), _) => {
                let label = format!("projects like {:?}", bounded(&one_line(name), 80));
                ProjectScope { name: Some(name.to_owned()), label }
            }
        })
    }

    /// The one session whose id begins with this text; `current` and `last` are the current one and the newest other.
    pub(crate) fn session_named(&self, name: &str) -> Result<String, ToolError> {
        match (name, &self.session) {
            ("current", Some(session)) => return Ok(session.clone()),
            ("current" | "last", _) => return self.last_session(),
            _ => {}
        }
        let mut found: Vec<String> =
            self.ask(|index, _| index.sessions_with_prefix(name))?.into_iter().flatten().collect();
        found.dedup();
        if let Some(exact) = found.iter().find(|id| *id == name) {
            return Ok(exact.clone());
        }
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] => {
                Err(ToolError::NotFound(format!("no session has the id {:?}", bounded(&one_line(name), 80))))
            }
            several => Err(ToolError::NotFound(format!(
                "{} sessions have ids that begin like this: give more of the id",
                several.len()
            ))),
        }
    }

    /// The session of the current project that was active last, without the current one.
    fn last_session(&self) -> Result<String, ToolError> {
        let folder = self.project.as_ref().map(|folder| folder.to_string_lossy().into_owned());
        let newest = self.ask(|index, _| {
            let slugs = folder.as_ref().map_or(Ok(ProjectSlugs::All), |name| index.projects_named(name))?;
            let sessions = index.recent_sessions(&slugs)?;
            Ok(sessions.into_iter().find(|recent| Some(&recent.session) != self.session.as_ref()))
        })?;
        let newest = newest.into_iter().flatten().max_by_key(|recent| recent.active);
        newest
            .map(|recent| recent.session)
            .ok_or_else(|| ToolError::NotFound("this project has no session yet".to_owned()))
    }
}

/// A moment, to the minute, in UTC.
pub(crate) fn moment(millis: Option<i64>) -> String {
    let text = millis.map(format_millis).unwrap_or_default();
    text.get(..16).map(|text| format!("{}Z", text.replace('T', " "))).unwrap_or_default()
}

/// The first `most` bytes of a text, or fewer.
pub(crate) fn bounded(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most.min(text.len()))]
}

/// An id in a line of ours. File names can hold anything, so letters that no id of a client has are not shown.
pub(crate) fn id_word(id: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    id.chars().take(80).map(|letter| if is_plain(letter) { letter } else { '?' }).collect()
}

/// The command that shows a passage.
pub(crate) fn show_command(session: &str, agent: Option<&str>, line: u64) -> String {
    match agent {
        Some(agent) => format!("annals show agent-{} --around {line}", id_word(agent)),
        None => format!("annals show {} --around {line}", id_word(session)),
    }
}
