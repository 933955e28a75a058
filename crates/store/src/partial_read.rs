//! Reads a part of a file: some bytes of it, or its first lines.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::read::{ReadError, open_file};

/// Reads parts of a file, each given by offset and length.
pub fn read_parts(
    path: &Path,
    parts: impl IntoIterator<Item = (u64, u32)>,
) -> Result<Vec<Vec<u8>>, ReadError> {
    let fail = |error| ReadError::new(path, error);
    let mut file = open_file(path).map_err(fail)?;
    let (mut read, mut at) = (Vec::new(), 0);
    for (offset, length) in parts {
        if at != offset {
            file.seek(SeekFrom::Start(offset)).map_err(fail)?;
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes).map_err(fail)?;
        at = offset + u64::from(length);
        read.push(bytes);
    }
    Ok(read)
}

/// Reads the first lines of a file: as many whole ones as are in its first `max` bytes.
pub fn read_first_lines(path: &Path, max: usize) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    open_file(path)
        .and_then(|file| file.take(max as u64).read_to_end(&mut bytes))
        .map_err(|error| ReadError::new(path, error))?;
    bytes.truncate(memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_first_lines_are_read_without_the_rest() {
        let temp = annals_testkit::temp::TempDir::new("read");
        let path = temp.write("file", "one\ntwo\nthree\n");
        let parts = read_parts(&path, [(4, 3), (7, 1), (0, 3)]).unwrap();
        assert_eq!(parts, [&b"two"[..], b"\n", b"one"]);
        assert!(read_parts(&path, [(10, 9)]).is_err(), "the file is too short");
        for (max, expected) in [(100, "one\ntwo\nthree\n"), (8, "one\ntwo\n"), (7, "one\n"), (2, "")] {
            assert_eq!(read_first_lines(&path, max).unwrap(), expected.as_bytes(), "{max}");
        }
    }
}
