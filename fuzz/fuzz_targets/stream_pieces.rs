//! Any bytes as a stream of the API, in any pieces: the same events and the same end as in one piece, and never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

use api::sse::{Decoder, ServerEvent, SseFault};
use api::stream::{Event, Reader, StreamFault};

/// The modules themselves: the whole client would take longer to build than all of this takes to run.
#[allow(dead_code, unused_imports, reason = "only a part of them is looked at")]
#[path = "../../crates/agent/src/api"]
mod api {
    pub mod failure;
    pub mod sse;
    pub mod stream;
    pub mod usage;
}

/// Also short enough to be reached.
const LIMITS: [usize; 2] = [40, 1 << 20];

fuzz_target!(|bytes: &[u8]| {
    let pieces = [pieces(bytes, |_| 1), pieces(bytes, |at| 1 + (usize::from(bytes[at]) ^ at) % 13)];
    for limit in LIMITS {
        let whole = decoded(&[bytes], limit);
        for pieces in &pieces {
            assert_eq!(decoded(pieces, limit), whole);
        }
    }
    let whole = read(&[bytes]);
    for pieces in &pieces {
        assert_eq!(read(pieces), whole);
    }
});

/// The bytes in pieces, whose length each place decides.
fn pieces(bytes: &[u8], length: impl Fn(usize) -> usize) -> Vec<&[u8]> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let end = bytes.len().min(at + length(at));
        pieces.push(&bytes[at..end]);
        at = end;
    }
    pieces
}

fn decoded(pieces: &[&[u8]], limit: usize) -> (Vec<ServerEvent>, Result<(), SseFault>) {
    let (mut decoder, mut events) = (Decoder::with_limit(limit), Vec::new());
    let end = pieces.iter().try_for_each(|piece| decoder.feed(piece, &mut events));
    (events, end)
}

fn read(pieces: &[&[u8]]) -> (Vec<Event>, Result<(), StreamFault>) {
    let (mut reader, mut events) = (Reader::default(), Vec::new());
    let fed = pieces.iter().try_for_each(|piece| reader.feed(piece, &mut events));
    (events, fed.and_then(|()| reader.end()))
}
