//! Reads a response stream: the SSE decoder and the assembler together.

use super::super::sse::Decoder;
use super::assemble::{Assembler, StreamError};
use super::event::StreamEvent;

/// Reads one response stream.
#[derive(Debug, Default)]
pub struct StreamReader {
    decoder: Decoder,
    assembler: Assembler,
    /// Whether events are also reported as they came.
    is_raw: bool,
}

impl StreamReader {
    /// Creates a reader that also reports events as they came.
    pub fn raw(is_raw: bool) -> Self {
        Self { is_raw, ..Self::default() }
    }

    /// Feeds the next chunk of the body. Events before an error are appended as well.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<StreamEvent>) -> Result<(), StreamError> {
        let mut sent = Vec::new();
        let decoded = self.decoder.feed(bytes, &mut sent);
        for event in &sent {
            if self.is_raw && !self.assembler.is_over() {
                events.push(StreamEvent::Raw(event.data.clone()));
            }
            self.assembler.take(event, events)?;
        }
        // Bytes after the end of the message are ignored.
        if self.assembler.is_over() { Ok(()) } else { Ok(decoded?) }
    }

    /// Returns whether the message is complete, though bytes may still follow.
    pub fn is_over(&self) -> bool {
        self.assembler.is_over()
    }

    /// Ends the stream: an error if the message is incomplete.
    pub fn end(&self) -> Result<(), StreamError> {
        self.assembler.end()
    }
}
