//! Bytes of a stream in, what they mean out: the decoder of events and the assembler of messages as one.

use super::super::sse::Decoder;
use super::assemble::{Assembler, StreamFault};
use super::event::Event;

/// Reads one response.
#[derive(Debug, Default)]
pub struct Reader {
    decoder: Decoder,
    assembler: Assembler,
}

impl Reader {
    /// Takes the next piece of the body. What was understood before an error is appended all the same.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), StreamFault> {
        let mut sent = Vec::new();
        let decoded = self.decoder.feed(bytes, &mut sent);
        for event in &sent {
            self.assembler.take(event, events)?;
        }
        // What comes after the end of the message is nobody's concern.
        if self.assembler.is_over() { Ok(()) } else { Ok(decoded?) }
    }

    /// Whether the message is over, though bytes may still follow.
    pub fn is_over(&self) -> bool {
        self.assembler.is_over()
    }

    /// What it means that no bytes follow.
    pub fn end(&self) -> Result<(), StreamFault> {
        self.assembler.end()
    }
}
