//! Which files are collected: four priorities, and extras that must be named.

use std::path::{Path, PathBuf};

use annals_store::agents::is_warm_up_stub;
use annals_store::{Discovery, FileRole, Store};

/// The priority of a file; a selection takes everything up to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Sessions, their titles, and the index of each project.
    P0,
    /// Sub-agents, what is known of them, and workflows.
    P1,
    /// Every prompt: `history.jsonl`, and the long pastes of prompts.
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
    Plans,
    /// Memory files of projects.
    Memory,
    /// Long pastes, which are collected with the prompts; whatever the priority.
    Pastes,
    /// The environment of the shell, as the client saved it.
    ShellSnapshots,
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

/// A file to be collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFile {
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
    pub fn targets(&self, store: &Store, discovery: &Discovery) -> Vec<TargetFile> {
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
            if let Some(meta) = &agent.meta {
                add(meta, FileKind::Record, Priority::P1);
            }
        }
        for file in &discovery.side_files {
            let extra = |extra: Extra| self.extras.contains(&extra);
            match file.role {
                FileRole::SessionsIndex { .. } => add(&file.path, FileKind::Record, Priority::P0),
                FileRole::History => add(&file.path, FileKind::Lines, Priority::P2),
                FileRole::CustomTitleFile { .. } => add(&file.path, FileKind::Record, Priority::P0),
                FileRole::WorkflowJournal { .. } => add(&file.path, FileKind::Lines, Priority::P1),
                FileRole::Workflow { .. } => add(&file.path, workflow_kind(&file.path), Priority::P1),
                FileRole::PasteCache { .. } => {
                    let priority = if extra(Extra::Pastes) { Priority::P0 } else { Priority::P2 };
                    add(&file.path, FileKind::Output, priority);
                }
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
                _ => {}
            }
        }
        if self.extras.contains(&Extra::ShellSnapshots) {
            for file in store.files_in("shell-snapshots") {
                add(&file.path, FileKind::Output, Priority::P0);
            }
        }
        targets.retain(|target| target.priority <= self.up_to);
        targets.sort_by(|left, right| (left.priority, &left.name).cmp(&(right.priority, &right.name)));
        targets
    }
}

/// How a file of a workflow is read: one that grows by lines, or as a whole.
fn workflow_kind(path: &Path) -> FileKind {
    match path.extension() {
        Some(ending) if ending == "jsonl" => FileKind::Lines,
        _ => FileKind::Output,
    }
}
