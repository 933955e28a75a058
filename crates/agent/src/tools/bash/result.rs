//! What a command that ended says: its output where it fits, a file where it does not, and its code where it matters.

use std::path::Path;
use std::time::Duration;

use annals_store::overflow::{self, MOST_OF_SHELL};

use super::Cut;
use super::group::Ended;
use super::meaning::of_one;
use super::output::{Output, clean};
use super::shells::Task;
use crate::tools::Outcome;
use crate::tools::answer::object;

/// Bytes of the output of a command that failed.
const MOST_OF_A_FAILURE: usize = 10_000;

/// A command that ended.
pub(super) struct Done<'d> {
    pub(super) command: &'d str,
    pub(super) id: &'d str,
    pub(super) ended: Ended,
    pub(super) cut: Option<Cut>,
    pub(super) time: Duration,
    pub(super) took: Duration,
    /// What else is to be said.
    pub(super) note: Option<String>,
}

/// Its output, as far as it is shown.
struct Text {
    shown: String,
    kept: String,
    file: Option<(String, u64)>,
}

impl Done<'_> {
    pub(super) fn outcome(self, output: &Output, session: Option<&Path>) -> Outcome {
        let meaning = if self.ended == Ended::Code(1) { of_one(self.command) } else { None };
        if self.cut.is_some() || (self.ended != Ended::Code(0) && meaning.is_none()) {
            return self.failure(output);
        }
        let text = self.text(output, session);
        let kept = object(|kept| {
            kept.string("stdout", &text.kept).string("stderr", self.note.as_deref().unwrap_or(""));
            kept.boolean("interrupted", false).boolean("isImage", false);
            kept.string_if("returnCodeInterpretation", meaning).boolean("noOutputExpected", false);
            if let Some((path, size)) = &text.file {
                kept.string("persistedOutputPath", path).number("persistedOutputSize", *size);
            }
        });
        let mut shown = text.shown;
        for more in [meaning, self.note.as_deref()].into_iter().flatten().filter(|_| text.file.is_none()) {
            shown = if shown.is_empty() { more.to_owned() } else { format!("{shown}\n{more}") };
        }
        if shown.is_empty() {
            shown = "(The command printed nothing.)".to_owned();
        }
        Outcome::text(shown, kept)
    }

    fn failure(self, output: &Output) -> Outcome {
        let mut said = format!("Exit code {}", self.ended.code());
        match self.cut {
            Some(Cut::Time) => {
                said.push_str(&format!("\nCommand timed out after {:.1} seconds", self.time.as_secs_f64()));
            }
            Some(Cut::Size) => said.push_str(&format!(
                "\nCommand was ended after {:.1} seconds: it printed {} bytes, which is too much",
                self.took.as_secs_f64(),
                output.size()
            )),
            None => {}
        }
        let printed = output.ends(MOST_OF_A_FAILURE);
        let printed = printed.trim_end();
        for more in
            [Some(printed), self.note.as_deref()].into_iter().flatten().filter(|more| !more.is_empty())
        {
            said.push('\n');
            said.push_str(more);
        }
        Outcome::failed(said.clone(), &said)
    }

    fn text(&self, output: &Output, session: Option<&Path>) -> Text {
        let size = output.size();
        // A letter has four bytes at most, and a unit is at most one letter.
        let head = clean(&output.part(0, MOST_OF_SHELL * 4));
        let fits = size <= (MOST_OF_SHELL * 4) as u64 && !overflow::is_too_large(&head);
        if fits {
            let text = head.trim_end().to_owned();
            return Text { shown: text.clone(), kept: text, file: None };
        }
        let kept: String = head.chars().take(MOST_OF_SHELL).collect();
        let saved = session.map(|folder| overflow::keep_file(folder, self.id, output.path()));
        match saved {
            Some(Ok(saved)) => {
                let path = saved.path.display().to_string();
                // The preview has the bytes as they were printed.
                let shown = clean(saved.preview.as_bytes());
                Text { shown, kept, file: Some((path, size)) }
            }
            Some(Err(error)) => {
                let shown =
                    format!("{}\n[The whole output could not be saved: {error}]", output.ends(MOST_OF_SHELL));
                Text { shown, kept, file: None }
            }
            None => Text { shown: output.ends(MOST_OF_SHELL), kept, file: None },
        }
    }
}

/// A command that took longer than it is waited for, and goes on.
pub(super) fn moved_to_background(task: &Task, time: Duration) -> Outcome {
    let (id, printed) = (&task.id, task.news(MOST_OF_SHELL));
    let printed = printed.trim_end();
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let kept = object(|kept| {
        kept.string("stdout", printed).string("stderr", "");
        kept.boolean("interrupted", false).boolean("isImage", false).boolean("noOutputExpected", false);
        kept.string("backgroundTaskId", id).number("timedOutAfterMs", millis);
    });
    let said = format!(
        "The command did not end within {:.1} seconds. It goes on in the background with ID: {id}. BashOutput shows what it prints from here on, and KillShell ends it.",
        time.as_secs_f64()
    );
    let shown = if printed.is_empty() { said } else { format!("{said}\nWhat it printed so far:\n{printed}") };
    Outcome::text(shown, kept)
}

/// A command that goes on.
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
