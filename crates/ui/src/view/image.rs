//! Images of a record: where they are, and their data.
//!
//! An item only refers to an image. Its page embeds it, serves it or just names it.

use annals_json::{Text, Value};
use annals_transcript::content::{Block, Content, Image};
use annals_transcript::record::{Record, User};
use annals_transcript::tool_result::ToolUseResult;

use super::item::{Item, ItemBody};
use super::tool::ToolOutput;

/// Refers to an image of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ImageRef {
    /// The line of its record, counted from 1.
    pub line: usize,
    /// Which image of the record, counted from 0: those of the content in order, then the one that the client stored
    /// beside a result.
    pub number: usize,
}

impl Item {
    /// Returns the images of a prompt or of the result of a call.
    pub fn images(&self) -> Vec<ImageRef> {
        match &self.body {
            ItemBody::Prompt(prompt) => {
                let numbers = prompt.first_image..prompt.first_image + prompt.images;
                numbers.map(|number| ImageRef { line: self.position.line, number }).collect()
            }
            ItemBody::ToolCall(call) => {
                let outputs = call.result.iter().flat_map(|result| {
                    result.outputs.iter().filter_map(|output| match output {
                        ToolOutput::Image { number, .. } => {
                            Some(ImageRef { line: result.line, number: *number })
                        }
                        _ => None,
                    })
                });
                outputs.collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns the data of an image, in Base64.
pub fn image_data<'a>(record: &Record<'a>, number: usize) -> Option<Text<'a>> {
    let nth = |content: Content<'a>| images(&content).nth(number).and_then(|image| image.source()?.data());
    match record {
        Record::User(user) => {
            let count = images(&user.content()).count();
            if number < count { nth(user.content()) } else { stored_image(user).filter(|_| number == count) }
        }
        Record::Assistant(line) => nth(line.content()),
        Record::Attachment(line) => nth(Content::new(line.body()?.prompt()?)),
        Record::QueueOperation(entry) => nth(Content::new(entry.content()?)),
        _ => None,
    }
}

/// Returns the data of the images of a message, in Base64: its own, and those inside results.
pub fn message_images(message: &[u8]) -> Vec<String> {
    let content = Value::parse(message).ok().and_then(|message| message.get("content"));
    let found = content.map(Content::new).into_iter().flat_map(|content| images(&content));
    found.filter_map(|image| Some(image.source()?.data()?.to_string())).collect()
}

/// Returns the type of an image that browsers draw and that cannot run anything, by its first bytes; never SVG.
///
/// ```
/// assert_eq!(annals_ui::view::image_type(b"\x89PNG\r\n\x1a\n"), Some("image/png"));
/// assert_eq!(annals_ui::view::image_type(b"<svg onload=x>"), None);
/// ```
pub fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The images of a content, those inside results too.
fn images<'a>(content: &Content<'a>) -> impl Iterator<Item = Image<'a>> + use<'a> {
    content.blocks().flat_map(images_of_block)
}

fn images_of_block(block: Block<'_>) -> Vec<Image<'_>> {
    match block {
        Block::Image(image) => vec![image],
        Block::ToolResult(result) => {
            let content = result.content().unwrap_or(Content::Absent);
            let inside = content.blocks().filter_map(|block| match block {
                Block::Image(image) => Some(image),
                _ => None,
            });
            inside.collect()
        }
        _ => Vec::new(),
    }
}

/// How many images a record has before its block with this place.
pub(super) fn images_before(user: &User<'_>, block: usize) -> usize {
    user.content().blocks().take(block).map(|block| images_of_block(block).len()).sum()
}

/// The number of the image that the client stored beside a result: that of the same image in the content, if it is there.
pub(super) fn stored_image_number(user: &User<'_>) -> usize {
    match images(&user.content()).count() {
        1 => 0,
        count => count,
    }
}

fn stored_image<'a>(user: &User<'a>) -> Option<Text<'a>> {
    match user.tool_use_result()? {
        ToolUseResult::Read(read) => read.file()?.base64(),
        _ => None,
    }
}

/// The size of an image in bytes.
pub(super) fn size_of(image: &Image<'_>) -> usize {
    image.source().and_then(|source| source.data()).map_or(0, |data| data.raw().len() / 4 * 3)
}
