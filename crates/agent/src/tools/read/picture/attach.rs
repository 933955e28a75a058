//! Images that a person puts into a prompt.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{ImageFormat, sendable};
use crate::tools::InputError;
use crate::tools::blocking::StopFlag;

/// An image as a prompt has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptImage {
    pub media_type: &'static str,
    /// Its bytes.
    pub base64: String,
}

/// Returns an image as the API takes it, made smaller if it must be; `None` if these are not the bytes of one. This blocks
/// for a while.
pub fn prompt_image(bytes: &[u8]) -> Result<Option<PromptImage>, InputError> {
    let Some(format) = ImageFormat::of(bytes) else { return Ok(None) };
    let sent =
        sendable(bytes, format, &StopFlag::default()).map_err(|error| InputError(error.to_string()))?;
    Ok(Some(PromptImage { media_type: sent.format.media_type(), base64: STANDARD.encode(&sent.bytes) }))
}
