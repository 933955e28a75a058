//! Work on every core: a function over a slice, whose results keep the order of the slice; the lines of a large file.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use annals_transcript::transcript::Transcript;

/// Calls `work` on each item and returns the answers in the items' order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let one_thread = || {
        let mut answers = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return answers };
            answers.push((index, work(item)));
        }
    };
    let mut answers: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(one_thread)).collect();
        let mut answers = one_thread();
        for worker in workers {
            match worker.join() {
                Ok(more) => answers.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers
    });
    answers.sort_unstable_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Does one thing on another thread while this one does another.
pub fn both<A: Send, B>(there: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let other = scope.spawn(there);
        let own = here();
        match other.join() {
            Ok(answer) => (answer, own),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Parses a whole file on every core; the result is that of [`Transcript::parse`].
pub fn parse(bytes: &[u8]) -> Transcript<'_> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    // Each gets several parts: one that is done early takes another.
    Transcript::parse_in_parts(bytes, if threads > 1 { threads * 4 } else { 1 }, |ranges, parse| {
        map(ranges, parse)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn answers_keep_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        let squares = super::map(&items, |item| item * item);
        assert!(squares.iter().zip(&items).all(|(square, item)| *square == item * item));
        assert!(super::map(&Vec::<u64>::new(), |item| *item).is_empty());
    }
}
