//! One file to its responses, in chunks: only lines that can hold usage are read.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use annals_json::Fields;
use annals_transcript::activity::FileActivity;
use annals_transcript::objects::find_objects;
use annals_transcript::pack_fields;
use annals_transcript::record::Record;
use annals_transcript::record_lines::RecordSplitter;
use annals_transcript::transcript::Transcript;
use annals_transcript::usage::{
    ClientCost, CostSearch, ResponseUsage, Thread, ToolTimeline, UsageCollector, UsageLines, client_cost,
    responses_usage,
};

use super::UsageFile;
use crate::read::{ReadError, open_file, read_file, stream_records, stream_records_of};
use crate::scan::SessionEntry;

/// How much is read at a time: what stays in a core's own cache while it is searched.
const CHUNK: usize = 256 * 1024;

/// The token usage of a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileUsage {
    /// Its responses, in the order of their first lines.
    pub responses: Vec<ResponseUsage>,
}

pack_fields! {
    FileUsage { responses }
}

/// Reads what a file used.
pub fn read_usage(session: &SessionEntry) -> Result<FileUsage, ReadError> {
    read_with_records(session, |_, _| ())
}

/// Reads what a file used, and calls `other` with the position and fields of every record that can hold usage.
pub(super) fn read_with_records(
    session: &SessionEntry,
    mut other: impl FnMut(usize, &Fields<'_>),
) -> Result<FileUsage, ReadError> {
    let fail = |error| ReadError::new(&session.path, error);
    let mut file = open_file(&session.path).map_err(fail)?;
    let (mut collector, mut usage_lines) = (UsageCollector::new(), UsageLines::default());
    // A small file needs no larger buffer than its size.
    let chunk = usize::try_from(session.bytes + 1).unwrap_or(CHUNK).clamp(4096, CHUNK);
    let read = for_whole_lines(&file, chunk, |offset, lines| {
        usage_lines.add(&mut collector, offset, lines, &mut other)
    });
    if let ControlFlow::Break(from) = read.map_err(fail)? {
        file.seek(SeekFrom::Start(from as u64)).map_err(fail)?;
        let splitter = RecordSplitter::after(usize::from(from > 0), from);
        let read = stream_records_of(&file, splitter, |line| {
            usage_lines.add_record(&mut collector, &line, &mut other);
            ControlFlow::<()>::Continue(())
        });
        read.map_err(fail)?;
    }
    Ok(FileUsage { responses: collector.finish() })
}

/// Reads what a file used and the last thing that the client itself has noted of its cost.
pub fn read_noted(session: &SessionEntry) -> Result<(FileUsage, Option<ClientCost>), ReadError> {
    let fail = |error| ReadError::new(&session.path, error);
    let (mut collector, mut usage_lines) = (UsageCollector::new(), UsageLines::default());
    let mut noted = None;
    let file = open_file(&session.path).map_err(fail)?;
    let read = for_whole_lines(file, CHUNK, |offset, lines| {
        match usage_lines.last_cost(offset, lines) {
            CostSearch::Last(last) => noted = last.or(noted.take()),
            CostSearch::Unclear => return ControlFlow::Break(0),
        }
        usage_lines.add(&mut collector, offset, lines, |_, _| ())
    });
    if read.map_err(fail)?.is_break() {
        (collector, noted) = (UsageCollector::new(), None);
        stream_records(&session.path, |line| {
            usage_lines.add_record(&mut collector, &line, |_, _| ());
            noted = client_cost(&line).or(noted.take());
            ControlFlow::<()>::Continue(())
        })?;
    }
    Ok((FileUsage { responses: collector.finish() }, noted))
}

/// Reads what a file used and what happened with its tools: every line.
pub fn read_trail(session: &SessionEntry) -> Result<(FileUsage, ToolTimeline), ReadError> {
    let (mut collector, mut trail) = (UsageCollector::new(), ToolTimeline::default());
    stream_records(&session.path, |line| {
        let place = line.offset;
        find_objects(&line, |fields, _| {
            collector.feed(place, &fields);
            trail.feed(&Record::new(fields));
        });
        ControlFlow::<()>::Continue(())
    })?;
    Ok((FileUsage { responses: collector.finish() }, trail))
}

/// Reads the usage and activity of a whole file into memory. The prompts of a sub-agent do not count.
pub fn read_activity(file: &UsageFile) -> Result<(FileUsage, FileActivity), ReadError> {
    let bytes = read_file(&file.entry.path)?;
    let transcript = Transcript::parse(&bytes);
    let activity = FileActivity::of(&transcript);
    let activity = if file.thread == Thread::Main { activity } else { activity.without_turns() };
    Ok((FileUsage { responses: responses_usage(&transcript) }, activity))
}

/// Passes on runs of complete lines with the position of the first, until `each` breaks; the last may lack its newline.
fn for_whole_lines<B>(
    mut reader: impl Read,
    chunk: usize,
    mut each: impl FnMut(usize, &[u8]) -> ControlFlow<B>,
) -> io::Result<ControlFlow<B>> {
    // What is read goes into memory that was not touched before: a long line is held once, however the buffer grows.
    let mut buffer = Vec::with_capacity(chunk);
    let mut offset = 0;
    loop {
        let filled = buffer.len();
        if reader.by_ref().take(chunk as u64).read_to_end(&mut buffer)? == 0 {
            return Ok(each(offset, &buffer));
        }
        if let Some(at) = memchr::memrchr(b'\n', &buffer[filled..]) {
            let whole = filled + at + 1;
            if let ControlFlow::Break(with) = each(offset, &buffer[..whole]) {
                return Ok(ControlFlow::Break(with));
            }
            buffer.drain(..whole);
            offset += whole;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte after the other, in pieces of any size.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    #[test]
    fn runs_of_lines_make_the_file() {
        let long = "x".repeat(CHUNK * 3);
        for text in ["", "a\nbb\n\nccc", "\n", "no end", &format!("a\n{long}\nb\n{long}")] {
            for size in [1, 3, 1000, CHUNK, CHUNK * 8] {
                if size < 100 && text.len() > 1000 {
                    continue;
                }
                let mut seen = Vec::new();
                let read = for_whole_lines(Pieces(text.as_bytes(), size), CHUNK, |offset, lines| {
                    assert_eq!(offset, seen.len());
                    assert!(offset == 0 || seen.ends_with(b"\n"));
                    seen.extend_from_slice(lines);
                    ControlFlow::<()>::Continue(())
                });
                assert!(read.unwrap().is_continue());
                assert_eq!(seen, text.as_bytes());
            }
        }
    }
}
