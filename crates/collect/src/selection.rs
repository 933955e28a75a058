//! Which files are collected: four priorities, and extras that must be named.

use std::path::PathBuf;

use annals_store::agents::is_warm_up_stub;
use annals_store::{Discovery, FileRole};

use crate::item::ItemForm;

/// The priority of a file; a selection takes everything up to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Sessions, and the index of each project.
    P0,
    /// Sub-agents.
    P1,
    /// Every prompt: `history.jsonl`.
    P2,
    /// The client's own statistics.
    P3,
}

/// Files that are collected only if named: large, or not a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extra {
    /// Output that was too large for its line.
    ToolResults,
    /// Copies of files before edits.
    FileHistory,
    /// Todo lists and tasks.
    Todos,
    /// Plans.
    Plans,
    /// Memory files of projects.
    Memory,
    /// Long pastes.
    Pastes,
}

/// Which files are collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The last priority that is collected.
    pub up_to: Priority,
    /// Extras to collect as well.
    pub extras: Vec<Extra>,
}

impl Default for Selection {
    fn default() -> Self {
        Self { up_to: Priority::P3, extras: Vec::new() }
    }
}

/// How secrets are looked for in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Records, one a line.
    Lines,
    /// One JSON value of the client's own.
    Record,
    /// Output of a tool, or text by a person.
    Output,
}

impl FileKind {
    /// What its items hold.
    pub fn form(self) -> ItemForm {
        match self {
            Self::Lines => ItemForm::Line,
            Self::Record | Self::Output => ItemForm::File,
        }
    }
}

/// A file to be collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFile {
    /// The file.
    pub path: PathBuf,
    /// The same relative to the config dir, with `/` between its parts.
    pub name: String,
    /// How it is read.
    pub kind: FileKind,
    /// What comes first.
    pub priority: Priority,
}

impl Selection {
    /// Lists the files of a store to collect, by priority.
    pub fn targets(&self, discovery: &Discovery) -> Vec<TargetFile> {
        let root = discovery.config_dir.path();
        let mut targets = Vec::new();
        let mut add = |path: &PathBuf, kind: FileKind, priority: Priority| {
            let Ok(relative) = path.strip_prefix(root) else { return };
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            targets.push(TargetFile { path: path.clone(), name: parts.join("/"), kind, priority });
        };
        for session in &discovery.sessions {
            add(&session.path, FileKind::Lines, Priority::P0);
        }
        // A stub may still grow, and is sent then.
        for agent in discovery.agents.iter().filter(|agent| !is_warm_up_stub(agent)) {
            add(&agent.path, FileKind::Lines, Priority::P1);
        }
        for file in &discovery.side_files {
            let extra = |extra: Extra| self.extras.contains(&extra);
            match file.role {
                FileRole::SessionsIndex { .. } => add(&file.path, FileKind::Record, Priority::P0),
                FileRole::History => add(&file.path, FileKind::Lines, Priority::P2),
                FileRole::StatsCache => add(&file.path, FileKind::Record, Priority::P3),
                // What was named is never left out by a priority.
                FileRole::ToolResult { .. } if extra(Extra::ToolResults) => {
                    add(&file.path, FileKind::Output, Priority::P0);
                }
                FileRole::FileHistory { .. } if extra(Extra::FileHistory) => {
                    add(&file.path, FileKind::Output, Priority::P0);
                }
                FileRole::Todos { .. } | FileRole::Task { .. } if extra(Extra::Todos) => {
                    add(&file.path, FileKind::Record, Priority::P0);
                }
                FileRole::Plan { .. } if extra(Extra::Plans) => {
                    add(&file.path, FileKind::Output, Priority::P0)
                }
                FileRole::Memory { .. } if extra(Extra::Memory) => {
                    add(&file.path, FileKind::Output, Priority::P0)
                }
                FileRole::PasteCache { .. } if extra(Extra::Pastes) => {
                    add(&file.path, FileKind::Output, Priority::P0)
                }
                _ => {}
            }
        }
        targets.retain(|target| target.priority <= self.up_to);
        targets.sort_by(|left, right| (left.priority, &left.name).cmp(&(right.priority, &right.name)));
        targets
    }
}
