//! Restores files of an open session to before a prompt, by the copies that it keeps and those of its commands. Only files
//! change, and `annals undo` reverts that.

use std::ops::ControlFlow;
use std::path::Path;

use annals_agent::tools::bash::Shells;
use annals_store::DataDir;
use annals_store::journal::{Journal, JournalEntry, Stage};
use annals_surgery::Session;
use annals_surgery::rewind::{
    FileOutcome, FileRewind, ForeignChanges, RewindOptions, RewindPlan, RewindScope, TurnRef, apply, plan,
};

use super::rewind::FileRestorer;
use crate::commands::rewind::command_history;
use crate::context::Context;
use crate::words::plural;

/// Restores files from the session's file history, and from the copies of its commands.
pub(super) struct CheckpointRestorer<'c> {
    pub(super) context: &'c Context,
    pub(super) shells: &'c Shells,
}

impl CheckpointRestorer<'_> {
    fn plan(&self, session: &Path, prompt: &str) -> Result<RewindPlan, String> {
        self.shells.record_background();
        let session = Session::load(session).map_err(|error| error.to_string())?;
        let data = self.data()?;
        let commands = command_history(&session, &data).map_err(|fault| fault.message().to_owned())?;
        let options = RewindOptions {
            scope: RewindScope::Code,
            foreign: ForeignChanges::Left,
            home: self.context.home.as_deref(),
            commands: commands.as_ref(),
        };
        let to = TurnRef::Record(prompt.to_owned());
        plan(&session, &[], &to, options, &self.context.source).map_err(|error| error.to_string())
    }
}

impl CheckpointRestorer<'_> {
    fn data(&self) -> Result<DataDir, String> {
        self.context.data_dir().map_err(|fault| fault.message().to_owned())
    }

    /// A rewind of this session that was interrupted, the newest one.
    fn cut_off(&self, session: &Path) -> Result<Option<JournalEntry>, String> {
        let name = session.file_stem().unwrap_or_default().to_string_lossy();
        let what = format!("rewind {name} to turn ");
        let mut entries = Journal::new(&self.data()?).entries().into_iter();
        Ok(entries.find(|entry| entry.what.starts_with(&what)).filter(|entry| entry.stage == Stage::Begun))
    }
}

impl FileRestorer for CheckpointRestorer<'_> {
    fn preview(&self, session: &Path, prompt: &str) -> Result<Vec<String>, String> {
        if let Some(entry) = self.cut_off(session)? {
            let text =
                format!("an earlier rewind was interrupted ({}): restoring files reverts it first", entry.id);
            return Ok(vec![text]);
        }
        let rewinding = self.plan(session, prompt)?;
        let line = |file: &FileRewind| match file.outcome {
            FileOutcome::Skipped(why) => format!("{}: left unchanged, {}", file.name, why.explanation()),
            outcome if file.is_by_command => {
                format!("{}: {}, changed by a command", file.name, outcome.name())
            }
            outcome => format!("{}: {}", file.name, outcome.name()),
        };
        let different = rewinding.files.iter().filter(|file| file.outcome != FileOutcome::Same);
        let mut lines: Vec<String> = summary(&rewinding).into_iter().chain(different.map(line)).collect();
        // What was not recorded is said where something was.
        if rewinding.files.iter().any(|file| file.is_by_command) {
            lines.extend(rewinding.plan.notes.iter().cloned());
        }
        Ok(lines)
    }

    fn apply(&self, session: &Path, prompt: &str) -> Result<String, String> {
        let data = self.data()?;
        if let Some(entry) = self.cut_off(session)? {
            Journal::new(&data).undo(entry).map_err(|error| error.to_string())?;
            // What goes back now has to be seen first.
            return Err("the interrupted rewind was reverted: run /rewind again".to_owned());
        }
        let rewinding = self.plan(session, prompt)?;
        let count = restored(&rewinding).count();
        if count == 0 {
            return Ok("no files changed".to_owned());
        }
        let done = apply(&rewinding, &data, &self.context.source, &mut |_| ControlFlow::Continue(()));
        done.map_err(|error| error.to_string())?;
        let files = plural(count as u64, "file", "files");
        Ok(format!("{files} restored; `annals undo` reverts that"))
    }
}

fn restored(rewinding: &RewindPlan) -> impl Iterator<Item = &FileRewind> {
    let is_changed = |outcome: FileOutcome| !matches!(outcome, FileOutcome::Same | FileOutcome::Skipped(_));
    rewinding.files.iter().filter(move |file| is_changed(file.outcome))
}

/// "3 files, 2 changed by commands"; nothing if tools changed them all.
fn summary(rewinding: &RewindPlan) -> Option<String> {
    let files = Some(restored(rewinding).count()).filter(|count| *count > 0)?;
    let by_commands = restored(rewinding).filter(|file| file.is_by_command).count();
    let files = plural(files as u64, "file", "files");
    (by_commands > 0).then(|| format!("{files}, {by_commands} changed by commands"))
}
