//! Waiting for several futures: for the first of two, or for all with limited concurrency.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// The output of the first of two futures.
#[derive(Debug)]
pub(crate) enum Either<A, B> {
    First(A),
    Second(B),
}

/// Waits for the first of two futures and drops the other.
pub(crate) async fn either<A, B>(first: A, second: B) -> Either<A::Output, B::Output>
where
    A: Future,
    B: Future,
{
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|context| {
        if let Poll::Ready(done) = first.as_mut().poll(context) {
            return Poll::Ready(Either::First(done));
        }
        second.as_mut().poll(context).map(Either::Second)
    })
    .await
}

type BoxFuture<'w, R> = Pin<Box<dyn Future<Output = R> + Send + 'w>>;

/// Futures of which a limited number run at a time. Results stay when the rest is dropped.
pub(crate) struct BoundedTasks<'w, R> {
    work: Vec<Option<BoxFuture<'w, R>>>,
    done: Vec<Option<R>>,
    max: usize,
}

impl<'w, R> BoundedTasks<'w, R> {
    pub(crate) fn new(work: Vec<BoxFuture<'w, R>>, max: usize) -> Self {
        let done = work.iter().map(|_| None).collect();
        Self { work: work.into_iter().map(Some).collect(), done, max }
    }

    /// Waits until all futures are done.
    pub(crate) async fn finish(&mut self) {
        poll_fn(|context| self.poll(context)).await;
    }

    /// Drops the futures whose index is not wanted.
    pub(crate) fn retain(&mut self, wanted: impl Fn(usize) -> bool) {
        for (place, work) in self.work.iter_mut().enumerate() {
            if !wanted(place) {
                *work = None;
            }
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut running = 0;
        for (work, done) in self.work.iter_mut().zip(&mut self.done) {
            let Some(piece) = work else { continue };
            if running == self.max {
                break;
            }
            match piece.as_mut().poll(context) {
                Poll::Ready(result) => {
                    *done = Some(result);
                    *work = None;
                }
                Poll::Pending => running += 1,
            }
        }
        if running == 0 { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Returns the results, by the index of the future.
    pub(crate) fn into_results(self) -> Vec<Option<R>> {
        self.done
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_few_run_at_a_time_and_what_is_done_stays() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (now, max) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = (0..25).map(|number| {
            let (now, max) = (&now, &max);
            Box::pin(async move {
                max.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                if number == 24 {
                    std::future::pending::<()>().await;
                }
                number
            }) as BoxFuture<'_, i32>
        });
        let mut bounded = BoundedTasks::new(work.collect(), 10);
        let steps = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        };
        let first = runtime.block_on(either(bounded.finish(), steps));
        assert!(matches!(first, Either::Second(())));
        assert_eq!(max.load(Ordering::SeqCst), 10);
        let done: Vec<_> = bounded.into_results().into_iter().flatten().collect();
        assert_eq!(done, (0..24).collect::<Vec<_>>());
    }
}
