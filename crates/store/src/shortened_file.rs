//! A session file with its long texts cut: enough for its graph and its outline, in a fraction of the memory. It knows where
//! each part of it is in the file, so that what is shown can be read from there.

use std::ops::ControlFlow;
use std::path::Path;

use annals_json::{Value, shorten_strings};
use annals_transcript::line::Line;
use annals_transcript::objects::MAX_LINE_BYTES;

use crate::read::{ReadError, stream_lines};

/// Longer strings are cut.
const MAX_STRING: usize = 512;

/// A session file with its long texts cut. Lines have the same numbers as in the file.
#[derive(Clone, Debug, Default)]
pub struct ShortenedFile {
    /// The shortened lines.
    pub bytes: Vec<u8>,
    /// How many bytes the file had.
    pub file_bytes: u64,
    /// The lines of which something was cut, in order.
    lines: Vec<ShortenedLine>,
}

/// Where a line begins and ends, in what is left and in the file.
#[derive(Clone, Copy, Debug)]
struct ShortenedLine {
    start: usize,
    end: usize,
    file_start: usize,
    file_end: usize,
}

impl ShortenedFile {
    /// Reads a file line by line.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let mut file = Self::default();
        stream_lines(path, |line| {
            file.add(&line);
            ControlFlow::<()>::Continue(())
        })?;
        file.bytes.shrink_to_fit();
        Ok(file)
    }

    fn add(&mut self, line: &Line<'_>) {
        let (raw, start) = (line.raw(), self.bytes.len());
        self.file_bytes = (line.offset + raw.len()) as u64;
        // That a line is too long is a problem of the file, which is to be found.
        let has_room = (MAX_STRING..=MAX_LINE_BYTES).contains(&line.body().len());
        let value = Some(line.body()).filter(|_| has_room).and_then(|body| Value::parse(body).ok());
        let Some(value) = value else { return self.bytes.extend_from_slice(raw) };
        let before = value.raw().as_ptr() as usize - raw.as_ptr() as usize;
        self.bytes.extend_from_slice(&raw[..before]);
        let is_cut = shorten_strings(value, MAX_STRING, &mut self.bytes);
        self.bytes.extend_from_slice(&raw[before + value.raw().len()..]);
        if is_cut {
            let (file_start, file_end) = (line.offset, line.offset + raw.len());
            self.lines.push(ShortenedLine { start, end: self.bytes.len(), file_start, file_end });
        }
    }

    /// Returns offset and length in the file of a record that has this offset and length here.
    pub fn span_in_file(&self, offset: u64, length: u64) -> (u64, u64) {
        let (start, end) = (offset as usize, (offset + length) as usize);
        let last = |after: usize| after.checked_sub(1).map(|at| self.lines[at]);
        let file_start = match last(self.lines.partition_point(|line| line.start <= start)) {
            Some(line) if start < line.end => line.file_start + (start - line.start),
            Some(line) => line.file_end + (start - line.end),
            None => start,
        };
        let file_end = match last(self.lines.partition_point(|line| line.start < end)) {
            Some(line) if end <= line.end => line.file_end - (line.end - end),
            Some(line) => line.file_end + (end - line.end),
            None => end,
        };
        (file_start as u64, file_end.saturating_sub(file_start) as u64)
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;
    use annals_transcript::transcript::Transcript;

    use super::*;

    /// Every record of the shortened file is found in the file, and is the same but for its long strings.
    fn check(bytes: &[u8]) -> ShortenedFile {
        let temp = TempDir::new("shortened");
        let path = temp.write("file.jsonl", bytes);
        let short = ShortenedFile::read(&path).unwrap();
        assert_eq!(short.file_bytes, bytes.len() as u64);
        let (whole, cut) = (Transcript::parse(bytes), Transcript::parse(&short.bytes));
        assert_eq!(whole.nodes().len(), cut.nodes().len());
        assert_eq!(whole.problems().len(), cut.problems().len());
        for (whole, cut) in whole.nodes().iter().zip(cut.nodes()) {
            let found = short.span_in_file(cut.span.offset as u64, cut.span.length as u64);
            assert_eq!(found, (whole.span.offset as u64, whole.span.length as u64), "line {}", whole.line);
            assert_eq!((whole.line, whole.uuid, whole.kind), (cut.line, cut.uuid, cut.kind));
        }
        short
    }

    #[test]
    fn records_are_found_in_the_file_whatever_lies_between() {
        let long = "x".repeat(3000);
        let text = [
            format!("\u{feff}{{\"type\":\"user\",\"uuid\":\"a\",\"text\":\"{long}\"}}\r\n"),
            "\n".to_owned(),
            format!("  {{\"type\":\"user\",\"uuid\":\"b\",\"text\":\"{long}\"}}  \n"),
            format!(
                "{{\"type\":\"user\",\"uuid\":\"c\"}}{{\"type\":\"user\",\"uuid\":\"d\",\"text\":\"{long}\"}}\n"
            ),
            format!("{{\"type\":\"user\",\n\"uuid\":\"e\",\"texts\":[\n\"{long}\"\n]}}\n"),
            format!("{{\"type\":\"user\",\"uuid\":\"f\",\"text\":\"{long}\n"),
            format!("{{\"type\":\"user\",\"uuid\":\"g\",\"text\":\"{long}\"}}"),
        ];
        let short = check(text.concat().as_bytes());
        assert!(short.bytes.len() < 12_000, "{}", short.bytes.len());
    }

    #[test]
    fn every_session_of_the_corpus_keeps_its_records() {
        let test = "every_session_of_the_corpus_keeps_its_records";
        let Some(corpus) = annals_testkit::corpus::or_skip(test) else { return };
        for path in corpus.sample() {
            check(&std::fs::read(path).unwrap());
        }
    }
}
