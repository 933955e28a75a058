//! Text in UTF-16, as some programs write their files: read, and replaced in the same form.

use super::origin::TextOrigin;
use super::rewrite::{FileText, ReplaceFn, spliced};
use super::visit::TextKind;

type ReadUnit = fn([u8; 2]) -> u16;
type WriteUnit = fn(u16) -> [u8; 2];

/// A file in UTF-16.
#[derive(Debug)]
pub(super) struct Utf16Text<'b> {
    bytes: &'b [u8],
    text: String,
    /// The offset of each byte of the text in the file, and that of its end.
    offsets: Vec<usize>,
    to_bytes: WriteUnit,
}

impl<'b> Utf16Text<'b> {
    /// Reads a file if it is in UTF-16: every other byte of most text is 0 there.
    pub(super) fn of(bytes: &'b [u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(4096) / 2 * 2];
        let zeros = |first: usize| head.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
        let (big, little) = (zeros(0), zeros(1));
        let is_wide =
            |zeros: usize, others: usize| head.len() >= 8 && zeros * 5 >= head.len() && others * 8 < zeros;
        let (from, to_bytes): (ReadUnit, WriteUnit) = match () {
            () if is_wide(little, big) => (u16::from_le_bytes, u16::to_le_bytes),
            () if is_wide(big, little) => (u16::from_be_bytes, u16::to_be_bytes),
            () => return None,
        };
        let units = bytes.chunks_exact(2).map(|pair| from([pair[0], pair[1]]));
        let (mut text, mut offsets, mut at) = (String::new(), Vec::new(), 0);
        for unit in char::decode_utf16(units) {
            let (shown, length) = match unit {
                Ok(shown) => (shown, shown.len_utf16() * 2),
                Err(_) => (char::REPLACEMENT_CHARACTER, 2),
            };
            text.push(shown);
            offsets.extend(std::iter::repeat_n(at, shown.len_utf8()));
            at += length;
        }
        offsets.push(at);
        Some(Self { bytes, text, offsets, to_bytes })
    }

    /// The file with its replacements.
    pub(super) fn rewrite(
        &self,
        start: usize,
        origin: &TextOrigin,
        replace: &mut ReplaceFn<'_>,
    ) -> Option<Vec<u8>> {
        let offset_of =
            |decoded: usize| start + self.offsets.get(decoded).copied().unwrap_or(self.bytes.len());
        let (name, kind) = ("", TextKind::Text);
        let all = replace(FileText { text: &self.text, name, kind, origin, offset_of: &offset_of });
        let splices: Vec<_> = all
            .into_iter()
            .map(|(span, new)| {
                let (from, to) = (self.offsets[span.start], self.offsets[span.end]);
                (from, to - from, new.encode_utf16().flat_map(self.to_bytes).collect())
            })
            .collect();
        spliced(self.bytes, &splices)
    }
}
