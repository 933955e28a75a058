//! The texts of a JSON value, as a person would read them: what its strings say, line by line.

use annals_json::{Kind, Value};

use super::rows::INDEXED_BYTES;

/// Strings that are bytes in disguise: nobody searches for them.
const OPAQUE: [&[u8]; 4] = [b"data", b"signature", b"base64", b"encrypted_content"];

/// All strings of a value, one a line, and their bytes in all; no more is gathered than can be searched for.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) text: String,
    pub(super) bytes: u64,
}

impl Texts {
    /// Of one value, whatever it holds.
    pub(super) fn of(value: Value<'_>) -> Self {
        let mut texts = Self::default();
        texts.gather(value);
        texts
    }

    /// Takes a text.
    pub(super) fn push(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        let room = INDEXED_BYTES.saturating_sub(self.text.len());
        if room == 0 || text.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
    }

    fn gather(&mut self, value: Value<'_>) {
        match value.kind() {
            Kind::String => {
                if let Some(text) = value.text() {
                    self.push(&text.decode());
                }
            }
            Kind::Array => value.items().for_each(|item| self.gather(item)),
            Kind::Object => {
                let Some(fields) = value.fields() else { return };
                for field in fields.iter().filter(|field| !OPAQUE.contains(&field.key.raw())) {
                    // A block's type is no word of anybody's.
                    if field.key.raw() != b"type" {
                        self.gather(field.value);
                    }
                }
            }
            _ => {}
        }
    }
}
