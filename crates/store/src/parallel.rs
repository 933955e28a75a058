//! Work on every core: a function over a slice, whose results keep the order of the slice; the lines of a large file.

use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::thread::{self, Scope, ScopedJoinHandle};

use annals_transcript::transcript::Transcript;
use memchr::memmem::Finder;

use crate::platform::{ParentCpu, read_exact_at};

/// Smaller files are read by one thread.
const MIN_READ_IN_PARTS: usize = 4 << 20;
/// Less is looked through by one thread.
const MIN_SEARCH_IN_PARTS: usize = 4 << 20;
/// The most threads that read one file: more do not copy faster.
const MAX_READERS: usize = 4;

/// How many threads can run at a time. The system is asked once: it reads files to answer.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Starts a helper on another processor than that of this thread.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    let parent = ParentCpu::current();
    let helper = scope.spawn(move || {
        parent.leave();
        work()
    });
    // It may wait here until this thread has used up its time: a moment is enough to leave.
    thread::yield_now();
    helper
}

/// Calls `work` on each item and returns the answers in the items' order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = cores().min(items.len());
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
        let workers: Vec<_> = (1..threads).map(|_| spawn(scope, one_thread)).collect();
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
        let other = spawn(scope, there);
        let own = here();
        match other.join() {
            Ok(answer) => (answer, own),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Makes items on this thread while another works: first on `before`, then on the items that are made. When all are made, both
/// work on them. Returns what `before` gave, and the answers in the items' order.
pub fn pipeline<A: Send, T: Send, R: Send>(
    before: impl FnOnce() -> A + Send,
    make: impl FnOnce(&mut dyn FnMut(T)),
    work: impl Fn(T) -> R + Sync,
) -> (A, Vec<R>) {
    let (sender, receiver) = mpsc::channel();
    let receiver = Mutex::new(receiver);
    let work_on_items = || {
        let mut answers = Vec::new();
        loop {
            let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((index, item)) = next else { return answers };
            answers.push((index, work(item)));
        }
    };
    let there = || (before(), work_on_items());
    let here = || {
        let mut index = 0_usize;
        make(&mut |item| {
            // The receiver outlives this.
            let _ = sender.send((index, item));
            index += 1;
        });
        drop(sender);
        work_on_items()
    };
    let ((first, mut answers), own) = both(there, here);
    answers.extend(own);
    answers.sort_unstable_by_key(|(index, _)| *index);
    (first, answers.into_iter().map(|(_, answer)| answer).collect())
}

/// Frees something large on another thread while this one goes on.
pub fn free<T: Send + 'static>(value: T) {
    // Without a thread it is freed here.
    let _ = thread::Builder::new().spawn(move || drop(value));
}

/// The bytes of a file, read by several threads if there are many; `None` if that is not possible here. A file that grows or
/// shrinks meanwhile is read as far as it is whole.
pub(crate) fn read(file: &File) -> Option<Vec<u8>> {
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let threads = cores().min(MAX_READERS);
    if length < MIN_READ_IN_PARTS || threads < 2 {
        return None;
    }
    let mut bytes = vec![0; length];
    let size = length.div_ceil(threads);
    let parts: Vec<_> =
        bytes.chunks_mut(size).enumerate().map(|(at, part)| (at * size, Mutex::new(part))).collect();
    let are_read = map(&parts, |(offset, part)| {
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        read_exact_at(file, &mut part, *offset as u64).is_ok()
    });
    drop(parts);
    are_read.into_iter().all(|is_read| is_read).then_some(bytes)
}

/// Whether bytes contain something; many are looked through on every core.
pub(crate) fn contains(bytes: &[u8], finder: &Finder<'_>) -> bool {
    let threads = cores();
    if bytes.len() < MIN_SEARCH_IN_PARTS || threads < 2 {
        return finder.find(bytes).is_some();
    }
    let size = bytes.len().div_ceil(threads);
    // What begins in one part may end in the next.
    let end = |start: usize| bytes.len().min(start + size + finder.needle().len());
    let parts: Vec<&[u8]> = (0..bytes.len()).step_by(size).map(|start| &bytes[start..end(start)]).collect();
    map(&parts, |part| finder.find(part).is_some()).contains(&true)
}

/// Parses a whole file on every core; the result is that of [`Transcript::parse`].
pub fn parse(bytes: &[u8]) -> Transcript<'_> {
    let threads = cores();
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

    #[test]
    fn what_lies_across_two_parts_is_found() {
        let finder = super::Finder::new(b"needle");
        let size = 2 * super::MIN_SEARCH_IN_PARTS;
        for at in [0, size / 2 - 6, size / 2 - 3, size / 2, size - 6] {
            let mut bytes = vec![b'n'; size];
            assert!(!super::contains(&bytes, &finder));
            bytes[at..at + 6].copy_from_slice(b"needle");
            assert!(super::contains(&bytes, &finder), "{at}");
            assert!(super::contains(&bytes[at..at + 6], &finder));
        }
    }

    #[test]
    fn items_that_are_made_one_by_one_are_answered_in_their_order() {
        let make = |send: &mut dyn FnMut(u64)| (0..1000).for_each(send);
        let (first, squares) = super::pipeline(|| "first", make, |item| item * item);
        assert_eq!(first, "first");
        assert!(
            squares.len() == 1000 && squares.iter().zip(0..).all(|(square, item)| *square == item * item)
        );
        let (_, none) = super::pipeline(|| (), |_: &mut dyn FnMut(u64)| (), |item| item);
        assert!(none.is_empty());
    }
}
