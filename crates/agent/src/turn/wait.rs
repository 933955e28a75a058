//! Waiting for more than one thing: for the first of two, and for several at a time.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// Which of two came first.
#[derive(Debug)]
pub(crate) enum Either<A, B> {
    /// The first.
    First(A),
    /// The second.
    Second(B),
}

/// Waits for the first of two; the other one is dropped.
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

type Work<'w, R> = Pin<Box<dyn Future<Output = R> + Send + 'w>>;

/// Work of which a few pieces run at a time. What is done stays when the rest is dropped.
pub(crate) struct Crew<'w, R> {
    work: Vec<Option<Work<'w, R>>>,
    done: Vec<Option<R>>,
    most: usize,
}

impl<'w, R> Crew<'w, R> {
    /// So many pieces run at once.
    pub(crate) fn new(work: Vec<Work<'w, R>>, most: usize) -> Self {
        let done = work.iter().map(|_| None).collect();
        Self { work: work.into_iter().map(Some).collect(), done, most }
    }

    /// Waits until all is done.
    pub(crate) async fn finish(&mut self) {
        poll_fn(|context| self.poll(context)).await;
    }

    /// Drops the pieces that are not wanted any more, by their places.
    pub(crate) fn keep(&mut self, wanted: impl Fn(usize) -> bool) {
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
            if running == self.most {
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

    /// What was done, by the place of the work.
    pub(crate) fn into_done(self) -> Vec<Option<R>> {
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
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = (0..25).map(|number| {
            let (now, most) = (&now, &most);
            Box::pin(async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                if number == 24 {
                    std::future::pending::<()>().await;
                }
                number
            }) as Work<'_, i32>
        });
        let mut crew = Crew::new(work.collect(), 10);
        let steps = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        };
        let first = runtime.block_on(either(crew.finish(), steps));
        assert!(matches!(first, Either::Second(())));
        assert_eq!(most.load(Ordering::SeqCst), 10);
        let done: Vec<_> = crew.into_done().into_iter().flatten().collect();
        assert_eq!(done, (0..24).collect::<Vec<_>>());
    }
}
