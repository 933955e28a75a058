//! Work beside a conversation: what was started goes on while the conversation waits, whatever it waits for.
//!
//! Sub-agents borrow what their session borrows, so they are no tasks of the runtime: the conversation's own task polls them.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

type Work<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The work of a session. Dropping it drops what still runs.
#[derive(Default)]
pub struct BackgroundWork<'a>(Arc<WorkList<'a>>);

/// Where new work is added; it does not keep the work alive.
#[derive(Clone, Default)]
pub struct WorkQueue<'a>(Weak<WorkList<'a>>);

#[derive(Default)]
struct WorkList<'a> {
    running: Mutex<Vec<Work<'a>>>,
    waker: Mutex<Option<Waker>>,
}

impl<'a> BackgroundWork<'a> {
    /// Returns where work is added.
    pub fn queue(&self) -> WorkQueue<'a> {
        WorkQueue(Arc::downgrade(&self.0))
    }

    /// Runs this, and the work beside it.
    pub async fn beside<R>(&self, conversation: impl Future<Output = R>) -> R {
        let mut conversation = pin!(conversation);
        poll_fn(|context| {
            *lock(&self.0.waker) = Some(context.waker().clone());
            self.0.poll(context);
            conversation.as_mut().poll(context)
        })
        .await
    }
}

impl<'a> WorkQueue<'a> {
    /// Returns whether work is run.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Adds work; `false` if nothing runs it any more.
    pub(crate) fn push(&self, work: impl Future<Output = ()> + Send + 'a) -> bool {
        let Some(list) = self.0.upgrade() else { return false };
        lock(&list.running).push(Box::pin(work));
        if let Some(waker) = lock(&list.waker).as_ref() {
            waker.wake_by_ref();
        }
        true
    }
}

impl WorkList<'_> {
    fn poll(&self, context: &mut Context<'_>) {
        // Work may add work.
        let mut running = std::mem::take(&mut *lock(&self.running));
        running.retain_mut(|work| work.as_mut().poll(context) == Poll::Pending);
        let mut all = lock(&self.running);
        running.append(&mut all);
        *all = running;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn work_goes_on_beside_whatever_is_waited_for() {
        let done = &AtomicUsize::new(0);
        let work = BackgroundWork::default();
        let queue = work.queue();
        work.beside(async {
            let inner = queue.clone();
            let is_taken = queue.push(async move {
                tokio::task::yield_now().await;
                done.fetch_add(1, Ordering::SeqCst);
                inner.push(async move {
                    done.fetch_add(1, Ordering::SeqCst);
                });
            });
            assert!(is_taken);
            while done.load(Ordering::SeqCst) < 2 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        // What has not ended waits for the next time.
        queue.push(async {
            done.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(done.load(Ordering::SeqCst), 2);
        work.beside(tokio::task::yield_now()).await;
        assert_eq!(done.load(Ordering::SeqCst), 3);
        drop(work);
        assert!(!queue.push(async {}), "nobody runs it");
    }
}
