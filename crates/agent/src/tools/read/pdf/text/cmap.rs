//! Which letters the codes of a font stand for, where it says so itself.

use std::collections::HashMap;

use super::super::object::Object;
use super::super::parse::{Parser, Token};

/// How many codes are taken in.
const MOST_CODES: usize = 100_000;

/// Codes and their letters.
#[derive(Debug, Default)]
pub(super) struct CodeMap {
    letters: HashMap<u32, String>,
    /// Bytes of a code, where it says so.
    pub(super) width: Option<usize>,
}

impl CodeMap {
    pub(super) fn get(&self, code: u32) -> Option<&str> {
        self.letters.get(&code).map(String::as_str)
    }

    /// Reads one; what is not understood is left out.
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
            self.put(number(&code), utf16(&letters));
        }
    }

    fn put(&mut self, code: u32, letters: String) {
        if self.letters.len() < MOST_CODES {
            self.letters.insert(code, letters);
        }
    }

    fn range(&mut self, range: &[Object]) {
        let (Some(low), Some(high)) = (range[0].string(), range[1].string()) else { return };
        let (low, high) = (number(&low), number(&high).min(number(&low).saturating_add(0xffff)));
        if let Object::Array(each) = &range[2] {
            for (code, letters) in (low..=high).zip(each) {
                self.put(code, letters.string().map(|bytes| utf16(&bytes)).unwrap_or_default());
            }
        }
        let Some(first) = range[2].string() else { return };
        for (code, step) in (low..=high).zip(0_u32..) {
            // Only the last letter counts on.
            let mut units = first.clone();
            let last = units.len().saturating_sub(2);
            let next = number(&units[last..]).wrapping_add(step);
            units.truncate(last);
            units.extend_from_slice(&(next as u16).to_be_bytes());
            self.put(code, utf16(&units));
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Letters in UTF-16, the high byte first.
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
}
