//! `annals hook stop`: archives the session that has just answered.

use std::path::PathBuf;

use annals_vault::Vault;

use super::input::HookInput;
use crate::commands::archive::{archive, belongs_to, entries};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

pub(super) fn run(input: &HookInput, context: &mut Context) -> Result<Outcome, Fault> {
    let path: PathBuf = match (&input.transcript, &input.session) {
        (Some(path), _) => path.clone(),
        (None, Some(session)) => ResolvedSession::find(context, session)?.path,
        (None, None) => {
            return Err(Fault::usage("standard input names no session")
                .hint("a client passes it; annals archive SESSION does the same by hand"));
        }
    };
    let config = context.store.config_dir();
    let discovery = context.discover_for(|problem| belongs_to(&problem.path, &path, config));
    let sessions = entries(&[path], &discovery)?;
    let done = archive(&sessions, &discovery, &Vault::new(&context.data_dir()?), context)?;
    for failed in &done.failed {
        context.say(format!("{}: {}: not archived", failed.path.display(), failed.why));
    }
    Ok(if done.failed.is_empty() { Outcome::Done } else { Outcome::Failed })
}
