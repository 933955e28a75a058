//! Vocabularies and sentence patterns, as data. No logic lives here.
//!
//! A pattern has slots in braces, which [`crate::text::Scribe`] fills: `{noun}`, `{adj}`, `{verb}`, `{verbs}`, `{ing}`, `{past}`,
//! `{file}`, `{func}`, `{type}`, `{field}`, `{num}`, `{small}`, `{ms}`, `{person}`, `{pkg}`, `{area}`, `{sha}`, `{ticket}`.

pub(crate) mod code;
pub(crate) mod common;
pub(crate) mod output;
pub(crate) mod projects;
pub(crate) mod prompts;
pub(crate) mod replies;
pub(crate) mod thoughts;

/// What a project is written in; decides how names are spelt and which code patterns fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    TypeScript,
    Rust,
    Python,
    Shell,
    Go,
}

/// A project of ours that does not exist.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) cwd: &'static str,
    pub(crate) language: Language,
    /// What the project is about.
    pub(crate) nouns: &'static [&'static str],
    /// Folders that hold source.
    pub(crate) folders: &'static [&'static str],
    pub(crate) extension: &'static str,
    pub(crate) branches: &'static [&'static str],
    pub(crate) packages: &'static [&'static str],
    /// Commands with what they are for.
    pub(crate) commands: &'static [(&'static str, &'static str)],
    /// The command that runs the tests.
    pub(crate) test: &'static str,
    pub(crate) repository: &'static str,
}
