//! Restores files of an open session to before a prompt, by the copies that it keeps and those of its commands. Only files
//! change, and `annals undo` reverts that.

use std::ops::ControlFlow;
use std::path::Path;

use annals_agent::tools::bash::Shells;
use annals_agent::tools::patch::structured;
use annals_json::Value;
use annals_store::DataDir;
use annals_store::changes::Change;
use annals_store::journal::{Journal, JournalEntry, Stage};
use annals_store::read::read_file;
use annals_surgery::Session;
use annals_surgery::rewind::{
    FileOutcome, FileRewind, ForeignChanges, RewindOptions, RewindPlan, RewindScope, TurnRef, apply, plan,
};
use annals_ui::terminal::{Color, Span, Style, StyledLine, clip};
use annals_ui::view::{Diff, DiffLine, DiffSign};

use super::rewind::FileRestorer;
use crate::commands::rewind::command_history;
use crate::context::Context;
use crate::words::plural;

/// Files whose text is compared in the preview.
const MAX_DIFFS: usize = 5;
/// Lines of each that are shown.
const MAX_DIFF_LINES: usize = 4;
/// Columns of such a line.
const MAX_LINE: usize = 100;
/// Larger files are not compared.
const MAX_DIFF_BYTES: usize = 256 * 1024;

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
    fn preview(&self, session: &Path, prompt: &str) -> Result<Vec<StyledLine>, String> {
        if let Some(entry) = self.cut_off(session)? {
            let text =
                format!("an earlier rewind was interrupted ({}): restoring files reverts it first", entry.id);
            return Ok(vec![vec![Span::plain(text)]]);
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
        let mut lines: Vec<StyledLine> =
            summary(&rewinding).map(|summary| vec![Span::plain(summary)]).into_iter().collect();
        for (at, file) in different.enumerate() {
            let change = text_change(&rewinding, file);
            let counts = change.as_ref().map(Diff::counts);
            let counts = counts.map(|(added, removed)| format!(" · +{added} −{removed}")).unwrap_or_default();
            lines.push(vec![Span::plain(format!("{}{counts}", line(file)))]);
            lines.extend(change.filter(|_| at < MAX_DIFFS).iter().flat_map(first_changes));
        }
        // What was not recorded is said where something was.
        if rewinding.files.iter().any(|file| file.is_by_command) {
            lines.extend(rewinding.plan.notes.iter().map(|note| vec![Span::plain(note)]));
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

/// How the text of a file will change; `None` if it is not text, or nothing is written.
fn text_change(rewinding: &RewindPlan, file: &FileRewind) -> Option<Diff> {
    let path = file.path.as_deref()?;
    let new = rewinding.plan.changes.iter().find_map(|change| match change {
        Change::Replace { path: place, bytes } | Change::Rewrite { path: place, bytes } if place == path => {
            Some(bytes.to_vec())
        }
        Change::Create { path: place, bytes, .. } if place == path => Some(bytes.to_vec()),
        Change::Discard { path: place } if place == path => Some(Vec::new()),
        _ => None,
    })?;
    let old = if path.is_file() { read_file(path).ok()? } else { Vec::new() };
    let is_small = old.len().max(new.len()) <= MAX_DIFF_BYTES;
    let (old, new) = (String::from_utf8(old).ok()?, String::from_utf8(new).ok()?);
    let patch = is_small.then(|| structured(&old, &new))?;
    Diff::from_patch("", None, Value::parse(&patch).ok()?.items())
}

/// The first lines that change.
fn first_changes(change: &Diff) -> Vec<StyledLine> {
    let lines = change.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.sign != DiffSign::Kept);
    let shown = |line: &DiffLine| {
        let (sign, color) = match line.sign {
            DiffSign::Added => ("+", Color::Green),
            _ => ("-", Color::Red),
        };
        vec![Span::new(format!("    {sign} {}", clip(&line.text, MAX_LINE)), Style::color(color))]
    };
    let count = lines.clone().count();
    let mut all: Vec<StyledLine> = lines.take(MAX_DIFF_LINES).map(shown).collect();
    if count > MAX_DIFF_LINES {
        all.push(vec![Span::dim(format!("    … {} more", count - MAX_DIFF_LINES))]);
    }
    all
}

/// "3 files, 2 changed by commands"; nothing if tools changed them all.
fn summary(rewinding: &RewindPlan) -> Option<String> {
    let files = Some(restored(rewinding).count()).filter(|count| *count > 0)?;
    let by_commands = restored(rewinding).filter(|file| file.is_by_command).count();
    let files = plural(files as u64, "file", "files");
    (by_commands > 0).then(|| format!("{files}, {by_commands} changed by commands"))
}
