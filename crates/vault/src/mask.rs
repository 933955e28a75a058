//! Ids, taken out of a session's bytes before they are cut, and put back when they are read.
//!
//! The client forks a session by writing its lines again under a new id. Without the id the lines of both are the same
//! bytes, and are stored once. Every other id is chance that no compressor can shorten, and is kept as the 16 bytes that it
//! spells: half of what there is to search, which is what compressing costs.
//!
//! The byte `ff` never occurs in UTF-8: `ff 01` stands for the session's id, `ff 02` and 16 bytes for another one, `ff 00`
//! for an `ff` that was there after all.

use memchr::{memchr, memmem};

const ESCAPE: u8 = 0xff;
const ITSELF: u8 = 0x00;
const WORD: u8 = 0x01;
const SPELLED: u8 = 0x02;

/// How long a spelled id is.
const ID: usize = 36;
/// Where ids have their dashes.
const DASHES: [usize; 4] = [8, 13, 18, 23];
/// Ids are of version 4: that is how they are found.
const MARK: &[u8] = b"-4";
const MARK_AT: usize = 13;

/// Takes ids out of a stream.
#[derive(Debug)]
pub(crate) struct Masker {
    word: Vec<u8>,
    held: Vec<u8>,
}

impl Masker {
    /// Takes this word out, and ids; with an empty one, bytes go through as they are.
    pub(crate) fn new(word: &str) -> Self {
        Self { word: word.as_bytes().to_vec(), held: Vec::new() }
    }

    /// Feeds bytes; what may be the beginning of an id is held back.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.word.is_empty() {
            return out.extend_from_slice(bytes);
        }
        self.held.extend_from_slice(bytes);
        let longest = self.word.len().max(ID);
        let safe = (self.held.len() + 1).saturating_sub(longest);
        self.mask(safe, out);
    }

    /// The end of the stream.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) {
        self.mask(self.held.len(), out);
    }

    /// Gives away all that begins before `safe`.
    fn mask(&mut self, safe: usize, out: &mut Vec<u8>) {
        let mut done = 0;
        if !self.word.is_empty() {
            for at in memmem::find_iter(&self.held, &self.word).take_while(|at| *at < safe) {
                shorten(&self.held[done..at], at - done, out);
                out.extend_from_slice(&[ESCAPE, WORD]);
                done = at + self.word.len();
            }
        }
        if done < safe {
            done += shorten(&self.held[done..], safe - done, out);
        }
        self.held.drain(..done);
    }
}

/// Writes what begins in the first `until` bytes, ids as their bytes; says how far that went.
fn shorten(bytes: &[u8], until: usize, out: &mut Vec<u8>) -> usize {
    let mut done = 0;
    for mark in memmem::find_iter(bytes, MARK) {
        let Some(at) = mark.checked_sub(MARK_AT).filter(|at| *at >= done) else { continue };
        if at >= until {
            break;
        }
        let Some(id) = bytes.get(at..at + ID).and_then(spelled) else { continue };
        escape(&bytes[done..at], out);
        out.extend_from_slice(&[ESCAPE, SPELLED]);
        out.extend_from_slice(&id);
        done = at + ID;
    }
    if done < until {
        escape(&bytes[done..until], out);
        done = until;
    }
    done
}

/// The bytes that an id spells, in small letters only: it must come back as it was.
fn spelled(text: &[u8]) -> Option<[u8; 16]> {
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

/// Spells an id.
fn spell(id: &[u8; 16], out: &mut Vec<u8>) {
    for (at, byte) in id.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
        out.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
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

/// Puts ids back.
#[derive(Debug)]
pub(crate) struct Unmasker<'w> {
    word: &'w str,
    within: Within,
}

/// What was begun, and not ended, by the bytes before.
#[derive(Debug)]
enum Within {
    Text,
    Escape,
    Id { bytes: [u8; 16], known: usize },
}

/// Bytes that no masker wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotMasked;

impl<'w> Unmasker<'w> {
    /// Puts this word back, and ids; an empty one is no word, and nothing was taken out.
    pub(crate) fn new(word: &'w str) -> Self {
        Self { word, within: Within::Text }
    }

    /// Feeds masked bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), NotMasked> {
        if self.word.is_empty() {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        while !bytes.is_empty() {
            match &mut self.within {
                Within::Text => {
                    let end = memchr(ESCAPE, bytes).unwrap_or(bytes.len());
                    out.extend_from_slice(&bytes[..end]);
                    if end < bytes.len() {
                        self.within = Within::Escape;
                    }
                    bytes = bytes.get(end + 1..).unwrap_or_default();
                }
                Within::Escape => {
                    let meaning = bytes[0];
                    self.within = Within::Text;
                    match meaning {
                        ITSELF => out.push(ESCAPE),
                        WORD => out.extend_from_slice(self.word.as_bytes()),
                        SPELLED => self.within = Within::Id { bytes: [0; 16], known: 0 },
                        _ => return Err(NotMasked),
                    }
                    bytes = &bytes[1..];
                }
                Within::Id { bytes: id, known } => {
                    let length = bytes.len().min(id.len() - *known);
                    id[*known..*known + length].copy_from_slice(&bytes[..length]);
                    *known += length;
                    bytes = &bytes[length..];
                    if *known == id.len() {
                        spell(id, out);
                        self.within = Within::Text;
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
        stored.chunks(cut).for_each(|piece| unmasker.push(piece, &mut back).unwrap());
        back
    }

    #[test]
    fn the_word_goes_also_where_the_stream_is_broken() {
        assert_eq!(masked("wórd", &["a wó".as_bytes(), "rd b".as_bytes()]), b"a \xff\x01 b");
        assert_eq!(masked("word", &[b"a\xffb wor"]), b"a\xff\x00b wor");
        assert_eq!(masked("", &[b"a\xffb"]), b"a\xffb");
        assert_eq!(Unmasker::new("word").push(b"\xff\x07", &mut Vec::new()), Err(NotMasked));
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
