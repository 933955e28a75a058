//! Restores files of an open session to before a prompt, by the copies that it keeps. Only files change,
//! and `annals undo` reverts that.

use std::ops::ControlFlow;
use std::path::Path;

use annals_surgery::Session;
use annals_surgery::rewind::{
    FileOutcome, ForeignChanges, RewindOptions, RewindPlan, RewindScope, TurnRef, apply, plan,
};

use super::rewind::FileRestorer;
use crate::context::Context;
use crate::words::plural;

/// Restores files from the session's file history.
pub(super) struct CheckpointRestorer<'c>(pub(super) &'c Context);

impl CheckpointRestorer<'_> {
    fn plan(&self, session: &Path, prompt: &str) -> Result<RewindPlan, String> {
        let session = Session::load(session).map_err(|error| error.to_string())?;
        let options = RewindOptions {
            scope: RewindScope::Code,
            foreign: ForeignChanges::Left,
            home: self.0.home.as_deref(),
        };
        let to = TurnRef::Record(prompt.to_owned());
        plan(&session, &[], &to, options, &self.0.source).map_err(|error| error.to_string())
    }
}

impl FileRestorer for CheckpointRestorer<'_> {
    fn preview(&self, session: &Path, prompt: &str) -> Result<Vec<String>, String> {
        let rewinding = self.plan(session, prompt)?;
        let changing = rewinding.files.iter().filter(|file| file.outcome != FileOutcome::Same);
        let line = |file: &annals_surgery::rewind::FileRewind| match file.outcome {
            FileOutcome::Skipped(why) => format!("{}: left unchanged, {}", file.name, why.explanation()),
            outcome => format!("{}: {}", file.name, outcome.name()),
        };
        Ok(changing.map(line).collect())
    }

    fn apply(&self, session: &Path, prompt: &str) -> Result<String, String> {
        let rewinding = self.plan(session, prompt)?;
        let is_changed =
            |outcome: FileOutcome| !matches!(outcome, FileOutcome::Same | FileOutcome::Skipped(_));
        let count = rewinding.files.iter().filter(|file| is_changed(file.outcome)).count();
        if count == 0 {
            return Ok("no files changed".to_owned());
        }
        let data = self.0.data_dir().map_err(|fault| fault.message().to_owned())?;
        let done = apply(&rewinding, &data, &self.0.source, &mut |_| ControlFlow::Continue(()));
        done.map_err(|error| error.to_string())?;
        let files = plural(count as u64, "file", "files");
        Ok(format!("{files} restored; `annals undo` reverts that. Changes made by commands stay"))
    }
}
