//! Makes values smaller, with placeholders for what is removed. Each function returns `None` if nothing changes.

use annals_json::{
    ArrayWriter, Fields, MAX_WALK_DEPTH, Nesting, ObjectWriter, Value, ValueKind, write_string,
};

/// Strings of `toolUseResult` up to this length stay.
pub(super) const SHORT_BYTES: usize = 200;

/// Shorter texts stay: the placeholder would be as long.
const MIN_REPLACED_BYTES: usize = 64;

/// The placeholder of an image.
const IMAGE: &str = "[annals removed an image]";

fn words(bytes: usize) -> String {
    format!("[annals removed {bytes} bytes of this result]")
}

fn string(text: &str) -> Vec<u8> {
    let mut json = Vec::new();
    write_string(&mut json, text);
    json
}

/// A placeholder for a result's content, unless it is short.
pub(super) fn empty_content(content: Value<'_>) -> Option<Vec<u8>> {
    let bytes = content.raw().len();
    (bytes > MIN_REPLACED_BYTES).then(|| string(&words(bytes)))
}

/// A result's content without its text, if that is longer than the limit; images stay.
pub(super) fn cut_text(content: Value<'_>, limit: usize) -> Option<Vec<u8>> {
    let text_of = |item: Value<'_>| item.get("text").and_then(Value::text).map(|text| text.decode().len());
    let bytes = match content.kind() {
        ValueKind::String => content.text()?.decode().len(),
        ValueKind::Array => content.items().filter_map(text_of).sum(),
        _ => return None,
    };
    let note = words(bytes);
    if bytes <= limit.max(MIN_REPLACED_BYTES) {
        return None;
    }
    if content.kind() == ValueKind::String {
        return Some(string(&note));
    }
    let mut json = Vec::new();
    let mut array = ArrayWriter::begin(&mut json);
    let mut is_said = false;
    for item in content.items() {
        if text_of(item).is_none() {
            array.item().extend_from_slice(item.raw());
        } else if !std::mem::replace(&mut is_said, true) {
            array.object(|block| {
                block.string("type", "text").string("text", &note);
            });
        }
    }
    array.end();
    Some(json)
}

/// A value with long strings and lists shortened; keys stay.
pub(super) fn shrink(value: Value<'_>, limit: usize) -> Option<Vec<u8>> {
    shrink_nested(value, &Nesting::of(value), limit, 0)
}

/// Values that are nested too deep to walk are replaced like texts.
fn shrink_nested<'a>(value: Value<'a>, nesting: &Nesting<'a>, limit: usize, depth: usize) -> Option<Vec<u8>> {
    let shrink_inner = |item| shrink_nested(item, nesting, limit, depth + 1);
    match value.kind() {
        ValueKind::Array | ValueKind::Object if depth >= MAX_WALK_DEPTH => {
            let bytes = value.raw().len();
            (bytes > limit.max(MIN_REPLACED_BYTES)).then(|| string(&words(bytes)))
        }
        ValueKind::String => {
            let bytes = value.text()?.decode().len();
            (bytes > limit.max(MIN_REPLACED_BYTES)).then(|| string(&words(bytes)))
        }
        ValueKind::Array => {
            let json = rewrite(value, nesting, &shrink_inner);
            // A list of many short strings is long, too.
            let bytes = json.as_deref().unwrap_or(value.raw()).len();
            if bytes > 4 * limit { Some(b"[]".to_vec()) } else { json }
        }
        ValueKind::Object => rewrite(value, nesting, &shrink_inner),
        _ => None,
    }
}

/// A value with a placeholder for each image in it.
pub(super) fn without_images(value: Value<'_>) -> Option<Vec<u8>> {
    without_nested_images(value, &Nesting::of(value), 0)
}

fn without_nested_images<'a>(value: Value<'a>, nesting: &Nesting<'a>, depth: usize) -> Option<Vec<u8>> {
    if depth >= MAX_WALK_DEPTH {
        return None;
    }
    let fields = nesting.fields(value);
    if fields.as_ref().is_some_and(|fields| fields.get("source").is_some() && is_image(fields)) {
        let mut json = Vec::new();
        let mut block = ObjectWriter::begin(&mut json);
        block.string("type", "text").string("text", IMAGE);
        block.end();
        return Some(json);
    }
    // The interface's copy of an image that was read.
    let data = fields.and_then(|fields| fields.get("base64")).filter(|data| data.raw().len() > 2);
    if let Some(data) = data {
        return rewrite(value, nesting, &|item| (item.raw() == data.raw()).then(|| b"\"\"".to_vec()));
    }
    rewrite(value, nesting, &|item| without_nested_images(item, nesting, depth + 1))
}

fn is_image(fields: &Fields<'_>) -> bool {
    fields.text("type").is_some_and(|kind| kind.is("image"))
}

/// An object or list with the values that `change` replaces. Nothing is copied unless something is replaced.
fn rewrite<'a>(
    value: Value<'a>,
    nesting: &Nesting<'a>,
    change: &dyn Fn(Value<'a>) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let fields = nesting.fields(value);
    let items: Vec<Value<'a>> = match &fields {
        Some(fields) => fields.iter().map(|field| field.value).collect(),
        None => nesting.items(value).collect(),
    };
    let changed: Vec<Option<Vec<u8>>> = items.iter().map(|item| change(*item)).collect();
    if changed.iter().all(Option::is_none) {
        return None;
    }
    let now = items.iter().zip(&changed).map(|(item, new)| new.as_deref().unwrap_or(item.raw()));
    let mut json = Vec::new();
    match fields {
        Some(fields) => {
            let mut object = ObjectWriter::begin(&mut json);
            for (field, item) in fields.iter().zip(now) {
                object.raw_key(&[b"\"", field.key.raw(), b"\""].concat()).extend_from_slice(item);
            }
            object.end();
        }
        None => {
            let mut array = ArrayWriter::begin(&mut json);
            now.for_each(|item| array.item().extend_from_slice(item));
            array.end();
        }
    }
    Some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(made: Option<Vec<u8>>, expected: Option<&str>) {
        assert_eq!(made.map(|json| String::from_utf8(json).unwrap()).as_deref(), expected);
    }

    fn value(json: &str) -> Value<'_> {
        Value::parse(json.as_bytes()).unwrap()
    }

    #[test]
    fn words_stand_for_what_is_long() {
        let long = "x".repeat(300);
        let quoted = format!("\"{long}\"");
        check(empty_content(value(&quoted)), Some("\"[annals removed 302 bytes of this result]\""));
        check(empty_content(value("\"short\"")), None);
        check(cut_text(value(&quoted), 300), None);
        check(cut_text(value(&quoted), 299), Some("\"[annals removed 300 bytes of this result]\""));
        let blocks = format!(
            r#"[{{"type":"text","text":{quoted}}},{{"type":"image","source":1}},{{"type":"text","text":"y"}}]"#
        );
        let cut = r#"[{"type":"text","text":"[annals removed 301 bytes of this result]"},{"type":"image","source":1}]"#;
        check(cut_text(value(&blocks), 299), Some(cut));
        let copy = format!(r#"{{"a":{quoted},"b":[1,"c"],"d":{{"e":{quoted}}}}}"#);
        let small = r#"{"a":"[annals removed 300 bytes of this result]","b":[1,"c"],"d":{"e":"[annals removed 300 bytes of this result]"}}"#;
        check(shrink(value(&copy), 200), Some(small));
        check(shrink(value(small), 200), None);
    }

    #[test]
    fn words_stand_for_images() {
        let block = r#"[{"type":"image","source":{"type":"base64","data":"AA=="}},1]"#;
        check(
            without_images(value(block)),
            Some(r#"[{"type":"text","text":"[annals removed an image]"},1]"#),
        );
        let copy = r#"{"type":"image","file":{"base64":"AA==","originalSize":3}}"#;
        check(without_images(value(copy)), Some(r#"{"type":"image","file":{"base64":"","originalSize":3}}"#));
        check(without_images(value(r#"{"type":"text","text":"image"}"#)), None);
    }
}
