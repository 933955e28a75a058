//! JSON for side files in the client's layout: two spaces per level. Values are written byte for byte, so unchanged values
//! keep their spelling.

/// One field: its quoted key and its value, as written in the file.
pub(crate) type RawField = (Vec<u8>, Vec<u8>);

/// Formats an object with one field per line, `depth` levels deep.
pub(crate) fn object(fields: &[RawField], depth: usize) -> Vec<u8> {
    let lines = fields.iter().map(|(key, value)| [key.as_slice(), b": ", value].concat());
    bracketed((b'{', b'}'), lines, depth)
}

/// Formats a list with one item per line, `depth` levels deep.
pub(crate) fn list(items: impl Iterator<Item = Vec<u8>>, depth: usize) -> Vec<u8> {
    bracketed((b'[', b']'), items, depth)
}

/// A line break and the spaces of a level.
pub(crate) fn break_to(depth: usize) -> Vec<u8> {
    let mut out = vec![b'\n'];
    out.resize(1 + 2 * depth, b' ');
    out
}

fn bracketed((open, close): (u8, u8), lines: impl Iterator<Item = Vec<u8>>, depth: usize) -> Vec<u8> {
    let mut out = vec![open];
    for line in lines {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&break_to(depth + 1));
        out.extend_from_slice(&line);
    }
    if out.len() > 1 {
        out.extend_from_slice(&break_to(depth));
    }
    out.push(close);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_two_spaces_and_values_stay_as_they_are() {
        let field = |key: &str, value: &str| (key.as_bytes().to_vec(), value.as_bytes().to_vec());
        let inner = object(&[field("\"a\"", "[1,  2]"), field("\"b\"", "\"\\u00e9\"")], 1);
        let whole = String::from_utf8(list([inner].into_iter(), 0)).unwrap();
        assert_eq!(whole, "[\n  {\n    \"a\": [1,  2],\n    \"b\": \"\\u00e9\"\n  }\n]");
        assert_eq!((object(&[], 3), list(std::iter::empty(), 3)), (b"{}".to_vec(), b"[]".to_vec()));
    }
}
