//! Compresses frames on two threads and returns them in order. At most three frames are in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::frame::{compress, compressor};

const THREADS: usize = 2;

/// A compressed frame and its plain length.
pub(super) type CompressedFrame = (Vec<u8>, usize);

type FrameJob = (u64, Vec<u8>);
type FrameResult = (u64, io::Result<CompressedFrame>);

#[derive(Debug, Default)]
pub(super) struct FrameCompressor {
    workers: Option<Workers>,
    next_in: u64,
    next_out: u64,
    early: BTreeMap<u64, CompressedFrame>,
}

#[derive(Debug)]
struct Workers {
    jobs: Sender<FrameJob>,
    done: Receiver<FrameResult>,
    threads: Vec<JoinHandle<()>>,
}

impl FrameCompressor {
    /// Queues a frame and returns those that are ready.
    pub(super) fn push(&mut self, bytes: Vec<u8>) -> io::Result<Vec<CompressedFrame>> {
        let mut ready = Vec::new();
        while self.under_way() >= THREADS as u64 {
            ready.extend(self.wait()?);
        }
        let workers = self.workers.get_or_insert_with(Workers::start);
        workers.jobs.send((self.next_in, bytes)).map_err(|_| gone())?;
        self.next_in += 1;
        Ok(ready)
    }

    /// Compresses the last frame and returns all that are left.
    pub(super) fn finish(&mut self, last: Vec<u8>) -> io::Result<Vec<CompressedFrame>> {
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

    /// Waits for any frame and returns those whose turn it is.
    fn wait(&mut self) -> io::Result<Vec<CompressedFrame>> {
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

impl Drop for FrameCompressor {
    fn drop(&mut self) {
        if let Some(Workers { jobs, done, threads }) = self.workers.take() {
            drop((jobs, done));
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
    }
}

impl Workers {
    fn start() -> Self {
        let (jobs, todo) = channel::<FrameJob>();
        let (tell, done) = channel();
        let todo = Arc::new(Mutex::new(todo));
        let start = |_| {
            let (todo, tell) = (Arc::clone(&todo), tell.clone());
            thread::spawn(move || work(&todo, &tell))
        };
        Self { threads: (0..THREADS).map(start).collect(), jobs, done }
    }
}

fn work(todo: &Mutex<Receiver<FrameJob>>, tell: &Sender<FrameResult>) {
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
    io::Error::other("a compression thread has ended")
}
