//! The part of a session that is needed to continue it. Of a large file clients read nothing before the last compaction but side
//! records, and neither does this: a session of a hundred megabytes is passed over once, and its end is understood.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use annals_json::Fields;
use annals_transcript::line::Line;
use annals_transcript::objects::find_objects;
use annals_transcript::record::Record;
use annals_transcript::record_lines::{RecordSplitter, record_lines};
use annals_transcript::resume::{LARGE_FILE_BYTES, starts_large_file};
use annals_transcript::transcript::Transcript;
use memchr::memmem;

use crate::read::{ReadError, open_file, read_file, stream_records_of};

/// As much of the end is looked through at first; four times as much each time that it holds no compaction.
const FIRST_LOOK: u64 = 1024 * 1024;
/// Where more than this part of the file would be needed, all of it is read.
const MAX_PART: u64 = 2;
/// Occurs in the line of every compaction.
const MARK: &[u8] = b"\"compact_boundary\"";
/// How the lines of a conversation begin; side records never do.
const IN_CHAIN: &[u8] = b"{\"parentUuid\":";

/// The part of a session's file that is needed to continue it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionTail {
    /// Lines: all of them, or the side records before the last compaction and everything from it on.
    pub bytes: Vec<u8>,
    /// How long the file is.
    pub length: u64,
    /// Where titles and tags were last written: the offset of the last such line.
    pub(super) repeated_at: u64,
}

impl SessionTail {
    /// Reads a session's file as the newest client does.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let fail = |error| ReadError::new(path, error);
        let mut file = open_file(path).map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        if length > LARGE_FILE_BYTES as u64
            && let Some((start, end)) = last_part(&mut file, length).map_err(fail)?
        {
            file.seek(SeekFrom::Start(0)).map_err(fail)?;
            let mut tail =
                Self { repeated_at: last_repeated(&end).map_or(0, |at| start + at), ..Self::default() };
            let has_own_titles = tail.repeated_at > 0;
            let passed = stream_records_of(file.take(start), RecordSplitter::new(), |line| {
                if is_side_record(&line) {
                    tail.bytes.extend_from_slice(line.raw());
                    if !has_own_titles && is_repeated(&line) {
                        tail.repeated_at = line.offset as u64;
                    }
                }
                ControlFlow::<()>::Continue(())
            });
            passed.map_err(fail)?;
            tail.length = start + end.len() as u64;
            tail.bytes.extend(end);
            return Ok(tail);
        }
        Ok(Self::of_whole(read_file(path)?))
    }

    /// Takes the bytes of a whole file.
    pub fn of_whole(bytes: Vec<u8>) -> Self {
        let position = Self::position_in(&bytes);
        Self { bytes, ..position }
    }

    /// Measures a whole file without copying it.
    pub(super) fn position_in(bytes: &[u8]) -> Self {
        let repeated_at = last_repeated(bytes).unwrap_or(0);
        Self { bytes: Vec::new(), length: bytes.len() as u64, repeated_at }
    }
}

/// Returns the part of a large file that starts with the last compaction, and its offset; `None` if that is not worth it.
fn last_part(file: &mut File, length: u64) -> std::io::Result<Option<(u64, Vec<u8>)>> {
    let mut look = FIRST_LOOK;
    while look <= length / MAX_PART {
        let from = length - look;
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.read_to_end(&mut end)?;
        if let Some(at) = last_compaction(&end) {
            let end = end.split_off(at);
            // Without a response since then the model is not known.
            return Ok(names_a_model(&end).then_some((from + at as u64, end)));
        }
        look *= 4;
    }
    Ok(None)
}

/// Where the line of the last compaction begins that the newest client starts from. The first line may be cut.
fn last_compaction(end: &[u8]) -> Option<usize> {
    let mut before = end.len();
    while let Some(mark) = memmem::rfind(&end[..before], MARK) {
        let start = memchr::memrchr(b'\n', &end[..mark])? + 1;
        let stop = memchr::memchr(b'\n', &end[mark..]).map_or(end.len(), |stop| mark + stop);
        let (mut count, mut is_it) = (0, false);
        find_objects(&Line::uncounted(start, &end[start..stop]), |fields, _| {
            count += 1;
            is_it |= starts_large_file(&Record::new(fields));
        });
        match (is_it, count) {
            (false, _) => before = start,
            (true, 1) => return Some(start),
            // It shares its line with other records: the whole file must be read.
            (true, _) => return None,
        }
    }
    None
}

fn names_a_model(end: &[u8]) -> bool {
    let transcript = Transcript::parse(end);
    transcript.records().any(|(_, record)| match record {
        Record::Assistant(assistant) => assistant.model().is_some_and(|model| !model.is("<synthetic>")),
        _ => false,
    })
}

fn is_side_record(line: &Line<'_>) -> bool {
    let mut is_side = !line.body().starts_with(IN_CHAIN);
    if is_side {
        find_objects(line, |fields, _| is_side &= !Record::new(fields).kind().is_chain());
    }
    is_side
}

fn is_repeated(line: &Line<'_>) -> bool {
    if line.is_joined() {
        let kind = Fields::scan(line.body()).ok().and_then(|(fields, _)| fields.text("type"));
        return kind.is_some_and(|kind| ["custom-title", "tag", "ai-title"].iter().any(|name| kind.is(name)));
    }
    [&br#"{"type":"custom-title""#[..], br#"{"type":"tag""#, br#"{"type":"ai-title""#]
        .iter()
        .any(|start| line.body().starts_with(start))
}

fn last_repeated(bytes: &[u8]) -> Option<u64> {
    record_lines(bytes).filter(is_repeated).last().map(|line| line.offset as u64)
}
