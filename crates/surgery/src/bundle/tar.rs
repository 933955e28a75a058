//! Writes and reads tar archives (POSIX pax), as far as bundles need them: regular files, and long names. Everything else in
//! an archive is refused: links, folders, devices, sparse files.

use std::io::{self, Read, Write};

const BLOCK: usize = 512;

/// A longer name goes to a record before the header.
const MAX_SHORT_NAME: usize = 100;

/// A record before a header holds a name, and little else.
const MAX_RECORD: u64 = 64 * 1024;

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TarError {
    /// It ends early, or its bytes cannot be read or unpacked.
    #[error("the file is damaged or incomplete: {0}")]
    Read(#[from] io::Error),
    /// A header is not one.
    #[error("entry {entry} has a damaged header")]
    Header {
        /// Which, from 1.
        entry: usize,
    },
    /// An entry is not a regular file.
    #[error("entry {entry} is not a regular file")]
    NotAFile {
        /// Which, from 1.
        entry: usize,
    },
    /// There is something after the end.
    #[error("there is data after the end of the archive")]
    AfterEnd,
}

pub(super) fn write_file(out: &mut impl Write, path: &str, bytes: &[u8]) -> io::Result<()> {
    if path.len() > MAX_SHORT_NAME {
        let record = pax_record("path", path);
        write_entry(out, "pax", b'x', &record)?;
    }
    let mut end = path.len().min(MAX_SHORT_NAME);
    while !path.is_char_boundary(end) {
        end -= 1;
    }
    write_entry(out, &path[..end], b'0', bytes)
}

/// Writes the end: two empty blocks.
pub(super) fn write_end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

fn write_entry(out: &mut impl Write, name: &str, kind: u8, bytes: &[u8]) -> io::Result<()> {
    let mut header = [0; BLOCK];
    header[..name.len()].copy_from_slice(name.as_bytes());
    let fields: [(usize, String); 5] = [
        (100, "0000600\0".to_owned()),
        (108, "0000000\0".to_owned()),
        (116, "0000000\0".to_owned()),
        (124, format!("{:011o}\0", bytes.len())),
        (136, "00000000000\0".to_owned()),
    ];
    for (at, text) in fields {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum = format!("{:06o}\0 ", checksum(&header));
    header[148..156].copy_from_slice(sum.as_bytes());
    out.write_all(&header)?;
    out.write_all(bytes)?;
    out.write_all(&[0; BLOCK][..padding(bytes.len() as u64) as usize])
}

/// `<length> <key>=<value>\n`, where the length counts its own digits.
fn pax_record(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}").into_bytes()
}

/// The sum of all bytes, with spaces for the sum itself.
fn checksum(header: &[u8; BLOCK]) -> u32 {
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>();
    sum(&header[..148]) + 8 * u32::from(b' ') + sum(&header[156..])
}

fn padding(size: u64) -> u64 {
    (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64
}

/// What a header says of the file that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TarEntry {
    pub(super) path: String,
    pub(super) size: u64,
}

/// Reads an archive from its beginning to its end.
pub(super) struct TarReader<R> {
    input: R,
    /// How many headers were read.
    entry: usize,
}

impl<R: Read> TarReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, entry: 0 }
    }

    /// The next file, whose bytes must be read before the one after it; `None` at the end.
    pub(super) fn next_file(&mut self) -> Result<Option<TarEntry>, TarError> {
        let Some((kind, entry)) = self.header()? else { return Ok(None) };
        match kind {
            b'0' | 0 => Ok(Some(entry)),
            b'x' if entry.size <= MAX_RECORD => {
                let record = self.content(entry.size)?;
                let path = long_name(&record).ok_or(TarError::Header { entry: self.entry })?;
                match self.header()? {
                    Some((b'0' | 0, file)) => Ok(Some(TarEntry { path, size: file.size })),
                    _ => Err(TarError::NotAFile { entry: self.entry }),
                }
            }
            _ => Err(TarError::NotAFile { entry: self.entry }),
        }
    }

    /// The bytes of the file that was just named. Memory grows with what is there, not with what the header says.
    pub(super) fn content(&mut self, size: u64) -> Result<Vec<u8>, TarError> {
        let mut bytes = Vec::new();
        (&mut self.input).take(size).read_to_end(&mut bytes)?;
        let rest = padding(size);
        let mut skipped = [0; BLOCK];
        if bytes.len() as u64 != size {
            return Err(TarError::Read(io::ErrorKind::UnexpectedEof.into()));
        }
        self.input.read_exact(&mut skipped[..rest as usize])?;
        Ok(bytes)
    }

    fn header(&mut self) -> Result<Option<(u8, TarEntry)>, TarError> {
        let mut header = [0; BLOCK];
        self.input.read_exact(&mut header)?;
        if header == [0; BLOCK] {
            return self.check_end().map(|()| None);
        }
        self.entry += 1;
        let damaged = || TarError::Header { entry: self.entry };
        let text = |range: std::ops::Range<usize>| {
            let field = &header[range];
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
            std::str::from_utf8(&field[..end]).ok()
        };
        let octal = |range| u64::from_str_radix(text(range)?.trim(), 8).ok();
        if octal(148..156) != Some(u64::from(checksum(&header))) || !header[257..].starts_with(b"ustar") {
            return Err(damaged());
        }
        let (name, prefix) = (text(0..100).ok_or_else(damaged)?, text(345..500).ok_or_else(damaged)?);
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        Ok(Some((header[156], TarEntry { path, size: octal(124..136).ok_or_else(damaged)? })))
    }

    /// After the end there is nothing, or more empty blocks.
    fn check_end(&mut self) -> Result<(), TarError> {
        let mut block = [0; BLOCK];
        // Writers pad archives to some size; more than this is something else.
        for _ in 0..64 {
            let count = self.input.read(&mut block)?;
            match count {
                0 => return Ok(()),
                _ if block[..count].iter().all(|&byte| byte == 0) => {}
                _ => break,
            }
        }
        Err(TarError::AfterEnd)
    }
}

/// The name in the records before a header; `None` if they say anything else.
fn long_name(record: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(record).ok()?;
    let (length, rest) = text.split_once(' ')?;
    let is_all = length.parse::<usize>().ok()? == record.len();
    rest.strip_prefix("path=")?.strip_suffix('\n').filter(|_| is_all).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        for (path, bytes) in files {
            write_file(&mut out, path, bytes).unwrap();
        }
        write_end(&mut out).unwrap();
        out
    }

    #[test]
    fn what_is_written_is_read() {
        let long = format!("projects/{}/x", "é".repeat(120));
        let files: [(&str, &[u8]); 4] = [("a", b""), ("b/c", &[7; 512]), (&long, b"long"), ("d", &[0; 1025])];
        let bytes = archive(&files);
        let mut reader = TarReader::new(&bytes[..]);
        for (path, content) in files {
            let entry = reader.next_file().unwrap().unwrap();
            assert_eq!((entry.path.as_str(), entry.size), (path, content.len() as u64));
            assert_eq!(reader.content(entry.size).unwrap(), content);
        }
        assert_eq!(reader.next_file().unwrap(), None);
    }

    #[test]
    fn other_kinds_of_entries_are_refused() {
        for kind in [b'1', b'2', b'5', b'L', b'S', b'g'] {
            let mut bytes = Vec::new();
            write_entry(&mut bytes, "x", kind, b"").unwrap();
            assert!(matches!(TarReader::new(&bytes[..]).next_file(), Err(TarError::NotAFile { .. })));
        }
        let mut bytes = archive(&[("a", b"1")]);
        bytes[0] = b'b';
        assert!(matches!(TarReader::new(&bytes[..]).next_file(), Err(TarError::Header { .. })));
    }
}
