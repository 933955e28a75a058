//! `ToUnicode` maps: the characters of a font's codes.

use std::collections::HashMap;

use super::super::object::Object;
use super::super::parse::{Parser, Token};

/// The most codes of a map, repeated ones included.
const MAX_CODES: usize = 100_000;
/// The most bytes of text for one code.
const MAX_CODE_BYTES: usize = 128;

/// Codes and their characters.
#[derive(Debug, Default)]
pub(super) struct CodeMap {
    letters: HashMap<u32, String>,
    /// How many codes were read.
    pub(super) taken: usize,
    /// Bytes per code, if stated.
    pub(super) width: Option<usize>,
}

impl CodeMap {
    pub(super) fn get(&self, code: u32) -> Option<&str> {
        self.letters.get(&code).map(String::as_str)
    }

    /// Parses a map; invalid entries are skipped.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut parser = Parser::new(bytes, 0);
        let mut waiting: Vec<Object> = Vec::new();
        while let Some(token) = parser.token(0) {
            match token {
                Token::Value(value) => waiting.push(value),
                Token::Word(word) => {
                    match word {
                        b"endcodespacerange" => {
                            map.width = waiting.first().and_then(Object::string).map(|low| low.len().max(1));
                        }
                        b"endbfchar" => waiting.chunks_exact(2).for_each(|pair| map.one(&pair[0], &pair[1])),
                        b"endbfrange" => waiting.chunks_exact(3).for_each(|range| map.range(range)),
                        _ => {}
                    }
                    waiting.clear();
                }
                _ => {}
            }
        }
        map
    }

    fn one(&mut self, code: &Object, letters: &Object) {
        if let (Some(code), Some(letters)) = (code.string(), letters.string()) {
            self.put(number(&code), &letters);
        }
    }

    fn put(&mut self, code: u32, letters: &[u8]) {
        if self.taken < MAX_CODES {
            self.taken += 1;
            self.letters.insert(code, utf16(&letters[..letters.len().min(MAX_CODE_BYTES)]));
        }
    }

    fn range(&mut self, range: &[Object]) {
        let (Some(low), Some(high)) = (range[0].string(), range[1].string()) else { return };
        let left = u32::try_from(MAX_CODES.saturating_sub(self.taken)).unwrap_or(0).min(0x1_0000);
        let Some(most) = left.checked_sub(1) else { return };
        let (low, high) = (number(&low), number(&high).min(number(&low).saturating_add(most)));
        if let Object::Array(each) = &range[2] {
            for (code, letters) in (low..=high).zip(each) {
                self.put(code, &letters.string().unwrap_or_default());
            }
        }
        let Some(mut first) = range[2].string() else { return };
        first.truncate(MAX_CODE_BYTES);
        for (code, step) in (low..=high).zip(0_u32..) {
            // Only the last character is incremented.
            let mut units = first.clone();
            let last = units.len().saturating_sub(2);
            let next = number(&units[last..]).wrapping_add(step);
            units.truncate(last);
            units.extend_from_slice(&(next as u16).to_be_bytes());
            self.put(code, &units);
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Decodes UTF-16, big endian.
pub(super) fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks(2).map(|two| number(two) as u16);
    char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_letters() {
        let map = CodeMap::read(
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0048> <0002> <D83DDE00>
            endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<00660069> <0078>] endbfrange",
        );
        assert_eq!(map.width, Some(2));
        let get = |code| map.get(code).unwrap_or("-");
        assert_eq!([1, 2, 0x10, 0x12, 0x20, 0x21, 0x22].map(get), ["H", "😀", "a", "c", "fi", "x", "-"]);
        let huge = CodeMap::read(b"1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange");
        assert_eq!(huge.get(0xffff), Some("\u{40}"));
    }

    #[test]
    fn a_map_takes_in_so_many_codes_and_no_more() {
        let again = CodeMap::read("<0000> <FFFF> <0041> endbfrange ".repeat(3).as_bytes());
        assert_eq!(again.taken, MAX_CODES);
        let long = format!("<01> <{0}> endbfchar <02> <03> <{0}> endbfrange", "0041".repeat(100_000));
        let long = CodeMap::read(long.as_bytes());
        for code in 1..=3 {
            assert_eq!(long.get(code).map(str::len), Some(MAX_CODE_BYTES / 2), "{code}");
        }
    }
}
