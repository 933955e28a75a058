//! A session's own id, taken out of its bytes before they are cut, and put back when they are read.
//!
//! The client forks a session by writing its lines again under a new id. Without the id the lines of both are the same
//! bytes, and are stored once. The byte `ff` never occurs in UTF-8: `ff 01` stands for the id, `ff 00` for an `ff` that was
//! there after all.

use memchr::{memchr, memmem};

const ESCAPE: u8 = 0xff;
const ITSELF: u8 = 0x00;
const WORD: u8 = 0x01;

/// Takes a word out of a stream.
#[derive(Debug)]
pub(crate) struct Masker {
    word: Vec<u8>,
    held: Vec<u8>,
}

impl Masker {
    /// Takes this word out; an empty one is no word, and bytes go through as they are.
    pub(crate) fn new(word: &str) -> Self {
        Self { word: word.as_bytes().to_vec(), held: Vec::new() }
    }

    /// Feeds bytes; what may be the beginning of the word is held back.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.word.is_empty() {
            return out.extend_from_slice(bytes);
        }
        self.held.extend_from_slice(bytes);
        let mut done = 0;
        for at in memmem::find_iter(&self.held, &self.word) {
            escape(&self.held[done..at], out);
            out.extend_from_slice(&[ESCAPE, WORD]);
            done = at + self.word.len();
        }
        let safe = (self.held.len() + 1).saturating_sub(self.word.len()).max(done);
        escape(&self.held[done..safe], out);
        self.held.drain(..safe);
    }

    /// The end of the stream.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) {
        let rest = std::mem::take(&mut self.held);
        escape(&rest, out);
    }
}

fn escape(mut bytes: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr(ESCAPE, bytes) {
        out.extend_from_slice(&bytes[..at]);
        out.extend_from_slice(&[ESCAPE, ITSELF]);
        bytes = &bytes[at + 1..];
    }
    out.extend_from_slice(bytes);
}

/// Puts the word back.
#[derive(Debug)]
pub(crate) struct Unmasker<'w> {
    word: &'w str,
    is_escaped: bool,
}

/// Bytes that no masker wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotMasked;

impl<'w> Unmasker<'w> {
    /// Puts this word back; an empty one is no word.
    pub(crate) fn new(word: &'w str) -> Self {
        Self { word, is_escaped: false }
    }

    /// Feeds masked bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), NotMasked> {
        if self.word.is_empty() {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        loop {
            if self.is_escaped {
                let Some((meaning, rest)) = bytes.split_first() else { return Ok(()) };
                match *meaning {
                    ITSELF => out.push(ESCAPE),
                    WORD => out.extend_from_slice(self.word.as_bytes()),
                    _ => return Err(NotMasked),
                }
                bytes = rest;
                self.is_escaped = false;
            }
            let Some(at) = memchr(ESCAPE, bytes) else {
                out.extend_from_slice(bytes);
                return Ok(());
            };
            out.extend_from_slice(&bytes[..at]);
            bytes = &bytes[at + 1..];
            self.is_escaped = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn masked(word: &str, parts: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut masker = Masker::new(word);
        parts.iter().for_each(|part| masker.push(part, &mut out));
        masker.finish(&mut out);
        out
    }

    #[test]
    fn the_word_goes_also_where_the_stream_is_broken() {
        assert_eq!(masked("wórd", &["a wó".as_bytes(), "rd b".as_bytes()]), b"a \xff\x01 b");
        assert_eq!(masked("word", &[b"a\xffb wor"]), b"a\xff\x00b wor");
        assert_eq!(masked("", &[b"a\xffb"]), b"a\xffb");
        assert_eq!(Unmasker::new("word").push(b"\xff\x07", &mut Vec::new()), Err(NotMasked));
    }

    proptest! {
        #[test]
        fn whatever_goes_in_comes_back(
            parts in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![b'a', b'b', 0xff, 0, 1]), 0..9), 0..9),
            word in prop::sample::select(vec!["", "a", "ab", "aab", "abab"]),
            cut in 1_usize..4,
        ) {
            let slices: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let stored = masked(word, &slices);
            let mut back = Vec::new();
            let mut unmasker = Unmasker::new(word);
            for piece in stored.chunks(cut) {
                unmasker.push(piece, &mut back).unwrap();
            }
            prop_assert_eq!(back, parts.concat());
        }
    }
}
