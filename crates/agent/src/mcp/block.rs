//! Content blocks of a result: texts, images, audio, resources, links; each as the model sees it.

use annals_json::{Value, object};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::message::text;
use super::saved::{ResultFiles, ending};

/// The types of images that the API accepts.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// The most bytes of an image in a request, in base64.
const MAX_IMAGE: usize = 5 << 20;

/// Turns blocks of a server into blocks of the API.
pub(super) struct BlockReader<'r> {
    pub(super) server: &'r str,
    pub(super) files: &'r ResultFiles,
}

impl BlockReader<'_> {
    /// Returns the blocks for one of the server's.
    pub(super) fn read(&self, block: Value<'_>) -> Vec<Vec<u8>> {
        match text(block, "type").unwrap_or_default().as_str() {
            "text" => vec![text_block(&text(block, "text").unwrap_or_default())],
            "image" => vec![self.data("image", block, "data")],
            "audio" => vec![self.data("audio", block, "data")],
            "resource" => self.resource(block.get("resource")),
            "resource_link" => vec![text_block(&link(block))],
            other => vec![text_block(&format!("[content of type {other:?} is not supported]"))],
        }
    }

    fn resource(&self, resource: Option<Value<'_>>) -> Vec<Vec<u8>> {
        let Some(resource) = resource else { return vec![text_block("[a resource without content]")] };
        let uri = text(resource, "uri").unwrap_or_default();
        let label = format!("[Resource from {} at {uri}]", self.server);
        if let Some(words) = text(resource, "text") {
            return vec![text_block(&format!("{label} {words}"))];
        }
        let is_image = text(resource, "mimeType").is_some_and(|kind| IMAGES.contains(&kind.as_str()));
        match is_image {
            true => vec![text_block(&label), self.data("image", resource, "blob")],
            false => {
                let data = self.data("resource", resource, "blob");
                let words =
                    Value::parse(&data).ok().and_then(|block| text(block, "text")).unwrap_or_default();
                vec![text_block(&format!("{label} {words}"))]
            }
        }
    }

    /// Returns an image that the API takes as it is, and anything else as a file.
    fn data(&self, what: &str, block: Value<'_>, key: &str) -> Vec<u8> {
        let media_type = text(block, "mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
        let data = text(block, key).unwrap_or_default();
        let Some(bytes) = STANDARD.decode(data.trim()).ok().filter(|bytes| !bytes.is_empty()) else {
            return text_block(&format!("[{what} of type {media_type:?} whose data cannot be read]"));
        };
        if what == "image" && IMAGES.contains(&media_type.as_str()) && data.len() <= MAX_IMAGE {
            return object(|image| {
                image.string("type", "image").object("source", |source| {
                    source
                        .string("type", "base64")
                        .string("media_type", &media_type)
                        .string("data", data.trim());
                });
            });
        }
        let place = self.files.save(&bytes, ending(&media_type));
        text_block(&format!("[{what}: {media_type}, {} bytes, {place}]", bytes.len()))
    }
}

fn link(block: Value<'_>) -> String {
    let part = |key: &str| text(block, key).unwrap_or_default();
    let about = text(block, "description").map(|about| format!(" ({about})")).unwrap_or_default();
    format!("[Resource link: {}] {}{about}", part("name"), part("uri"))
}

/// The API refuses an empty text.
pub(super) fn text_block(text: &str) -> Vec<u8> {
    let shown = if text.trim().is_empty() { "(empty)" } else { text };
    object(|block| {
        block.string("type", "text").string("text", shown);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Vec<String> {
        let files = ResultFiles::none();
        let reader = BlockReader { server: "srv", files: &files };
        let blocks = reader.read(Value::parse(json.as_bytes()).unwrap());
        blocks.into_iter().map(|block| String::from_utf8(block).unwrap()).collect()
    }

    #[test]
    fn each_kind_becomes_what_the_model_can_read() {
        assert_eq!(
            read(r#"{"type":"text","text":"5","annotations":{"priority":1}}"#),
            [r#"{"type":"text","text":"5"}"#]
        );
        assert_eq!(read(r#"{"type":"text","text":""}"#), [r#"{"type":"text","text":"(empty)"}"#]);
        assert!(
            read(r#"{"type":"image","data":"QQ==","mimeType":"image/png"}"#)[0]
                .contains(r#""media_type":"image/png","data":"QQ==""#)
        );
        assert_eq!(
            read(r#"{"type":"resource","resource":{"uri":"mem://a","text":"t"}}"#),
            [r#"{"type":"text","text":"[Resource from srv at mem://a] t"}"#]
        );
        assert_eq!(
            read(r#"{"type":"resource_link","name":"n","uri":"u","description":"d"}"#),
            [r#"{"type":"text","text":"[Resource link: n] u (d)"}"#]
        );
        let picture =
            read(r#"{"type":"resource","resource":{"uri":"u","blob":"QQ==","mimeType":"image/png"}}"#);
        assert!(picture.len() == 2 && picture[1].contains("base64"), "{picture:?}");
    }

    #[test]
    fn what_the_api_would_refuse_becomes_text() {
        for bad in [
            r#"{"type":"image","data":"not base64","mimeType":"image/png"}"#,
            r#"{"type":"image","data":"","mimeType":"image/png"}"#,
            r#"{"type":"image","data":"QQ==","mimeType":"image/tiff"}"#,
            r#"{"type":"audio","data":"QQ==","mimeType":"audio/wav"}"#,
            r#"{"type":"resource","resource":{"uri":"u","blob":"QQ=="}}"#,
            r#"{"type":"resource"}"#,
            r#"{"type":"hologram"}"#,
            "{}",
        ] {
            let blocks = read(bad);
            assert!(blocks.len() == 1 && blocks[0].starts_with(r#"{"type":"text""#), "{bad}: {blocks:?}");
        }
    }
}
