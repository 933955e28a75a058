//! The result of a command: its output, or a file if it is too long, and its exit code.

use std::time::Duration;

use annals_store::overflow::{self, MAX_SHELL_OUTPUT};

use super::LimitHit;
use super::background_command::BackgroundCommand;
use super::exit_code::of_one;
use super::group::CommandExit;
use super::output::{OutputFile, clean};
use super::shells::ShellSettings;
use crate::tools::Outcome;
use crate::tools::answer::object;

/// The most bytes of output shown for a failed command.
const MAX_FAILURE_BYTES: usize = 10_000;

/// A command that ended.
pub(super) struct FinishedCommand<'d> {
    pub(super) command: &'d str,
    pub(super) id: &'d str,
    pub(super) ended: CommandExit,
    pub(super) cut: Option<LimitHit>,
    pub(super) time: Duration,
    pub(super) took: Duration,
    /// A note for the model.
    pub(super) note: Option<String>,
}

/// The output, as far as it is shown.
struct OutputText {
    shown: String,
    kept: String,
    file: Option<(String, u64)>,
}

impl FinishedCommand<'_> {
    pub(super) fn outcome(self, output: &OutputFile, settings: &ShellSettings) -> Outcome {
        let exit_code = if self.ended == CommandExit::Code(1) { of_one(self.command) } else { None };
        if self.cut.is_some() || (self.ended != CommandExit::Code(0) && exit_code.is_none()) {
            return self.failure(output);
        }
        let text = self.text(output, settings);
        let kept = object(|kept| {
            kept.string("stdout", &text.kept).string("stderr", self.note.as_deref().unwrap_or(""));
            kept.boolean("interrupted", false).boolean("isImage", false);
            kept.string_if("returnCodeInterpretation", exit_code).boolean("noOutputExpected", false);
            if let Some((path, size)) = &text.file {
                kept.string("persistedOutputPath", path).number("persistedOutputSize", *size);
            }
        });
        let mut shown = text.shown;
        // What exit code 1 means is said in place of an output, not behind one that may say otherwise.
        let meaning = exit_code.filter(|_| shown.is_empty());
        for more in [meaning, self.note.as_deref()].into_iter().flatten().filter(|_| text.file.is_none()) {
            shown = if shown.is_empty() { more.to_owned() } else { format!("{shown}\n{more}") };
        }
        if shown.is_empty() {
            shown = "(The command printed nothing.)".to_owned();
        }
        Outcome::text(shown, kept)
    }

    fn failure(self, output: &OutputFile) -> Outcome {
        let mut said = format!("Exit code {}", self.ended.code());
        match self.cut {
            Some(LimitHit::Time) => {
                said.push_str(&format!("\nCommand timed out after {:.1} seconds", self.time.as_secs_f64()));
            }
            Some(LimitHit::Size) => said.push_str(&format!(
                "\nCommand was stopped after {:.1} seconds: its output of {} bytes is too long",
                self.took.as_secs_f64(),
                output.size()
            )),
            None => {}
        }
        let printed = output.ends(MAX_FAILURE_BYTES);
        let printed = printed.trim_end();
        for more in
            [Some(printed), self.note.as_deref()].into_iter().flatten().filter(|more| !more.is_empty())
        {
            said.push('\n');
            said.push_str(more);
        }
        Outcome::failed(said.clone(), &said)
    }

    fn text(&self, output: &OutputFile, settings: &ShellSettings) -> OutputText {
        let (size, max, session) = (output.size(), settings.max_shown, settings.session.as_deref());
        // A character has at most four bytes, and a unit is at most one character.
        let head = clean(&output.part(0, max * 4));
        let fits = size <= (max * 4) as u64 && head.encode_utf16().count() <= max;
        if fits {
            let text = head.trim_end().to_owned();
            return OutputText { shown: text.clone(), kept: text, file: None };
        }
        let kept: String = head.chars().take(max).collect();
        let saved = session.map(|folder| overflow::save_file(folder, self.id, output.path()));
        match saved {
            Some(Ok(saved)) => {
                let path = saved.path.display().to_string();
                // The preview has the raw bytes.
                let shown = clean(saved.preview.as_bytes());
                OutputText { shown, kept, file: Some((path, size)) }
            }
            Some(Err(error)) => {
                let shown = format!("{}\n[The full output could not be saved: {error}]", output.ends(max));
                OutputText { shown, kept, file: None }
            }
            None => OutputText { shown: output.ends(max), kept, file: None },
        }
    }
}

/// A command that continues in the background after its timeout.
pub(super) fn moved_to_background(task: &BackgroundCommand, time: Duration) -> Outcome {
    let (id, printed) = (&task.id, task.printed(MAX_SHELL_OUTPUT));
    let printed = printed.trim_end();
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let kept = object(|kept| {
        kept.string("stdout", printed).string("stderr", "");
        kept.boolean("interrupted", false).boolean("isImage", false).boolean("noOutputExpected", false);
        kept.string("backgroundTaskId", id).number("timedOutAfterMs", millis);
    });
    let said = format!(
        "The command did not finish within {:.1} seconds. It continues in the background with ID: {id}. TaskOutput shows its output, and TaskStop stops it.",
        time.as_secs_f64()
    );
    let shown = if printed.is_empty() { said } else { format!("{said}\nOutput so far:\n{printed}") };
    Outcome::text(shown, kept)
}

/// A command that was started in the background.
pub(super) fn in_background(id: &str) -> Outcome {
    let kept = object(|kept| {
        kept.string("stdout", "")
            .string("stderr", "")
            .boolean("interrupted", false)
            .boolean("isImage", false);
        kept.boolean("noOutputExpected", false).string("backgroundTaskId", id);
    });
    Outcome::text(format!("Command running in background with ID: {id}"), kept)
}
