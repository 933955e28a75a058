//! Images: recognised by their first bytes, decoded before they are sent, and sent unchanged if the API takes them so.
//!
//! An image that the API refuses would stay in the conversation and make every later request fail, so an image that cannot
//! be decoded here is not sent.

mod attach;
mod decode;
mod orientation;
mod pixels;
mod shrink;
mod thumbnail;

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use annals_transcript::objects::MAX_LINE_BYTES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::tools::answer::object;
use crate::tools::blocking::StopFlag;
use crate::tools::{InputError, Outcome, ToolContent};
pub use attach::{PromptImage, prompt_image};
use decode::DecodedImage;
pub use thumbnail::{Thumbnail, thumbnail};

/// The largest image that the API takes, before base64.
const MAX_BYTES: usize = 3_750_000;
/// A session line holds it twice, and must be one that clients still open.
const _: () = assert!(MAX_BYTES / 3 * 4 * 2 + (64 << 10) < MAX_LINE_BYTES);
/// The longest edge: the API takes 8000 pixels of a single image, and 2000 if there are many.
const MAX_EDGE: u32 = 2000;

/// Reads run in parallel, and a decoded image is large: one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Image formats that the API takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageFormat {
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

/// An image as it is sent.
struct SentImage<'a> {
    format: ImageFormat,
    bytes: Cow<'a, [u8]>,
    size: Size,
    /// The size of the file that it was made from.
    original: Size,
}

/// Why an image cannot be shown.
#[derive(Debug, thiserror::Error)]
enum PictureError {
    #[error("The image cannot be decoded as {}: {source}.", format.media_type())]
    Damaged { format: ImageFormat, source: Box<dyn std::error::Error + Send + Sync> },
    #[error(
        "The image claims to be {} x {} pixels, more than can be decoded here ({} MiB). Make it smaller with a program through Bash.",
        size.width, size.height, decode::MAX_DECODED >> 20
    )]
    TooLarge { size: Size },
    #[error(
        "Decoding the image takes more memory than is allowed here ({} MiB). Make it smaller with a program through Bash.",
        decode::MAX_DECODED >> 20
    )]
    NeedsTooMuch,
    #[error("The image claims to have no pixels.")]
    Empty,
    #[error("The image is {bytes} bytes, and it could not be made smaller than {MAX_BYTES}.")]
    DoesNotFit { bytes: usize },
    #[error("The call was interrupted.")]
    Stopped,
}

impl PictureError {
    fn damaged(format: ImageFormat, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Damaged { format, source: source.into() }
    }
}

impl ImageFormat {
    /// The format of these bytes, regardless of the file name.
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

    /// The same proportions with the longest edge at most `edge`; at least one pixel wide and high.
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

/// Shows an image as a content block. This blocks for a while.
pub(super) fn show(bytes: &[u8], format: ImageFormat, stop: &StopFlag) -> Result<Outcome, InputError> {
    prepare(bytes, format, stop).map_err(|error| InputError(error.to_string()))
}

fn prepare(bytes: &[u8], format: ImageFormat, stop: &StopFlag) -> Result<Outcome, PictureError> {
    Ok(outcome(bytes.len(), &sendable(bytes, format, stop)?))
}

/// The image as the API takes it: unchanged, or made smaller.
fn sendable<'a>(
    bytes: &'a [u8],
    format: ImageFormat,
    stop: &StopFlag,
) -> Result<SentImage<'a>, PictureError> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if stop.is_set() {
        return Err(PictureError::Stopped);
    }
    let DecodedImage { size, orientation, pixels } = decode::decode(bytes, format, decode::MAX_DECODED)?;
    if bytes.len() <= MAX_BYTES && size.longest() <= MAX_EDGE {
        return Ok(SentImage { format, bytes: Cow::Borrowed(bytes), size, original: size });
    }
    // A kind that the API may know and that is not decoded here: it could only go unchanged.
    let Some(pixels) = pixels else { return Err(PictureError::DoesNotFit { bytes: bytes.len() }) };
    let original = orientation.size(size);
    let shrunk = shrink::shrink(pixels, orientation, format, stop)?;
    Ok(SentImage { format: shrunk.format, bytes: Cow::Owned(shrunk.bytes), size: shrunk.size, original })
}

fn outcome(original_bytes: usize, sent: &SentImage<'_>) -> Outcome {
    let (data, media_type, original) =
        (STANDARD.encode(&sent.bytes), sent.format.media_type(), sent.original);
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
        // Coordinates in the file need the scale.
        let note = format!(
            "The image is {} x {} pixels and is shown at {} x {}: coordinates in the file are {:.3} times those shown.",
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
    Outcome { shown: ToolContent::Blocks(blocks), kept, ..Outcome::default() }
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
