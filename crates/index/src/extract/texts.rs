//! Collects the strings of a JSON value as searchable text.

use annals_json::{MAX_WALK_DEPTH, Nesting, Text, Value, ValueKind, strings};

use super::rows::MAX_INDEXED_BYTES;

/// Keys whose strings are encoded bytes, which nobody searches for.
const OPAQUE: [&[u8]; 4] = [b"data", b"signature", b"base64", b"encrypted_content"];

/// All strings of a value, one per line, up to the searchable size, and their total length.
#[derive(Debug, Default)]
pub(super) struct TextCollector {
    pub(super) text: String,
    pub(super) bytes: u64,
}

impl TextCollector {
    pub(super) fn of(value: Value<'_>) -> Self {
        let mut texts = Self::default();
        texts.collect(value, &Nesting::of(value), 0);
        texts
    }

    pub(super) fn push(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        let room = MAX_INDEXED_BYTES.saturating_sub(self.text.len());
        if room == 0 || text.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
    }

    /// Adds a string; of a long one only what can be searched is decoded.
    pub(super) fn push_text(&mut self, text: Text<'_>) {
        if text.raw().len() <= MAX_INDEXED_BYTES {
            return self.push(&text.decode());
        }
        let room = MAX_INDEXED_BYTES.saturating_sub(self.text.len());
        let head = text.head_bytes(room);
        self.push(&head);
        self.bytes += (text.decoded_len() - head.len()) as u64;
    }

    fn collect<'a>(&mut self, value: Value<'a>, nesting: &Nesting<'a>, depth: usize) {
        match value.kind() {
            ValueKind::Array | ValueKind::Object if depth >= MAX_WALK_DEPTH => {
                for string in strings(value).filter(|string| !string.is_key) {
                    self.push_text(string.text);
                }
            }
            ValueKind::String => {
                if let Some(text) = value.text() {
                    self.push_text(text);
                }
            }
            ValueKind::Array => {
                nesting.items(value).for_each(|item| self.collect(item, nesting, depth + 1));
            }
            ValueKind::Object => {
                let Some(fields) = nesting.fields(value) else { return };
                for field in fields.iter().filter(|field| !OPAQUE.contains(&field.key.raw())) {
                    // The type of a block is not part of the text.
                    if field.key.raw() != b"type" {
                        self.collect(field.value, nesting, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}
