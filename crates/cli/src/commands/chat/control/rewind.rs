//! `rewind_files`: files are restored to before a prompt, by the copies that the session keeps.

use std::ops::ControlFlow;

use annals_surgery::Session;
use annals_surgery::rewind::{
    FileOutcome, ForeignChanges, RewindOptions, RewindPlan, RewindScope, TurnRef, apply, plan,
};

use super::answers::ServerFacts;
use super::incoming::ControlRequest;
use super::serve::{Reply, is_true};
use super::view::SessionState;
use crate::commands::rewind::command_history;
use crate::source::SystemSource;

/// Restores files, or says what would be restored. `annals undo` reverts it.
pub(super) fn files(request: &ControlRequest, state: &SessionState, facts: &ServerFacts) -> Reply {
    let Some(prompt) = request.text("user_message_id") else {
        return Reply::Refused("user_message_id is missing".to_owned(), None);
    };
    let rewinding = match planned(state, facts, &prompt) {
        Ok(rewinding) => rewinding,
        Err(why) => return Reply::Refused(why, None),
    };
    let is_changed = |outcome: FileOutcome| !matches!(outcome, FileOutcome::Same | FileOutcome::Skipped(_));
    let changed: Vec<&str> = rewinding
        .files
        .iter()
        .filter(|file| is_changed(file.outcome))
        .map(|file| file.name.as_str())
        .collect();
    let skipped =
        rewinding.files.iter().filter(|file| matches!(file.outcome, FileOutcome::Skipped(_))).count();
    if !is_true(request, "dry_run") && !changed.is_empty() {
        let done = apply(&rewinding, &facts.data, &SystemSource, &mut |_| ControlFlow::Continue(()));
        if let Err(error) = done {
            return Reply::Refused(error.to_string(), None);
        }
    }
    Reply::object(|answer| {
        answer.boolean("canRewind", true).array("filesChanged", |list| {
            for name in &changed {
                list.string(name);
            }
        });
        answer.number("skippedLinks", skipped as u64);
    })
}

fn planned(state: &SessionState, facts: &ServerFacts, prompt: &str) -> Result<RewindPlan, String> {
    let session = Session::load(&state.transcript).map_err(|error| error.to_string())?;
    let commands = command_history(&session, &facts.data).map_err(|fault| fault.message().to_owned())?;
    let options = RewindOptions {
        scope: RewindScope::Code,
        foreign: ForeignChanges::Left,
        home: facts.home.as_deref(),
        commands: commands.as_ref(),
    };
    let to = TurnRef::Record(prompt.to_owned());
    plan(&session, &[], &to, options, &SystemSource).map_err(|error| error.to_string())
}
