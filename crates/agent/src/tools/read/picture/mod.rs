//! Pictures: told by their first bytes, looked at before they are sent, and sent as they are where the API takes them so.
//!
//! A picture that the API refuses would stay in the conversation and have every request after it refused, so none goes
//! out that cannot be decoded here.

mod decode;
mod shrink;

use std::sync::{Mutex, PoisonError};

use annals_transcript::objects::OVERSIZE;

use super::base64::base64;
use crate::tools::answer::object;
use crate::tools::stop::Stop;
use crate::tools::{InputError, Outcome, Shown};
use decode::Opened;

/// The largest picture that the API takes, before it is spelled in base 64.
const MOST_BYTES: usize = 3_750_000;
/// It stands in a line twice, and the line must be one that clients still open.
const _: () = assert!(MOST_BYTES / 3 * 4 * 2 + (64 << 10) < OVERSIZE);
/// The longest edge: the API takes 8000 pixels of a picture alone, and 2000 of one among many.
const LONGEST_EDGE: u32 = 2000;

/// Reads run beside each other, and a decoded picture is large: one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Kinds of pictures that the API takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    width: u32,
    height: u32,
}

/// A picture as it is sent.
struct Sent<'a> {
    kind: Kind,
    bytes: &'a [u8],
    size: Size,
}

/// Why a picture cannot be shown.
#[derive(Debug, thiserror::Error)]
enum PictureError {
    #[error("The picture cannot be decoded as {}: {source}.", kind.media_type())]
    Damaged { kind: Kind, source: image::ImageError },
    #[error(
        "The picture says that it has {} x {} pixels, which is more than can be decoded here ({} MiB). Make it smaller with a program through Bash.",
        size.width, size.height, decode::MOST_DECODED >> 20
    )]
    TooLarge { size: Size },
    #[error(
        "The picture needs more memory to be decoded than it may have here ({} MiB). Make it smaller with a program through Bash.",
        decode::MOST_DECODED >> 20
    )]
    NeedsTooMuch,
    #[error("The picture says that it has no pixels.")]
    Empty,
    #[error("The picture has {bytes} bytes, and it could not be made smaller than {MOST_BYTES}.")]
    DoesNotFit { bytes: usize },
    #[error("The call was interrupted.")]
    Stopped,
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

impl Size {
    fn longest(self) -> u32 {
        self.width.max(self.height)
    }

    /// The same form with the longest edge so long; never without pixels.
    fn within(self, edge: u32) -> Self {
        let longest = self.longest();
        if longest <= edge {
            return self;
        }
        let scaled = |side: u32| {
            let side = (u64::from(side) * u64::from(edge) + u64::from(longest) / 2) / u64::from(longest);
            u32::try_from(side).unwrap_or(edge).max(1)
        };
        Self { width: scaled(self.width), height: scaled(self.height) }
    }
}

/// A picture as a block. It takes a while: not for the thread that others wait on.
pub(super) fn show(bytes: &[u8], kind: Kind, stop: &Stop) -> Result<Outcome, InputError> {
    prepare(bytes, kind, stop).map_err(|error| InputError(error.to_string()))
}

fn prepare(bytes: &[u8], kind: Kind, stop: &Stop) -> Result<Outcome, PictureError> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if stop.is_wanted() {
        return Err(PictureError::Stopped);
    }
    let Opened { size, pixels } = decode::open(bytes, kind)?;
    let fits = bytes.len() <= MOST_BYTES && size.longest() <= LONGEST_EDGE;
    let Some(pixels) = pixels.filter(|_| !fits) else {
        return match fits {
            true => Ok(outcome(bytes.len(), size, &Sent { kind, bytes, size })),
            // A variety that the API may know and that is not decoded here: it can only go as it is.
            false => Err(PictureError::DoesNotFit { bytes: bytes.len() }),
        };
    };
    let original = Size { width: pixels.width(), height: pixels.height() };
    let smaller = shrink::shrink(pixels, kind, stop)?;
    Ok(outcome(
        bytes.len(),
        original,
        &Sent { kind: smaller.kind, bytes: &smaller.bytes, size: smaller.size },
    ))
}

fn outcome(original_bytes: usize, original: Size, sent: &Sent<'_>) -> Outcome {
    let (data, media_type) = (base64(sent.bytes), sent.kind.media_type());
    let kept = object(|kept| {
        kept.string("type", "image").object("file", |file| {
            file.string("base64", &data).string("type", media_type);
            file.number("originalSize", original_bytes as u64);
            file.object("dimensions", |dimensions| {
                dimensions.number("originalWidth", u64::from(original.width));
                dimensions.number("originalHeight", u64::from(original.height));
                dimensions.number("displayWidth", u64::from(sent.size.width));
                dimensions.number("displayHeight", u64::from(sent.size.height));
            });
        });
    });
    let block = object(|block| {
        block.string("type", "image").object("source", |source| {
            source.string("type", "base64").string("media_type", media_type).string("data", &data);
        });
    });
    let mut blocks = vec![block];
    if original != sent.size {
        // Who points at a place of the picture, or cuts it out of the file, must know the scale.
        let note = format!(
            "The picture has {} x {} pixels and is shown with {} x {}: coordinates times {:.3} are those of the file.",
            original.width,
            original.height,
            sent.size.width,
            sent.size.height,
            f64::from(original.longest()) / f64::from(sent.size.longest())
        );
        blocks.push(object(|block| {
            block.string("type", "text").string("text", &note);
        }));
    }
    Outcome { shown: Shown::Blocks(blocks), kept, ..Outcome::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_kept_and_no_edge_vanishes() {
        let within = |width, height| {
            let size = Size { width, height }.within(2000);
            (size.width, size.height)
        };
        assert_eq!(within(4000, 1000), (2000, 500));
        assert_eq!(within(1000, 4001), (500, 2000));
        assert_eq!(within(65_000, 3), (2000, 1));
        assert_eq!(within(u32::MAX, u32::MAX), (2000, 2000));
        assert_eq!(within(2000, 7), (2000, 7));
    }
}
