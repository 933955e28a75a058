//! Asks before a change. This is the only place that decides whether a command that changes something may go on.
//!
//! A question is asked if a person can see it and answer it: standard input and standard error are terminals. Otherwise
//! `--yes` is the only answer: what happens to be on a pipe is not an answer, and silence is not consent.

use std::io;
use std::path::{Path, PathBuf};

use annals_store::{ConfigDir, Summary};

use crate::args::ConfirmArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::stderr;
use crate::table::one_line;

/// How many sessions a question names.
const MAX_NAMED: usize = 10;

impl Context {
    /// Remembers a session that the command is about: the question names it.
    pub(crate) fn name_session(&self, path: &Path) {
        let mut subjects = self.subjects.borrow_mut();
        if !subjects.iter().any(|known| known == path) {
            subjects.push(path.to_path_buf());
        }
    }

    /// Fails if nobody can confirm: for commands that do costly work before they ask.
    pub(crate) fn check_confirmable(&self, confirm: ConfirmArgs, question: &str) -> Result<(), Fault> {
        if confirm.yes || confirm.dry_run || self.can_prompt {
            return Ok(());
        }
        Err(Fault::usage(format!("cannot ask without a terminal: {question}"))
            .hint("nothing was changed: --yes confirms, --dry-run shows what would change"))
    }

    /// Asks for confirmation, unless `--yes`; names the store and the sessions that the command found. Without a terminal
    /// there is nobody to ask, and the command fails.
    pub(crate) fn confirms(&mut self, confirm: ConfirmArgs, question: &str) -> Result<bool, Fault> {
        self.check_confirmable(confirm, question)?;
        if confirm.yes {
            return Ok(true);
        }
        self.out.flush()?;
        for line in self.subject_lines() {
            stderr::say(line);
        }
        stderr::ask(format!("{question} [y/N]"))?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        let is_yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
        if !is_yes {
            self.say("nothing was changed");
        }
        Ok(is_yes)
    }

    /// Whether a person can answer a question.
    pub(crate) fn can_prompt(&self) -> bool {
        self.can_prompt
    }

    /// Names the store and the sessions, one a line.
    pub(crate) fn subject_lines(&self) -> Vec<String> {
        let subjects = self.subjects.borrow();
        let mut stores: Vec<PathBuf> = subjects.iter().map(|path| store_of(path)).collect();
        stores.dedup();
        if stores.is_empty() {
            stores.push(self.store.config_dir().path().to_path_buf());
        }
        let mut lines: Vec<String> =
            stores.iter().map(|store| format!("store    {}", one_line(&store.to_string_lossy()))).collect();
        lines.extend(subjects.iter().take(MAX_NAMED).map(|path| session_line(path)));
        if subjects.len() > MAX_NAMED {
            lines.push(format!("         and {} more", subjects.len() - MAX_NAMED));
        }
        lines
    }
}

/// The config dir of a session; for a file outside any store, its folder.
fn store_of(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = || path.parent().unwrap_or(&path).to_path_buf();
    ConfigDir::containing(&path).map_or_else(folder, |config| config.path().to_path_buf())
}

/// The id and the title of a session.
fn session_line(path: &Path) -> String {
    let id = path.file_stem().unwrap_or_default().to_string_lossy();
    let title = Summary::read_path(path).ok().and_then(|summary| summary.display_title().map(one_line));
    match title {
        Some(title) => format!("session  {}  {title}", one_line(&id)),
        None => format!("session  {}", one_line(&id)),
    }
}
