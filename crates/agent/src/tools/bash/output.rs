//! Outputs of commands: stored in files of any size, and read back in parts.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use annals_store::platform::owner_only;

/// Bytes read at a time.
const CHUNK: usize = 64 << 10;
/// The bytes of the end that are reported while a command runs.
const MAX_TAIL: usize = 4 << 10;

/// The file of an output. It is removed on drop.
#[derive(Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
}

impl OutputFile {
    /// Creates the file, readable by its owner only.
    pub(crate) fn make(path: PathBuf) -> io::Result<(Self, File)> {
        // Output and errors must not overwrite each other.
        let file = owner_only(File::options().append(true).create_new(true)).open(&path)?;
        Ok((Self { path }, file))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn size(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    /// At most `most` bytes from an offset.
    pub(crate) fn part(&self, from: u64, most: usize) -> Vec<u8> {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(most as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().unwrap_or_default()
    }

    /// The beginning and the end, together at most this many bytes.
    pub(super) fn ends(&self, most: usize) -> String {
        let size = self.size();
        if size <= most as u64 {
            return clean(&self.part(0, most));
        }
        let half = most / 2;
        let (head, tail) = (self.part(0, half), self.part(size - half as u64, half));
        let left_out = size - 2 * half as u64;
        format!("{}\n\n[… {left_out} bytes left out …]\n\n{}", clean(&head), clean(&tail))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Follows a growing output.
#[derive(Debug, Default)]
pub(super) struct OutputFollower {
    at: u64,
    lines: u64,
    end: Vec<u8>,
}

/// Output since the last check.
pub(super) struct NewOutput {
    pub(super) new: String,
    pub(super) end: String,
    pub(super) lines: u64,
}

impl OutputFollower {
    /// Reads new output in chunks; only its end is kept.
    pub(super) fn look(&mut self, output: &OutputFile) -> NewOutput {
        let before = self.at;
        loop {
            let piece = output.part(self.at, CHUNK);
            if piece.is_empty() {
                break;
            }
            self.at += piece.len() as u64;
            self.lines += memchr::memchr_iter(b'\n', &piece).count() as u64;
            self.end.extend_from_slice(&piece);
            let spare = self.end.len().saturating_sub(MAX_TAIL);
            self.end.drain(..spare);
        }
        let fresh = usize::try_from(self.at - before).unwrap_or(usize::MAX).min(self.end.len());
        NewOutput {
            new: clean(&self.end[self.end.len() - fresh..]),
            end: clean(&self.end),
            lines: self.lines + u64::from(self.end.last().is_some_and(|last| *last != b'\n')),
        }
    }
}

/// A text without what only a terminal understands: no escape sequences, no control characters but line ends and tabs.
pub(super) fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_escape(&mut letters),
            '\r' if letters.peek() == Some(&'\n') => {}
            // What a terminal would overwrite becomes a separate line.
            '\r' => out.push('\n'),
            '\n' | '\t' => out.push(letter),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

fn skip_escape(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match letters.peek() {
        Some('[') => {
            letters.next();
            // Parameters, then one final character.
            while letters.next_if(|letter| matches!(letter, '\u{20}'..='\u{3f}')).is_some() {}
            letters.next_if(|letter| matches!(letter, '\u{40}'..='\u{7e}'));
        }
        Some(']' | 'P' | '_' | '^' | 'X') => {
            letters.next();
            // A string: up to BEL or ESC \; one that never ends must not swallow the lines after it.
            while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
                if letter == '\u{7}' {
                    break;
                }
                if letter == '\u{1b}' {
                    letters.next_if_eq(&'\\');
                    break;
                }
            }
        }
        Some('(' | ')' | '#' | '%') => {
            letters.next();
            letters.next();
        }
        Some(letter) if letter.is_ascii_graphic() => {
            letters.next();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_cursor_is_taken_out() {
        for (raw, text) in [
            ("plain\n", "plain\n"),
            ("\x1b[31mred\x1b[0m \x1b[1;2Hx", "red x"),
            ("\x1b]0;title\x07after", "after"),
            ("\x1b]52;c;AAAA\x1b\\after", "after"),
            ("\x1b]never ends\nnext", "\nnext"),
            ("10%\r20%\r\ndone", "10%\n20%\ndone"),
            ("a\0b\x08c\u{9b}31m", "a\u{fffd}b\u{fffd}c\u{fffd}31m"),
            ("\x1b(Bx\x1b7y\x1b", "xy"),
        ] {
            assert_eq!(clean(raw.as_bytes()), text, "{raw:?}");
        }
        assert_eq!(clean(b"\xff\xfe"), "\u{fffd}\u{fffd}");
    }
}
