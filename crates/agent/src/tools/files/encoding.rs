//! The encoding and line endings of a text file. The model sees plain text with `\n`; the file keeps its format.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextEncoding {
    Utf8,
    Utf8WithMark,
    Utf16Little,
    Utf16Big,
    /// Not UTF-8: each byte is taken as one character, so that every byte can be written back.
    Bytes,
}

/// How most lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnding {
    Lf,
    CrLf,
}

/// The format of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextFormat {
    encoding: TextEncoding,
    line_ending: LineEnding,
}

/// A character that the file's encoding does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The file is not UTF-8, and its encoding cannot represent {0:?} of the new text.")]
pub(crate) struct UnencodableChar(char);

const UTF8_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

impl TextFormat {
    /// The format of a new file.
    pub(crate) const NEW: Self = Self { encoding: TextEncoding::Utf8, line_ending: LineEnding::Lf };

    /// Decodes a file: its format, and its text with the line endings as they are; `None` if it is binary.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Self, String)> {
        let (encoding, text) = decode(bytes)?;
        let pairs = text.matches("\r\n").count();
        let line_ending =
            if pairs * 2 > text.matches('\n').count() { LineEnding::CrLf } else { LineEnding::Lf };
        Some((Self { encoding, line_ending }, text))
    }

    /// The text with this file's line endings instead of `\n`.
    pub(crate) fn ended(self, text: &str) -> String {
        match self.line_ending {
            LineEnding::Lf => text.to_owned(),
            // Endings that are `\r\n` already stay.
            LineEnding::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }

    /// Encodes a text.
    pub(crate) fn spell(self, text: &str) -> Result<Vec<u8>, UnencodableChar> {
        let units = |spell: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(spell).collect::<Vec<u8>>();
        Ok(match self.encoding {
            TextEncoding::Utf8 => text.as_bytes().to_vec(),
            TextEncoding::Utf8WithMark => [UTF8_MARK, text.as_bytes()].concat(),
            TextEncoding::Utf16Little => [vec![0xff, 0xfe], units(u16::to_le_bytes)].concat(),
            TextEncoding::Utf16Big => [vec![0xfe, 0xff], units(u16::to_be_bytes)].concat(),
            TextEncoding::Bytes => text
                .chars()
                .map(|letter| u8::try_from(letter).map_err(|_| UnencodableChar(letter)))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn decode(bytes: &[u8]) -> Option<(TextEncoding, String)> {
    if let Some(rest) = bytes.strip_prefix(UTF8_MARK)
        && let Ok(text) = std::str::from_utf8(rest)
    {
        return Some((TextEncoding::Utf8WithMark, text.to_owned()));
    }
    let wide = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        if rest.len().is_multiple_of(2) {
            char::decode_utf16(units).collect::<Result<String, _>>().ok()
        } else {
            None
        }
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => return Some((TextEncoding::Utf16Little, wide(rest, u16::from_le_bytes)?)),
        [0xfe, 0xff, rest @ ..] => return Some((TextEncoding::Utf16Big, wide(rest, u16::from_be_bytes)?)),
        _ => {}
    }
    match std::str::from_utf8(bytes) {
        // A text may hold a stray NUL; a file that begins with many is binary.
        Ok(text) if !is_binary(bytes) => Some((TextEncoding::Utf8, text.to_owned())),
        Ok(_) => None,
        Err(_) if memchr::memchr(0, bytes).is_some() => None,
        Err(_) => Some((TextEncoding::Bytes, bytes.iter().map(|byte| char::from(*byte)).collect())),
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(8192)];
    memchr::memchr_iter(0, head).count() > head.len() / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written_back() {
        let cases: [&[u8]; 9] = [
            b"",
            b"plain\n",
            b"a\r\nb\r\nc\n",
            b"\xef\xbb\xbfmarked\n",
            b"\xff\xfea\0\n\0",
            b"\xfe\xff\0a\0\n",
            b"caf\xe9\n",
            "déjà vu 😀".as_bytes(),
            b"one\0nul in a text that is long enough for it to be a text, or so it seems to one who counts to a hundred bytes",
        ];
        for bytes in cases {
            let (encoding, text) = TextFormat::read(bytes).unwrap();
            assert_eq!(encoding.spell(&text).unwrap(), bytes);
        }
    }

    #[test]
    fn what_is_no_text_is_not_read() {
        assert_eq!(TextFormat::read(b"\x7fELF\x02\0\0\0\xff"), None);
        assert_eq!(TextFormat::read(&[0; 40]), None);
        assert_eq!(TextFormat::read(b"\xff\xfea"), None);
    }

    #[test]
    fn a_letter_that_the_file_cannot_hold_is_refused() {
        let (encoding, _) = TextFormat::read(b"caf\xe9").unwrap();
        assert_eq!(encoding.spell("é€"), Err(UnencodableChar('€')));
    }
}
