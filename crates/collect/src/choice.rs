//! What is collected: four priorities, and what is left out unless it is asked for.

use std::path::PathBuf;

use annals_store::{Discovery, FileRole};

use crate::item::Form;

/// How much a file matters; a choice takes everything up to one of them.
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

/// What is left out unless it is named: large, or no conversation.
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
}

/// What is collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Everything up to this.
    pub up_to: Priority,
    /// And this.
    pub extras: Vec<Extra>,
}

impl Default for Choice {
    fn default() -> Self {
        Self { up_to: Priority::P3, extras: Vec::new() }
    }
}

/// How secrets are looked for in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Records, one a line.
    Lines,
    /// One JSON value of the client's own.
    Record,
    /// Whatever a tool gave or a person wrote.
    Output,
}

impl Kind {
    /// What its items hold.
    pub fn form(self) -> Form {
        match self {
            Self::Lines => Form::Line,
            Self::Record | Self::Output => Form::File,
        }
    }
}

/// A file to be collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The file.
    pub path: PathBuf,
    /// The same relative to the config dir, with `/` between its parts.
    pub name: String,
    /// How it is read.
    pub kind: Kind,
    /// What comes first.
    pub priority: Priority,
}

impl Choice {
    /// The files of a store that are collected: what matters most comes first.
    pub fn targets(&self, discovery: &Discovery) -> Vec<Target> {
        let root = discovery.config_dir.path();
        let mut targets = Vec::new();
        let mut add = |path: &PathBuf, kind: Kind, priority: Priority| {
            let Ok(relative) = path.strip_prefix(root) else { return };
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            targets.push(Target { path: path.clone(), name: parts.join("/"), kind, priority });
        };
        for session in &discovery.sessions {
            add(&session.path, Kind::Lines, Priority::P0);
        }
        for agent in &discovery.agents {
            add(&agent.path, Kind::Lines, Priority::P1);
        }
        for file in &discovery.side_files {
            let extra = |extra: Extra| self.extras.contains(&extra);
            match file.role {
                FileRole::SessionsIndex { .. } => add(&file.path, Kind::Record, Priority::P0),
                FileRole::History => add(&file.path, Kind::Lines, Priority::P2),
                FileRole::StatsCache => add(&file.path, Kind::Record, Priority::P3),
                // What was asked for by name is never left out by a priority.
                FileRole::ToolResult { .. } if extra(Extra::ToolResults) => {
                    add(&file.path, Kind::Output, Priority::P0);
                }
                FileRole::FileHistory { .. } if extra(Extra::FileHistory) => {
                    add(&file.path, Kind::Output, Priority::P0);
                }
                FileRole::Todos { .. } | FileRole::Task { .. } if extra(Extra::Todos) => {
                    add(&file.path, Kind::Record, Priority::P0);
                }
                FileRole::Plan { .. } if extra(Extra::Plans) => add(&file.path, Kind::Output, Priority::P0),
                _ => {}
            }
        }
        targets.retain(|target| target.priority <= self.up_to);
        targets.sort_by(|left, right| (left.priority, &left.name).cmp(&(right.priority, &right.name)));
        targets
    }
}
