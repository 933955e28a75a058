//! `annals archive --watch`: each session is kept a little after it was last written, until somebody stops it.

use std::io::Write;
use std::time::{Duration, Instant};

use annals_store::lock::FileLock;
use annals_store::watch::{Change, Subject, Watch};
use annals_vault::{Vault, VaultError};

use super::{all, keep, report};
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// So long nothing must be written before a session is kept.
const QUIET: Duration = Duration::from_secs(5);
/// A session that is written all the time is kept this often nevertheless.
const LONGEST: Duration = Duration::from_secs(60);
/// How long to wait at most before looking anyway.
const PATIENCE: Duration = Duration::from_secs(600);

pub(super) fn run(vault: &Vault, context: &mut Context) -> Result<Outcome, Fault> {
    let _lock = FileLock::try_take(vault.data(), &vault.path().join("watch"))?
        .ok_or_else(|| Fault::conflict("another annals archive --watch is at work"))?;
    // Before the first look, so that nothing falls between the two.
    let mut watch = Watch::new(Subject::Tree(context.store.config_dir().projects()));
    context.say("keeping sessions as they are written; Ctrl-C ends it");
    loop {
        keep_all(vault, context)?;
        if watch.wait(PATIENCE) == Change::Something {
            let since = Instant::now();
            while since.elapsed() < LONGEST && watch.wait(QUIET) == Change::Something {
                // Events come in bursts: one look for each would be work for nothing.
                std::thread::sleep(Duration::from_millis(200));
            }
        }
    }
}

fn keep_all(vault: &Vault, context: &mut Context) -> Result<(), Fault> {
    let discovery = context.store.discover();
    let sessions = all(&discovery);
    let done = match keep(&sessions, &discovery, vault, context) {
        // Another annals that writes to the vault does what is to be done; the next change brings the rest.
        Err(VaultError::Locked) => return Ok(()),
        done => done?,
    };
    if !done.kept.is_empty() || !done.failed.is_empty() {
        report(&done, context)?;
        context.out.flush()?;
    }
    Ok(())
}
