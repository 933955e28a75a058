//! Lines that are too large to resume: removes images and cuts long texts, with a note in their place.

use annals_json::edit::{EditError, Editor, PathStep as Path};
use annals_json::{Value, ValueKind, write_string};
use annals_transcript::objects::MAX_LINE_BYTES;
use annals_transcript::transcript::NodeIndex;

use super::fix::{LineStep, RepairFindings, RepairView};

/// Smaller values stay as they are.
const LARGE_BYTES: usize = 64 * 1024;

/// How much of a long text is kept.
const KEPT_BYTES: usize = 16 * 1024;

/// Clients write no deeper values.
const MAX_DEPTH: usize = 12;

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    for index in view.transcript.indices() {
        let raw = view.raw(index);
        if raw.len() <= MAX_LINE_BYTES {
            continue;
        }
        let key = format!("{}:{}", view.line(index), raw.len());
        match cut(view, index) {
            Ok(bytes) if bytes.len() <= MAX_LINE_BYTES => {
                let why = format!(
                    "oversize: images and long texts are cut ({} MiB become {} KiB)",
                    raw.len() / (1024 * 1024),
                    bytes.len().div_ceil(1024)
                );
                found.add(
                    key,
                    view.line(index),
                    why,
                    Ok(vec![LineStep::Change { line: view.line(index), bytes }]),
                );
            }
            Ok(_) => found.skip(key, view.line(index), "nothing on it can be shortened safely"),
            Err(error) => found.skip(key, view.line(index), error.to_string()),
        }
    }
    found
}

fn cut(view: &RepairView<'_, '_>, index: NodeIndex) -> Result<Vec<u8>, EditError> {
    let raw = view.raw(index);
    let mut editor = Editor::new(raw)?;
    let whole = Value::parse(raw).map_err(EditError::NotAnObject)?;
    for (path, json) in replacements(whole) {
        editor.replace(&path, &json)?;
    }
    editor.finish()
}

/// The replacement of each large value.
fn replacements(whole: Value<'_>) -> Vec<(Vec<Path<'_>>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![(Vec::new(), whole)];
    while let Some((path, value)) = waiting.pop() {
        if value.raw().len() <= LARGE_BYTES || path.len() > MAX_DEPTH {
            continue;
        }
        let kind = value.get("type").and_then(|kind| kind.text());
        let is = |name: &str| kind.is_some_and(|kind| kind.is(name));
        if is("thinking") || is("redacted_thinking") {
            // The signature covers these bytes.
            continue;
        }
        if is("image") || is("document") {
            found.push((
                path,
                note(&format!("[an image or document of {} bytes was here]", value.raw().len())),
            ));
            continue;
        }
        match value.kind() {
            ValueKind::String => {
                let Some(text) = value.text() else { continue };
                let kept = match is_base64(text.raw()) {
                    true => String::new(),
                    false => text.head(KEPT_BYTES).into_owned(),
                };
                let mut json = Vec::new();
                write_string(
                    &mut json,
                    &format!("{kept}[{} bytes were cut here]", text.raw().len() - kept.len()),
                );
                found.push((path, json));
            }
            ValueKind::Array => {
                for (place, item) in value.items().enumerate() {
                    let mut path = path.clone();
                    path.push(Path::Item(place));
                    waiting.push((path, item));
                }
            }
            ValueKind::Object => {
                for field in value.fields().iter().flat_map(|fields| fields.iter()) {
                    if let Ok(key) = std::str::from_utf8(field.key.raw())
                        && !key.contains('\\')
                    {
                        let mut path = path.clone();
                        path.push(Path::Key(key));
                        waiting.push((path, field.value));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn is_base64(raw: &[u8]) -> bool {
    raw.iter().take(4096).all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte))
}

/// A text block with a note.
fn note(text: &str) -> Vec<u8> {
    let mut json = br#"{"type":"text","text":"#.to_vec();
    write_string(&mut json, text);
    json.push(b'}');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_parts_are_cut_and_thoughts_are_not() {
        let long = "word ".repeat(LARGE_BYTES);
        let raw = format!(
            r#"{{"a":"{long}","b":[{{"type":"image","source":{{"data":"{}"}}}},{{"type":"thinking","thinking":"{long}"}}]}}"#,
            "A".repeat(LARGE_BYTES)
        );
        let whole = Value::parse(raw.as_bytes()).unwrap();
        let found = replacements(whole);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|(path, json)| path.len() == 2 && json.starts_with(b"{\"type\":\"text\"")));
        assert!(found.iter().any(|(path, json)| path.len() == 1 && json.len() < KEPT_BYTES + 100));
    }
}
