//! Short forms for the JSON values that lines are made of.

pub(crate) use annals_json::object;
use annals_json::{ArrayWriter, write_string};

/// A string value.
pub(crate) fn string(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 16 + 2);
    write_string(&mut out, text);
    out
}

/// An array value.
pub(crate) fn array(fill: impl FnOnce(&mut ArrayWriter<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut array = ArrayWriter::begin(&mut out);
    fill(&mut array);
    array.end();
    out
}

/// An array of values that are JSON already.
pub(crate) fn list<'a>(items: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    array(|list| {
        for item in items {
            list.item().extend_from_slice(item);
        }
    })
}

/// An array of strings.
pub(crate) fn strings<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> Vec<u8> {
    array(|list| {
        for item in items {
            list.string(item.as_ref());
        }
    })
}

/// A text block.
pub(crate) fn text(text: &str) -> Vec<u8> {
    object(|o| {
        o.string("type", "text").string("text", text);
    })
}

/// A thinking block; the newest clients keep the signature and no text.
pub(crate) fn thinking(text: &str, signature: &str) -> Vec<u8> {
    object(|o| {
        o.string("type", "thinking").string("thinking", text).string("signature", signature);
    })
}

/// A picture.
pub(crate) fn image(data: &str) -> Vec<u8> {
    object(|o| {
        o.string("type", "image").object("source", |source| {
            source.string("type", "base64").string("media_type", "image/png").string("data", data);
        });
    })
}
