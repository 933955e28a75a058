//! Puts together what several machines send at once: while some requests are written, those that come meanwhile wait, and are then
//! written together. So the engine gets few large inserts however many machines there are, and a request that comes alone waits for
//! nobody. Each is acknowledged when its own rows are there.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many groups are written at a time: a large one must not hold up the others.
const WRITERS: usize = 2;
/// How much is written together.
const GROUP_BYTES: usize = 16 * 1024 * 1024;
/// How many requests are written together.
const GROUP_REQUESTS: usize = 256;
/// How much may wait; what is larger waits until there is nothing else.
const WAITING_BYTES: usize = 256 * 1024 * 1024;

/// Requests that wait for their turn, and answers that wait to be fetched.
#[derive(Debug)]
pub(super) struct WriteQueue<R, A> {
    queue: Mutex<QueueState<R, A>>,
    changed: Condvar,
}

#[derive(Debug)]
struct QueueState<R, A> {
    next: u64,
    waiting: Vec<(u64, usize, R)>,
    /// Of all that were taken on and are not answered.
    bytes: usize,
    writers: usize,
    answers: HashMap<u64, Option<A>>,
}

impl<R, A> Default for WriteQueue<R, A> {
    fn default() -> Self {
        let queue =
            QueueState { next: 0, waiting: Vec::new(), bytes: 0, writers: 0, answers: HashMap::new() };
        Self { queue: Mutex::new(queue), changed: Condvar::new() }
    }
}

/// A group that is being written. Whatever happens, those who wait for it are woken.
struct Group<'g, R, A> {
    write_queue: &'g WriteQueue<R, A>,
    tickets: Vec<(u64, usize)>,
    answers: Vec<A>,
}

impl<R, A> Drop for Group<'_, R, A> {
    fn drop(&mut self) {
        let mut queue = self.write_queue.lock();
        let mut answers = std::mem::take(&mut self.answers).into_iter();
        for (ticket, bytes) in &self.tickets {
            queue.bytes -= bytes;
            queue.answers.insert(*ticket, answers.next());
        }
        queue.writers -= 1;
        drop(queue);
        self.write_queue.changed.notify_all();
    }
}

impl<R, A> WriteQueue<R, A> {
    /// Writes a request of this size together with others, on the thread of one of them; `write` gives an answer for each of a group in its
    /// order. `None` if writing has stopped without an answer.
    pub(super) fn write(&self, request: R, bytes: usize, write: impl Fn(Vec<R>) -> Vec<A>) -> Option<A> {
        let mut queue = self.lock();
        while queue.bytes > 0 && queue.bytes + bytes > WAITING_BYTES {
            queue = self.wait(queue);
        }
        let ticket = queue.next;
        queue.next += 1;
        queue.bytes += bytes;
        queue.waiting.push((ticket, bytes, request));
        loop {
            if let Some(answer) = queue.answers.remove(&ticket) {
                return answer;
            }
            if queue.writers < WRITERS && !queue.waiting.is_empty() {
                queue.writers += 1;
                let group = queue.next_group();
                drop(queue);
                self.write_group(group, &write);
                queue = self.lock();
            } else {
                queue = self.wait(queue);
            }
        }
    }

    fn write_group(&self, group: Vec<(u64, usize, R)>, write: &impl Fn(Vec<R>) -> Vec<A>) {
        let tickets = group.iter().map(|(ticket, bytes, _)| (*ticket, *bytes)).collect();
        let mut written = Group { write_queue: self, tickets, answers: Vec::new() };
        written.answers = write(group.into_iter().map(|(_, _, request)| request).collect());
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<R, A>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'q>(&self, queue: MutexGuard<'q, QueueState<R, A>>) -> MutexGuard<'q, QueueState<R, A>> {
        self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R, A> QueueState<R, A> {
    /// The requests that have waited longest, at least one.
    fn next_group(&mut self) -> Vec<(u64, usize, R)> {
        let (mut count, mut bytes) = (0, 0);
        for (_, more, _) in self.waiting.iter().take(GROUP_REQUESTS) {
            if count > 0 && bytes + more > GROUP_BYTES {
                break;
            }
            (count, bytes) = (count + 1, bytes + more);
        }
        self.waiting.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_comes_while_others_are_written_is_written_together_and_each_gets_its_own_answer() {
        let write_queue = WriteQueue::<usize, usize>::default();
        let (groups, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let write = |requests: Vec<usize>| {
            groups.fetch_add(1, Ordering::Relaxed);
            most.fetch_max(requests.len(), Ordering::Relaxed);
            thread::sleep(Duration::from_millis(30));
            requests.into_iter().map(|request| request * 10).collect()
        };
        let (write_queue, write) = (&write_queue, &write);
        thread::scope(|scope| {
            for request in 0..60 {
                scope.spawn(move || assert_eq!(write_queue.write(request, 1000, write), Some(request * 10)));
            }
        });
        let (groups, most) = (groups.into_inner(), most.into_inner());
        assert!(groups < 30 && most > 10, "{groups} groups, {most} in the largest");
        let queue = write_queue.lock();
        assert_eq!((queue.bytes, queue.writers, queue.waiting.len(), queue.answers.len()), (0, 0, 0, 0));
    }

    #[test]
    fn one_that_is_larger_than_a_group_goes_alone_and_nobody_waits_for_one_that_ended() {
        let write_queue = WriteQueue::<usize, usize>::default();
        let huge = WAITING_BYTES * 2;
        assert_eq!(write_queue.write(1, huge, |requests| requests), Some(1));
        assert_eq!(write_queue.write(1, 1, |_| Vec::new()), None);
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            write_queue.write(1, 1, |_| panic!("for the test"))
        }));
        assert!(broken.is_err());
        assert_eq!(write_queue.write(2, 1, |requests| requests), Some(2));
        let mut queue = write_queue.lock();
        queue.waiting = vec![(1, GROUP_BYTES, 1), (2, 1, 2), (3, GROUP_BYTES, 3), (4, 0, 4)];
        let sizes: Vec<usize> =
            std::iter::from_fn(|| Some(queue.next_group().len()).filter(|size| *size > 0)).collect();
        assert_eq!(sizes, [1, 1, 2]);
    }
}
