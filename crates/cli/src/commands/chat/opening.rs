//! Opens a conversation. Waits for a session that was written to a moment ago, as by a client that has just ended.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use annals_agent::conversation::{Conversation, ConversationStart, OpenError, Persistence, StoreContext};
use annals_store::busy::{Busy, FRESH_MS};
use annals_store::session::{AppendError, ForkError};

use crate::context::Context;
use crate::error::Fault;

/// How often to look again.
const INTERVAL: Duration = Duration::from_millis(100);

/// Opens a conversation; waits until a write of another program is no longer fresh, but not for one that goes on writing.
pub(super) fn open_when_quiet<'s>(
    store: StoreContext<'s>,
    start: ConversationStart,
    cwd: &Path,
    persistence: Persistence,
    context: &Context,
) -> Result<Conversation<'s>, OpenError> {
    let deadline = Instant::now() + Duration::from_millis(FRESH_MS.unsigned_abs()) + INTERVAL;
    let mut is_told = false;
    loop {
        match Conversation::open(store, start.clone(), cwd, persistence) {
            Err(error) if is_fresh_write(&error) && is_resumed(&start) && Instant::now() < deadline => {
                if !is_told {
                    context.say(format!("{error}; waiting for it to stop"));
                }
                is_told = true;
                thread::sleep(INTERVAL);
            }
            result => return result,
        }
    }
}

/// Whether opening again does nothing twice: a fork would be made again.
fn is_resumed(start: &ConversationStart) -> bool {
    matches!(start, ConversationStart::Resume(_))
}

fn is_fresh_write(error: &OpenError) -> bool {
    matches!(error, OpenError::Append(AppendError::Busy { busy: Busy::FreshWrite { .. }, .. }))
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Append(error @ AppendError::Busy { .. }) => {
                Self::conflict(error.to_string()).hint("--fork-session continues in a copy of the session")
            }
            OpenError::Append(error) => error.into(),
            OpenError::IdInUse { ref id, .. } => {
                let hint = format!("--resume {id} continues that session");
                Self::conflict(error.to_string()).hint(hint)
            }
            OpenError::Fork(ForkError::Write(error)) => error.into(),
            OpenError::Fork(error) => Self::usage(error.to_string()),
            OpenError::Read(error) => error.into(),
        }
    }
}
