//! The body of a request: unpacked within a limit, and read as items.

use std::io::Read;

use annals_collect::{ItemError, SentItem};
use annals_json::{Value, ValueKind};

use super::ReceiveHead;

/// Why a body is not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum BodyError {
    #[error("more than {0} bytes")]
    TooLarge(u64),
    #[error("Content-Encoding {0:?} is not zstd, gzip or identity")]
    Encoding(String),
    #[error("the body cannot be unpacked: {0}")]
    Packed(std::io::Error),
    #[error("item {index}: {error}")]
    Item { index: usize, error: ItemError },
    #[error("item {0}: its file is not a path below a store")]
    Path(usize),
    #[error("the body is not an array of items")]
    NoArray,
}

/// Reads the items of a body.
pub(super) fn read_body(head: &ReceiveHead, body: &[u8], limit: u64) -> Result<Vec<SentItem>, BodyError> {
    let text = unpacked(head.encoding.as_deref().unwrap_or("identity"), body, limit)?;
    let is_array = head.content_type.as_deref().is_some_and(|kind| kind.starts_with("application/json"));
    let mut items = Vec::new();
    let mut add = |json: &[u8]| {
        let index = items.len();
        let sent = SentItem::parse(json).map_err(|error| BodyError::Item { index, error })?;
        if ![Some(&sent.item.file), sent.item.to.as_ref()].into_iter().flatten().all(|path| is_below(path)) {
            return Err(BodyError::Path(index));
        }
        items.push(sent);
        Ok(())
    };
    match is_array {
        true => {
            let array = Value::parse(&text).ok().filter(|value| value.kind() == ValueKind::Array);
            array.ok_or(BodyError::NoArray)?.items().try_for_each(|item| add(item.raw()))?;
        }
        false => {
            let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.try_for_each(add)?;
        }
    }
    Ok(items)
}

/// Whether a path stays below the folder that it is read from: readers write such files to a folder of theirs.
fn is_below(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\0')
}

fn unpacked(encoding: &str, body: &[u8], limit: u64) -> Result<Vec<u8>, BodyError> {
    let mut text = Vec::new();
    let mut read = |from: &mut dyn Read| {
        from.take(limit.saturating_add(1)).read_to_end(&mut text).map(drop).map_err(BodyError::Packed)
    };
    match encoding.trim().to_ascii_lowercase().as_str() {
        "identity" | "" => read(&mut &*body)?,
        "gzip" => read(&mut flate2::read::MultiGzDecoder::new(body))?,
        "zstd" => read(&mut zstd::Decoder::new(body).map_err(BodyError::Packed)?)?,
        _ => return Err(BodyError::Encoding(encoding.to_owned())),
    }
    match text.len() as u64 > limit {
        true => Err(BodyError::TooLarge(limit)),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEM: &str = r#"{"v":2,"machine":"m","store":"s","batch":1,"file":"history.jsonl","generation":1,"offset":0,"length":3,"line":1,"form":"line","text":"{}"}"#;

    fn read(encoding: &str, kind: &str, body: &[u8], limit: u64) -> Result<usize, String> {
        let head = ReceiveHead {
            encoding: Some(encoding.to_owned()),
            content_type: Some(kind.to_owned()),
            ..ReceiveHead::default()
        };
        read_body(&head, body, limit).map(|items| items.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn both_forms_are_read_however_they_are_packed() {
        let lines = format!("{ITEM}\n{ITEM}\n");
        let packed = zstd::encode_all(lines.as_bytes(), 1).unwrap();
        assert_eq!(read("identity", "application/x-ndjson", lines.as_bytes(), 1 << 20), Ok(2));
        assert_eq!(read("zstd", "application/x-ndjson", &packed, 1 << 20), Ok(2));
        assert_eq!(
            read("", "application/json", format!("[{ITEM},{ITEM},{ITEM}]").as_bytes(), 1 << 20),
            Ok(3)
        );
    }

    #[test]
    fn what_is_no_body_is_refused_and_none_grows_beyond_the_limit() {
        let bomb = zstd::encode_all(&vec![b'\n'; 1 << 20][..], 1).unwrap();
        assert_eq!(read("zstd", "", &bomb, 1000), Err("more than 1000 bytes".to_owned()));
        assert!(read("br", "", b"", 9).unwrap_err().contains("br"));
        assert!(read("zstd", "", b"no", 9).unwrap_err().contains("unpacked"));
        assert!(read("gzip", "", b"no", 9).unwrap_err().contains("unpacked"));
        assert_eq!(read("", "", b"{}", 9).unwrap_err(), "item 0: not an item of `annals collect`");
        assert_eq!(read("", "application/json", b"{}", 9).unwrap_err(), "the body is not an array of items");
        for path in ["/etc/passwd", "../x", "a/../../x", "a//b", "", "a/./b"] {
            let outside = ITEM.replace("history.jsonl", path);
            assert!(read("", "", outside.as_bytes(), 1000).unwrap_err().contains("not a path"), "{path}");
        }
        let newer = ITEM.replace("\"v\":2", "\"v\":99");
        assert!(read("", "", newer.as_bytes(), 1000).unwrap_err().contains("unknown version 99"));
    }
}
