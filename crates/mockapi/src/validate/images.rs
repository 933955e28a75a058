//! Rules about images: a kind that the API takes, in base 64, and really of that kind.

use super::body::{ContentBlock, RequestBody};
use super::{Rule, Violation};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Media types with the bytes that such a file begins with.
const KINDS: [(&str, &[u8]); 4] = [
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF8"),
    ("image/webp", b"RIFF"),
];

pub(super) fn acceptable(body: &RequestBody<'_>) -> Vec<Violation> {
    let outer = body.blocks().filter_map(check);
    let inner = body.blocks().flat_map(ContentBlock::inner).filter_map(|block| check(&block));
    outer.chain(inner).collect()
}

fn check(block: &ContentBlock<'_>) -> Option<Violation> {
    if block.kind != "image" {
        return None;
    }
    let Some(source) = block.fields.object("source") else {
        return Some(Violation::new(Rule::ImageDecodes, format!("{}.source", block.place), "Field required"));
    };
    let text = |key: &str| source.text(key).map_or_else(String::new, |text| text.to_string());
    if text("type") != "base64" {
        // A link or an uploaded file: nothing to look at here.
        return None;
    }
    let media_type = text("media_type");
    let Some((_, beginning)) = KINDS.iter().find(|(name, _)| *name == media_type) else {
        let place = format!("{}.source.media_type", block.place);
        let text = format!("{media_type:?} is not a supported image type");
        return Some(Violation::new(Rule::ImageKindKnown, place, text));
    };
    let holds = BASE64_STANDARD.decode(text("data")).is_ok_and(|bytes| bytes.starts_with(beginning));
    let place = format!("{}.source.data", block.place);
    (!holds).then(|| Violation::new(Rule::ImageDecodes, place, format!("no {media_type} in base64")))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    use super::super::tests::broken;

    fn with(media_type: &str, data: &str) -> Vec<String> {
        let source = format!(r#"{{"type":"base64","media_type":"{media_type}","data":"{data}"}}"#);
        broken(&format!(r#"[{{"role":"user","content":[{{"type":"image","source":{source}}}]}}]"#))
    }

    #[test]
    fn images_are_what_they_say() {
        let png = BASE64_STANDARD.encode(b"\x89PNG\r\n\x1a\nrest");
        assert_eq!(with("image/png", &png), [""; 0]);
        assert_eq!(with("image/jpeg", &png), ["image_decodes messages.0.content.0.source.data"]);
        assert_eq!(with("image/png", "not base 64"), ["image_decodes messages.0.content.0.source.data"]);
        assert_eq!(
            broken(r#"[{"role":"user","content":[{"type":"image"}]}]"#),
            ["image_decodes messages.0.content.0.source"]
        );
        assert_eq!(with("image/bmp", &png), ["image_kind_known messages.0.content.0.source.media_type"]);
    }

    #[test]
    fn images_in_results_are_looked_at() {
        let messages = r#"[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a"}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":
            {"type":"base64","media_type":"image/png","data":""}}]}]}]"#;
        assert_eq!(broken(messages), ["image_decodes messages.2.content.0.content.0.source.data"]);
    }
}
