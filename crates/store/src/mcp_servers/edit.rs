//! Changes of one server in a file: every byte of the rest stays.

use std::path::{Path, PathBuf};

use annals_json::edit::{Editor, PathStep};
use annals_json::{BYTE_ORDER_MARK, Fields, Value, ValueKind, write_string};

use super::{McpFileError, McpFiles, McpScope, parse, wrong_type};
use crate::read::read_file_if_there;

/// The spaces of one level, in the layout of the client.
const INDENT: usize = 2;

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonLayout {
    /// One field a line.
    Lines,
    /// All on one line.
    Compact,
}

impl JsonLayout {
    fn colon(self) -> &'static [u8] {
        match self {
            Self::Lines => b": ",
            Self::Compact => b":",
        }
    }

    /// A line break to a level.
    fn line(self, depth: usize) -> Vec<u8> {
        match self {
            Self::Lines => {
                let mut out = vec![b'\n'];
                out.resize(1 + INDENT * depth, b' ');
                out
            }
            Self::Compact => Vec::new(),
        }
    }
}

/// What a file holds before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpEdit {
    /// The file.
    pub path: PathBuf,
    /// What it holds; `None` if it does not exist.
    pub before: Option<Vec<u8>>,
    /// What it will hold.
    pub after: Vec<u8>,
}

impl McpEdit {
    /// Sets the value at the end of a path of keys, in the JSON file of any client; a file that does not exist is made.
    pub fn set(path: &Path, keys: &[&str], json: &[u8]) -> Result<Self, McpFileError> {
        let path = path.to_path_buf();
        let before = read_file_if_there(&path)?;
        let empty = b"{}\n".to_vec();
        let bytes = before.as_ref().filter(|bytes| !bytes.trim_ascii().is_empty()).unwrap_or(&empty);
        let root = parse(&path, bytes)?;
        let after = spliced(bytes, root, keys, json).map_err(|key| wrong_type(&path, &key))?;
        Ok(Self { path, before, after })
    }
}

impl McpFiles {
    /// Adds a server, or replaces its definition.
    pub fn with(&self, scope: McpScope, name: &str, definition: &[u8]) -> Result<McpEdit, McpFileError> {
        let mut keys = self.keys(scope);
        keys.push(name);
        McpEdit::set(self.path(scope), &keys, definition)
    }

    /// Removes a server.
    pub fn without(&self, scope: McpScope, name: &str) -> Result<McpEdit, McpFileError> {
        let path = self.path(scope).to_path_buf();
        let missing = || McpFileError::NotFound { path: path.clone(), name: name.to_owned(), scope };
        let bytes = read_file_if_there(&path)?.ok_or_else(missing)?;
        if !self.entries(scope)?.iter().any(|entry| entry.name == name) {
            return Err(missing());
        }
        let mark = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK } else { b"" };
        let body = &bytes[mark.len()..];
        let start = body.len() - body.trim_ascii_start().len();
        let end = body.trim_ascii_end().len();
        let steps: Vec<PathStep<'_>> = self.keys(scope).into_iter().map(PathStep::Key).collect();
        let edited = Editor::new(&body[start..end]).and_then(|mut editor| {
            editor.remove(&steps, name)?;
            editor.finish()
        });
        let edited = edited.map_err(|_| missing())?;
        let after = [mark, &body[..start], &edited, &body[end..]].concat();
        Ok(McpEdit { path, before: Some(bytes), after })
    }
}

/// Sets the value at the end of a path of keys; missing objects on the way are made. An error names the key whose value is no
/// object.
fn spliced(bytes: &[u8], root: Value<'_>, keys: &[&str], json: &[u8]) -> Result<Vec<u8>, String> {
    let has_lines = root.raw().contains(&b'\n') || root.raw() == b"{}";
    let layout = if has_lines { JsonLayout::Lines } else { JsonLayout::Compact };
    let (mut object, mut depth) = (root.fields().ok_or("{}")?, 0);
    for (at, key) in keys.iter().enumerate() {
        let rest = &keys[at + 1..];
        match object.get(key) {
            Some(value) if rest.is_empty() => {
                let new = laid_out(Value::from_checked(json), depth + 1, layout);
                return Ok(replaced(bytes, value.raw(), &new));
            }
            Some(value) if value.kind() == ValueKind::Object => {
                object = value.fields().ok_or_else(|| (*key).to_owned())?;
                depth += 1;
            }
            Some(value) if value.is_null() => {
                let new = laid_out(Value::from_checked(&nested(rest, json)), depth + 1, layout);
                return Ok(replaced(bytes, value.raw(), &new));
            }
            Some(_) => return Err((*key).to_owned()),
            None => {
                let value = nested(rest, json);
                let new = laid_out(Value::from_checked(&value), depth + 1, layout);
                return Ok(with_field(bytes, &object, key, &new, (depth, layout)));
            }
        }
    }
    Ok(bytes.to_vec())
}

/// Wraps a value into objects of these keys.
fn nested(keys: &[&str], json: &[u8]) -> Vec<u8> {
    keys.iter().rev().fold(json.to_vec(), |inner, key| {
        let mut out = b"{".to_vec();
        write_string(&mut out, key);
        out.push(b':');
        out.extend_from_slice(&inner);
        out.push(b'}');
        out
    })
}

/// Adds a field at the end of an object, in the layout of the one before it.
fn with_field(
    bytes: &[u8],
    object: &Fields<'_>,
    key: &str,
    value: &[u8],
    (depth, layout): (usize, JsonLayout),
) -> Vec<u8> {
    let mut field = Vec::new();
    write_string(&mut field, key);
    field.extend_from_slice(layout.colon());
    field.extend_from_slice(value);
    let Some(last) = object.iter().last() else {
        let inside = [&layout.line(depth + 1), &field[..], &layout.line(depth)].concat();
        return replaced(bytes, object.raw(), &[b"{", &inside[..], b"}"].concat());
    };
    // The space before the last key is that of a new one.
    let start = offset(bytes, last.key.raw()) - 1;
    let space = bytes[..start].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    let end = offset(bytes, last.value.raw()) + last.value.raw().len();
    [&bytes[..end], b",", &bytes[start - space..start], &field, &bytes[end..]].concat()
}

fn replaced(bytes: &[u8], part: &[u8], new: &[u8]) -> Vec<u8> {
    let start = offset(bytes, part);
    [&bytes[..start], new, &bytes[start + part.len()..]].concat()
}

/// The position of a slice of `bytes`.
fn offset(bytes: &[u8], part: &[u8]) -> usize {
    part.as_ptr() as usize - bytes.as_ptr() as usize
}

/// Writes a value, one field a line if the file is laid out so.
fn laid_out(value: Value<'_>, depth: usize, layout: JsonLayout) -> Vec<u8> {
    let mut items: Vec<Vec<u8>> = Vec::new();
    let (open, close) = match value.kind() {
        ValueKind::Object => {
            for field in value.fields().iter().flat_map(|fields| fields.iter().collect::<Vec<_>>()) {
                let mut item = Vec::new();
                write_string(&mut item, &field.key.decode());
                item.extend_from_slice(layout.colon());
                item.extend_from_slice(&laid_out(field.value, depth + 1, layout));
                items.push(item);
            }
            (b'{', b'}')
        }
        ValueKind::Array => {
            items.extend(value.items().map(|item| laid_out(item, depth + 1, layout)));
            (b'[', b']')
        }
        _ => return value.raw().to_vec(),
    };
    let mut out = vec![open];
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&layout.line(depth + 1));
        out.extend_from_slice(item);
    }
    if !items.is_empty() {
        out.extend_from_slice(&layout.line(depth));
    }
    out.push(close);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, keys: &[&str], json: &str) -> Result<String, String> {
        let root = Value::parse(text.as_bytes()).unwrap();
        spliced(text.as_bytes(), root, keys, json.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn an_entry_is_added_in_the_layout_of_the_file() {
        let pretty = "{\n  \"a\": 1.0,\n  \"mcpServers\": {\n    \"x\": {\"command\":\"y\"}\n  }\n}\n";
        let added = set(pretty, &["mcpServers", "new"], r#"{"command":"c","args":["d"]}"#).unwrap();
        assert_eq!(
            added,
            pretty.replace(
                "\"y\"}",
                "\"y\"},\n    \"new\": {\n      \"command\": \"c\",\n      \"args\": [\n        \"d\"\n      ]\n    }"
            )
        );
        let flat = r#"{"a":{ "b":1 }}"#;
        assert_eq!(
            set(flat, &["mcpServers", "n"], "{}").unwrap(),
            r#"{"a":{ "b":1 },"mcpServers":{"n":{}}}"#
        );
        assert_eq!(
            set("{}\n", &["mcpServers", "n"], "{}").unwrap(),
            "{\n  \"mcpServers\": {\n    \"n\": {}\n  }\n}\n"
        );
    }

    #[test]
    fn an_entry_is_replaced_and_the_rest_stays() {
        let text = r#"{ "mcpServers" : {"x":{"command":"a"} , "y":{} }, "z":"\u00e9"}"#;
        let replaced = set(text, &["mcpServers", "x"], r#"{"command":"b"}"#).unwrap();
        assert_eq!(replaced, text.replace(r#""a""#, r#""b""#));
        let local = r#"{"projects":{"/w":{"allowedTools":[]}}}"#;
        assert_eq!(
            set(local, &["projects", "/w", "mcpServers", "n"], "{}").unwrap(),
            r#"{"projects":{"/w":{"allowedTools":[],"mcpServers":{"n":{}}}}}"#
        );
    }

    #[test]
    fn what_is_no_object_is_not_replaced() {
        assert_eq!(set(r#"{"mcpServers":[]}"#, &["mcpServers", "n"], "{}"), Err("mcpServers".to_owned()));
        assert_eq!(
            set(r#"{"mcpServers":null}"#, &["mcpServers", "n"], "{}").unwrap(),
            r#"{"mcpServers":{"n":{}}}"#
        );
    }
}
