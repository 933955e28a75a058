//! `annals hook session-start`: recent work on the project, as context for the model.

use std::cell::RefCell;

use annals_memory::brief;

use super::input::HookInput;
use crate::args::HookSessionStartArgs;
use crate::commands::mcp::serve::memory;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(super) fn run(
    args: &HookSessionStartArgs,
    input: &HookInput,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let folder = input.folder.clone().or_else(|| context.current_dir.clone());
    let folder = folder.map(|folder| folder.canonicalize().unwrap_or(folder));
    let text = {
        let shared = RefCell::new(&mut *context);
        let mut memory = memory(&shared, folder, input.session.clone())?;
        brief(&mut memory, args.max_tokens as usize).map_err(|error| Fault::system(error.to_string()))?
    };
    // Nothing is said about a project without a past: each line costs tokens in every session.
    let Some(text) = text else { return Ok(Outcome::Done) };
    context.out.json(|object| {
        object.object("hookSpecificOutput", |output| {
            output.string("hookEventName", "SessionStart").string("additionalContext", &text);
        });
    })?;
    Ok(Outcome::Done)
}
