//! Pictures: told by their first bytes, sent as they are.

use crate::tools::answer::object;
use crate::tools::{InputError, Outcome, Shown};

/// The largest picture that the API takes, before it is spelled in base 64.
const MOST_BYTES: usize = 3_750_000;

/// Kinds of pictures that the API takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl Kind {
    /// The kind of these bytes, whatever their file is called.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

/// A picture as a block.
pub(super) fn show(bytes: &[u8], kind: Kind) -> Result<Outcome, InputError> {
    if bytes.len() > MOST_BYTES {
        return Err(InputError(format!(
            "The picture has {} bytes; more than {MOST_BYTES} cannot be shown. Make it smaller with a program through Bash.",
            bytes.len()
        )));
    }
    let (data, media_type) = (base64(bytes), kind.media_type());
    let kept = object(|kept| {
        kept.string("type", "image").object("file", |file| {
            file.string("base64", &data)
                .string("type", media_type)
                .number("originalSize", bytes.len() as u64);
        });
    });
    let block = object(|block| {
        block.string("type", "image").object("source", |source| {
            source.string("type", "base64").string("media_type", media_type).string("data", &data);
        });
    });
    Ok(Outcome { shown: Shown::Blocks(vec![block]), kept, ..Outcome::default() })
}

/// Bytes in base 64, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            match at <= three.len() {
                true => out.push(char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize])),
                false => out.push('='),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_usual_one() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }
}
