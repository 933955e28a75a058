//! Checks that any bytes as an API stream give the same events in pieces of any size, and never panic.

use super::api::sse::{Decoder, ServerEvent, SseError};
use super::api::stream::{StreamError, StreamEvent, StreamReader};

/// The first is short enough to be reached.
const LIMITS: [usize; 2] = [40, 1 << 20];

/// Panics if a check fails.
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

/// Splits the bytes into pieces; `length` gives the length of a piece by its start.
fn pieces(bytes: &[u8], length: impl Fn(usize) -> usize) -> Vec<&[u8]> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let end = bytes.len().min(at + length(at));
        pieces.push(&bytes[at..end]);
        at = end;
    }
    pieces
}

fn decoded(pieces: &[&[u8]], limit: usize) -> (Vec<ServerEvent>, Result<(), SseError>) {
    let (mut decoder, mut events) = (Decoder::with_limit(limit), Vec::new());
    let end = pieces.iter().try_for_each(|piece| decoder.feed(piece, &mut events));
    (events, end)
}

fn read(pieces: &[&[u8]]) -> (Vec<StreamEvent>, Result<(), StreamError>) {
    let (mut reader, mut events) = (StreamReader::default(), Vec::new());
    let fed = pieces.iter().try_for_each(|piece| reader.feed(piece, &mut events));
    (events, fed.and_then(|()| reader.end()))
}
