//! `annals archive --watch`: archives each session shortly after it was last written.

use std::time::{Duration, Instant};

use annals_store::lock::FileLock;
use annals_store::watch::{WaitOutcome, Watch, WatchTarget};
use annals_vault::{Vault, VaultError};

use super::{all, archive, report};
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// How long a session must be quiet before it is archived.
const QUIET: Duration = Duration::from_secs(5);
/// How often a session is archived that is written all the time.
const MAX_DELAY: Duration = Duration::from_secs(60);
/// The longest wait before looking anyway.
const MAX_WAIT: Duration = Duration::from_secs(600);

pub(super) fn run(vault: &Vault, context: &mut Context) -> Result<Outcome, Fault> {
    let _lock = FileLock::try_take(vault.data(), &vault.path().join("watch"))?
        .ok_or_else(|| Fault::conflict("another annals archive --watch is running"))?;
    // Before the first pass, so that no change is missed in between.
    let mut watch = Watch::new(WatchTarget::Tree(context.store.config_dir().projects()));
    context.say("archiving sessions as they are written; Ctrl-C stops it");
    loop {
        archive_all(vault, context)?;
        if watch.wait(MAX_WAIT) == WaitOutcome::Something {
            let since = Instant::now();
            while since.elapsed() < MAX_DELAY && watch.wait(QUIET) == WaitOutcome::Something {
                // Events come in bursts: one pass per event would be wasted work.
                std::thread::sleep(Duration::from_millis(200));
            }
        }
    }
}

fn archive_all(vault: &Vault, context: &mut Context) -> Result<(), Fault> {
    let discovery = context.discover();
    let sessions = all(&discovery);
    let done = match archive(&sessions, &discovery, vault, context) {
        // Another annals is archiving; the next change brings the rest.
        Err(VaultError::Locked) => return Ok(()),
        done => done?,
    };
    if !done.kept.is_empty() || !done.failed.is_empty() {
        report(&done, &discovery, context)?;
        context.out.flush()?;
    }
    context.report_unread();
    Ok(())
}
