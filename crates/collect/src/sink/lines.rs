//! Sinks of NDJSON on this machine: a file that grows, and anything that can be written to.

use std::io::Write;
use std::path::PathBuf;

use annals_store::files::{AppendFile, WriteError};

use super::{Sink, SinkError};
use crate::item::Batch;

/// A file that grows; what was acknowledged is on the disk.
#[derive(Debug)]
pub struct FileSink(AppendFile);

impl FileSink {
    /// Opens or creates the file. If it is removed later, writing fails: nothing is written elsewhere.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, WriteError> {
        let path = path.into();
        if path.exists() { Ok(Self(AppendFile::existing(path))) } else { AppendFile::create(path).map(Self) }
    }
}

impl Sink for FileSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        for line in batch.lines() {
            self.0.append(&line)?;
        }
        Ok(self.0.sync()?)
    }
}

/// Anything that can be written to, such as standard output; flushed is acknowledged.
#[derive(Debug)]
pub struct OutputSink<W>(pub W);

impl<W: Write> Sink for OutputSink<W> {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let written = batch.write_ndjson(&mut self.0).and_then(|()| self.0.flush());
        written.map_err(|source| SinkError::Output { source })
    }
}
