//! Any bytes as a stream of the API, in any pieces: the same events and the same end as in one piece, and never a panic.

use super::api::sse::{Decoder, ServerEvent, SseFault};
use super::api::stream::{Event, Reader, StreamFault};

/// Also short enough to be reached.
const LIMITS: [usize; 2] = [40, 1 << 20];

/// Panics if the bytes break a promise.
pub(crate) fn check(bytes: &[u8]) {
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
}

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
