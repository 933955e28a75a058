//! `annals hook stop`: archives the session that has just answered.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use annals_vault::Vault;

use super::input::HookInput;
use crate::commands::archive::{archive, belongs_to, entries};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

/// A session that has stayed the same this long is taken as written.
const SETTLED: Duration = Duration::from_millis(300);
/// After this it is archived as it is.
const MAX_WAIT: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn run(input: &HookInput, context: &mut Context) -> Result<Outcome, Fault> {
    let path: PathBuf = match (&input.transcript, &input.session) {
        (Some(path), _) => path.clone(),
        (None, Some(session)) => ResolvedSession::find(context, session)?.path,
        (None, None) => {
            return Err(Fault::usage("standard input names no session")
                .hint("a client passes it; annals archive SESSION does the same by hand"));
        }
    };
    wait_until_written(&path);
    let config = context.store.config_dir();
    let discovery = context.discover_for(|problem| belongs_to(&problem.path, &path, config));
    let sessions = entries(&[path], &discovery)?;
    let done = archive(&sessions, &discovery, &Vault::new(&context.data_dir()?), context)?;
    for failed in &done.failed {
        context.say(format!("{}: {}: not archived", failed.path.display(), failed.why));
    }
    Ok(if done.failed.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// 2.1.325 runs its hooks before the answer is in the file; after a quick first answer there is no file yet.
fn wait_until_written(path: &Path) {
    let start = Instant::now();
    let (mut known, mut since) = (None, start);
    while start.elapsed() < MAX_WAIT {
        let length = fs::metadata(path).ok().map(|metadata| metadata.len());
        if length != known {
            (known, since) = (length, Instant::now());
        } else if known.is_some() && since.elapsed() >= SETTLED {
            return;
        }
        thread::sleep(PAUSE);
    }
}
