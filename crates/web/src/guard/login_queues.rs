//! Attempts to log in: one at a time for each address, and a wrong one is followed by a pause, whether or not its sender waits.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// Guessing at one attempt in this time takes longer than the universe has.
const PAUSE: Duration = Duration::from_secs(1);
/// Attempts of one address at a time; more are refused at once.
const MAX_ATTEMPTS: usize = 4;

/// The attempts of every address that makes some.
#[derive(Debug, Default)]
pub(super) struct LoginQueues(StdMutex<HashMap<IpAddr, Arc<Mutex<()>>>>);

/// The turn of one attempt.
pub(super) struct LoginTurn(OwnedMutexGuard<()>);

impl LoginQueues {
    /// Waits for the turn of an address; `None` if too many of its attempts wait.
    pub(super) async fn turn(&self, address: IpAddr) -> Option<LoginTurn> {
        let queue = self.enter(address)?;
        Some(LoginTurn(queue.lock_owned().await))
    }

    fn enter(&self, address: IpAddr) -> Option<Arc<Mutex<()>>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Each attempt holds its queue: those that nobody holds are over.
        queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        let queue = queues.entry(address).or_default();
        (Arc::strong_count(queue) <= MAX_ATTEMPTS).then(|| Arc::clone(queue))
    }
}

impl LoginTurn {
    /// Ends a turn with a wrong password.
    pub(super) async fn fail(self) {
        // Who hangs up does not get the next turn sooner.
        let pause = tokio::spawn(async move {
            tokio::time::sleep(PAUSE).await;
            drop(self.0);
        });
        let _ = pause.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_waits_for_itself_only_and_not_without_end() {
        let queues = LoginQueues::default();
        let [guesser, owner] = [[10, 0, 0, 9], [10, 0, 0, 7]].map(IpAddr::from);
        let held: Vec<_> = (0..MAX_ATTEMPTS).filter_map(|_| queues.enter(guesser)).collect();
        assert_eq!(held.len(), MAX_ATTEMPTS);
        assert!(queues.enter(guesser).is_none());
        assert!(queues.enter(owner).is_some_and(|queue| queue.try_lock().is_ok()));
        drop(held);
        assert!(queues.enter(guesser).is_some());
        assert_eq!(queues.0.lock().unwrap().len(), 1, "what is over is forgotten");
    }
}
