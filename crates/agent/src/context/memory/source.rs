//! Where memory files are looked for.

use std::path::{Path, PathBuf};

/// Whose a memory file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// The person's own, for all projects.
    User,
    Project,
    /// The person's own, for this project.
    Local,
}

impl MemoryKind {
    /// Returns the name in records and for hooks.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Project => "Project",
            Self::Local => "Local",
        }
    }
}

/// What is at the path of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceForm {
    File,
    /// A folder of rules.
    Rules,
}

/// Memory that may exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySource {
    /// The path of the file or the folder.
    pub path: PathBuf,
    /// The folder that files must stay in.
    pub within: PathBuf,
    /// The folder that the paths of rules are relative to.
    pub base: PathBuf,
    /// Whose it is.
    pub kind: MemoryKind,
    /// What is at the path.
    pub form: SourceForm,
}

impl MemorySource {
    /// Returns the memory of a folder: `CLAUDE.md`, the one under `.claude`, rules, and the local file.
    pub fn of_folder(folder: &Path) -> [Self; 4] {
        use MemoryKind::{Local, Project};
        let source = |name: &str, kind, form| Self {
            path: folder.join(name),
            within: folder.to_path_buf(),
            base: folder.to_path_buf(),
            kind,
            form,
        };
        [
            source("CLAUDE.md", Project, SourceForm::File),
            source(".claude/CLAUDE.md", Project, SourceForm::File),
            source(".claude/rules", Project, SourceForm::Rules),
            source("CLAUDE.local.md", Local, SourceForm::File),
        ]
    }

    /// Returns the person's own memory in the config dir, for work in this folder.
    pub fn of_person(config: &Path, working: &Path) -> [Self; 2] {
        let source = |name: &str, form| Self {
            path: config.join(name),
            within: config.to_path_buf(),
            base: working.to_path_buf(),
            kind: MemoryKind::User,
            form,
        };
        [source("CLAUDE.md", SourceForm::File), source("rules", SourceForm::Rules)]
    }
}
