//! Frames are compressed by two threads beside the one that reads, and come back in their order. Memory holds three frames.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::frame::{compress, compressor};

/// How many frames are compressed at a time.
const THREADS: usize = 2;

/// A frame that was compressed, and how many bytes it holds.
pub(super) type Squeezed = (Vec<u8>, usize);

type Job = (u64, Vec<u8>);
type Done = (u64, io::Result<Squeezed>);

/// Compresses frames.
#[derive(Debug, Default)]
pub(super) struct Squeezer {
    workers: Option<Workers>,
    next_in: u64,
    next_out: u64,
    early: BTreeMap<u64, Squeezed>,
}

#[derive(Debug)]
struct Workers {
    jobs: Sender<Job>,
    done: Receiver<Done>,
    threads: Vec<JoinHandle<()>>,
}

impl Squeezer {
    /// Takes a frame, and gives those that are ready meanwhile.
    pub(super) fn push(&mut self, bytes: Vec<u8>) -> io::Result<Vec<Squeezed>> {
        let mut ready = Vec::new();
        while self.under_way() >= THREADS as u64 {
            ready.extend(self.wait()?);
        }
        let workers = self.workers.get_or_insert_with(Workers::start);
        workers.jobs.send((self.next_in, bytes)).map_err(|_| gone())?;
        self.next_in += 1;
        Ok(ready)
    }

    /// Takes the last frame, and gives all that are left.
    pub(super) fn finish(&mut self, last: Vec<u8>) -> io::Result<Vec<Squeezed>> {
        if self.workers.is_none() {
            // A small run needs no threads.
            return if last.is_empty() { Ok(Vec::new()) } else { Ok(vec![(compress(&last)?, last.len())]) };
        }
        let mut ready = if last.is_empty() { Vec::new() } else { self.push(last)? };
        while self.under_way() > 0 {
            ready.extend(self.wait()?);
        }
        Ok(ready)
    }

    fn under_way(&self) -> u64 {
        self.next_in - self.next_out
    }

    /// Waits for any frame, and gives those whose turn it is.
    fn wait(&mut self) -> io::Result<Vec<Squeezed>> {
        let workers = self.workers.as_ref().ok_or_else(gone)?;
        let (number, done) = workers.done.recv().map_err(|_| gone())?;
        self.early.insert(number, done?);
        let mut ready = Vec::new();
        while let Some(frame) = self.early.remove(&self.next_out) {
            ready.push(frame);
            self.next_out += 1;
        }
        Ok(ready)
    }
}

impl Drop for Squeezer {
    fn drop(&mut self) {
        if let Some(Workers { jobs, done, threads }) = self.workers.take() {
            drop((jobs, done));
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
    }
}

impl Workers {
    fn start() -> Self {
        let (jobs, todo) = channel::<Job>();
        let (tell, done) = channel();
        let todo = Arc::new(Mutex::new(todo));
        let start = |_| {
            let (todo, tell) = (Arc::clone(&todo), tell.clone());
            thread::spawn(move || work(&todo, &tell))
        };
        Self { threads: (0..THREADS).map(start).collect(), jobs, done }
    }
}

fn work(todo: &Mutex<Receiver<Job>>, tell: &Sender<Done>) {
    let mut compressor = compressor();
    loop {
        let job = todo.lock().ok().and_then(|todo| todo.recv().ok());
        let Some((number, bytes)) = job else { return };
        let done = match &mut compressor {
            Ok(compressor) => compressor.compress(&bytes).map(|frame| (frame, bytes.len())),
            Err(error) => Err(error.kind().into()),
        };
        if tell.send((number, done)).is_err() {
            return;
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("a thread that compresses has ended")
}
