//! How a conversation starts: new, resumed or forked.

use std::path::PathBuf;

use annals_agent::conversation::ConversationStart;
use annals_store::session::NewSession;

use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::session::ResolvedSession;

/// Returns how the conversation starts: new, resumed or forked.
pub(super) fn start(args: &ChatArgs, context: &Context) -> Result<ConversationStart, Fault> {
    if args.session_id.is_some() && !args.fork_session && (args.resume.is_some() || args.r#continue) {
        return Err(Fault::usage("--session-id is for new sessions, not resumed ones")
            .hint("--fork-session continues in a copy, which --session-id can name"));
    }
    let path: Option<PathBuf> = match (&args.resume, args.r#continue) {
        (Some(Some(session)), _) => {
            Some(ResolvedSession::find(context, session).map_err(|fault| hint_at_prompt(fault, args))?.path)
        }
        (Some(None), _) => return Err(no_picker()),
        (None, true) => Some(ResolvedSession::find(context, "last")?.path),
        (None, false) => None,
    };
    Ok(match path {
        Some(path) => resume_or_fork(path, args),
        None if args.fork_session => {
            return Err(Fault::usage("--fork-session needs a session to copy")
                .hint("annals chat -p --resume SESSION --fork-session PROMPT"));
        }
        None => ConversationStart::New(NewSession {
            id: args.session_id.clone(),
            // Session pickers skip sessions without interaction.
            entrypoint: args.is_headless().then(|| entrypoint(context)),
            ..NewSession::default()
        }),
    })
}

/// Returns what runs the session, as the SDKs say it.
pub(super) fn entrypoint(context: &Context) -> String {
    let said = context.variables.iter().find(|(name, _)| name == "CLAUDE_CODE_ENTRYPOINT");
    let said = said.and_then(|(_, value)| value.to_str()).filter(|value| value.starts_with("sdk-"));
    said.unwrap_or("sdk-cli").to_owned()
}

/// Returns the error for `--resume` without a terminal.
pub(super) fn no_picker() -> Fault {
    Fault::usage("--resume without a session needs a terminal to choose one in")
        .hint("--continue resumes the newest session of this folder; annals ls lists them all")
}

/// Resumes a session, or a fork of it.
pub(super) fn resume_or_fork(path: PathBuf, args: &ChatArgs) -> ConversationStart {
    match args.fork_session {
        true => ConversationStart::Fork { path, id: args.session_id.clone() },
        false => ConversationStart::Resume(path),
    }
}

/// Adds a hint if what follows `--resume` may have been meant as a prompt.
fn hint_at_prompt(fault: Fault, args: &ChatArgs) -> Fault {
    match args.prompt {
        None => fault.hint("--resume takes a session; put the prompt before --resume, or after --"),
        Some(_) => fault,
    }
}
