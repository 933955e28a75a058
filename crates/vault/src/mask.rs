//! Replaces ids in a session's bytes before they are cut into chunks, and puts them back when they are read.
//!
//! A client forks a session by copying its lines under a new id. Without the id the lines of both are the same bytes and
//! are stored once. Every other id is random, so no compressor can shorten it; it is stored as its 16 bytes, which halves
//! the data that compression has to search.
//!
//! The byte `ff` never occurs in UTF-8: `ff 01` stands for the session's id, `ff 02` and 16 bytes for another id, `ff 00`
//! for an `ff` in the input.

use annals_store::digest::hex_digits;
use memchr::{memchr, memmem};

const ESCAPE: u8 = 0xff;
const ESCAPED_BYTE: u8 = 0x00;
const SESSION_ID: u8 = 0x01;
const UUID: u8 = 0x02;

/// The length of an id as text.
const ID: usize = 36;
const DASHES: [usize; 4] = [8, 13, 18, 23];
/// Ids are UUIDs of version 4, which is how they are found.
const MARK: &[u8] = b"-4";
const MARK_AT: usize = 13;

/// Replaces ids in a stream.
#[derive(Debug)]
pub(crate) struct Masker {
    word: Vec<u8>,
    held: Vec<u8>,
}

impl Masker {
    /// Masks this session id and all UUIDs; with an empty id the bytes pass unchanged.
    pub(crate) fn new(word: &str) -> Self {
        Self { word: word.as_bytes().to_vec(), held: Vec::new() }
    }

    /// Adds bytes; the possible start of an id is held back.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.word.is_empty() {
            return out.extend_from_slice(bytes);
        }
        self.held.extend_from_slice(bytes);
        let longest = self.word.len().max(ID);
        let safe = (self.held.len() + 1).saturating_sub(longest);
        self.mask(safe, out);
    }

    /// Ends the stream.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) {
        self.mask(self.held.len(), out);
    }

    /// Writes everything that starts before `safe`.
    fn mask(&mut self, safe: usize, out: &mut Vec<u8>) {
        let mut done = 0;
        if !self.word.is_empty() {
            for at in memmem::find_iter(&self.held, &self.word).take_while(|at| *at < safe) {
                shorten(&self.held[done..at], at - done, out);
                out.extend_from_slice(&[ESCAPE, SESSION_ID]);
                done = at + self.word.len();
            }
        }
        if done < safe {
            done += shorten(&self.held[done..], safe - done, out);
        }
        self.held.drain(..done);
    }
}

/// Writes what starts in the first `until` bytes, with ids as bytes; returns how far it got.
fn shorten(bytes: &[u8], until: usize, out: &mut Vec<u8>) -> usize {
    let mut done = 0;
    for mark in memmem::find_iter(bytes, MARK) {
        let Some(at) = mark.checked_sub(MARK_AT).filter(|at| *at >= done) else { continue };
        if at >= until {
            break;
        }
        let Some(id) = bytes.get(at..at + ID).and_then(parse_uuid) else { continue };
        escape(&bytes[done..at], out);
        out.extend_from_slice(&[ESCAPE, UUID]);
        out.extend_from_slice(&id);
        done = at + ID;
    }
    if done < until {
        escape(&bytes[done..until], out);
        done = until;
    }
    done
}

/// The 16 bytes of an id in lower case; others could not be written back unchanged.
fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    if DASHES.iter().any(|at| text[*at] != b'-') {
        return None;
    }
    let mut digits = (0..ID).filter(|at| !DASHES.contains(at)).map(|at| match text[at] {
        digit @ b'0'..=b'9' => Some(digit - b'0'),
        digit @ b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    });
    let mut id = [0; 16];
    for byte in &mut id {
        *byte = digits.next()?? << 4 | digits.next()??;
    }
    Some(id)
}

fn write_uuid(id: &[u8; 16], out: &mut Vec<u8>) {
    for (at, byte) in id.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend_from_slice(&hex_digits(*byte));
    }
}

fn escape(mut bytes: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr(ESCAPE, bytes) {
        out.extend_from_slice(&bytes[..at]);
        out.extend_from_slice(&[ESCAPE, ESCAPED_BYTE]);
        bytes = &bytes[at + 1..];
    }
    out.extend_from_slice(bytes);
}

/// Puts ids back into a stream.
#[derive(Debug)]
pub(crate) struct Unmasker<'w> {
    word: &'w str,
    state: UnmaskState,
}

/// What the bytes so far have left open.
#[derive(Debug)]
enum UnmaskState {
    Text,
    Escape,
    Id { bytes: [u8; 16], known: usize },
}

/// The bytes were not written by a [`Masker`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MaskError;

impl<'w> Unmasker<'w> {
    /// Puts this session id and all UUIDs back; with an empty id the bytes pass unchanged.
    pub(crate) fn new(word: &'w str) -> Self {
        Self { word, state: UnmaskState::Text }
    }

    /// Adds masked bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), MaskError> {
        if self.word.is_empty() {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        while !bytes.is_empty() {
            match &mut self.state {
                UnmaskState::Text => {
                    let end = memchr(ESCAPE, bytes).unwrap_or(bytes.len());
                    out.extend_from_slice(&bytes[..end]);
                    if end < bytes.len() {
                        self.state = UnmaskState::Escape;
                    }
                    bytes = bytes.get(end + 1..).unwrap_or_default();
                }
                UnmaskState::Escape => {
                    let meaning = bytes[0];
                    self.state = UnmaskState::Text;
                    match meaning {
                        ESCAPED_BYTE => out.push(ESCAPE),
                        SESSION_ID => out.extend_from_slice(self.word.as_bytes()),
                        UUID => self.state = UnmaskState::Id { bytes: [0; 16], known: 0 },
                        _ => return Err(MaskError),
                    }
                    bytes = &bytes[1..];
                }
                UnmaskState::Id { bytes: id, known } => {
                    let length = bytes.len().min(id.len() - *known);
                    id[*known..*known + length].copy_from_slice(&bytes[..length]);
                    *known += length;
                    bytes = &bytes[length..];
                    if *known == id.len() {
                        write_uuid(id, out);
                        self.state = UnmaskState::Text;
                    }
                }
            }
        }
        Ok(())
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

    fn unmasked(word: &str, stored: &[u8], cut: usize) -> Vec<u8> {
        let mut back = Vec::new();
        let mut unmasker = Unmasker::new(word);
        stored.chunks(cut).for_each(|chunk| unmasker.push(chunk, &mut back).unwrap());
        back
    }

    #[test]
    fn the_word_goes_also_where_the_stream_is_broken() {
        assert_eq!(masked("wórd", &["a wó".as_bytes(), "rd b".as_bytes()]), b"a \xff\x01 b");
        assert_eq!(masked("word", &[b"a\xffb wor"]), b"a\xff\x00b wor");
        assert_eq!(masked("", &[b"a\xffb"]), b"a\xffb");
        assert_eq!(Unmasker::new("word").push(b"\xff\x07", &mut Vec::new()), Err(MaskError));
    }

    #[test]
    fn an_id_becomes_its_bytes_wherever_the_stream_is_broken() {
        const OWN: &str = "1c332d03-ece5-4f5d-b0cd-106dd97d1edf";
        let text = format!("{OWN} 00112233-4455-4677-8899-aabbccddeeff 00112233-4455-4677-8899-AABBCCDDEEFF");
        let other = b" \xff\x02\x00\x11\x22\x33\x44\x55\x46\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff ";
        let expected = [b"\xff\x01", &other[..], b"00112233-4455-4677-8899-AABBCCDDEEFF"].concat();
        for cut in 0..text.len() {
            let (first, second) = text.as_bytes().split_at(cut);
            let stored = masked(OWN, &[first, second]);
            assert_eq!(stored, expected, "cut at {cut}");
            assert_eq!(unmasked(OWN, &stored, cut.max(1)), text.as_bytes());
        }
    }

    proptest! {
        #[test]
        fn whatever_goes_in_comes_back(
            parts in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![b'a', b'b', 0xff, 0, 1, 2]), 0..9), 0..9),
            word in prop::sample::select(vec!["", "a", "ab", "aab", "abab"]),
            cut in 1_usize..4,
        ) {
            let slices: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let stored = masked(word, &slices);
            prop_assert_eq!(unmasked(word, &stored, cut), parts.concat());
        }

        #[test]
        fn near_ids_come_back(
            parts in prop::collection::vec("([0-9a-g]{7,9}-){0,1}[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-fA]{11,13}", 0..5),
            cut in 1_usize..60,
        ) {
            let text = parts.concat();
            let slices: Vec<&[u8]> = text.as_bytes().chunks(cut).collect();
            let word = "1c332d03-ece5-4f5d-b0cd-106dd97d1edf";
            prop_assert_eq!(unmasked(word, &masked(word, &slices), cut), text.as_bytes());
        }
    }
}
