//! Reads single records of a file: for a window, or as they are written.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use annals_store::read::{ReadError, open_file, read_file, stream_records};
use annals_transcript::transcript::{Node, Transcript};
use annals_ui::view::{Conversation, RecordSpan};

use super::{Library, OpenSession};

/// A record as it is written.
#[derive(Debug)]
pub(crate) struct RawRecord {
    pub(crate) line: usize,
    pub(crate) offset: usize,
    pub(crate) bytes: Vec<u8>,
}

impl Library {
    /// Builds a window of a session from its file.
    pub(crate) fn window(&self, session: &OpenSession, number: usize) -> Result<Conversation, ReadError> {
        let Some(plan) = session.map.windows.get(number) else { return Ok(Conversation::default()) };
        let records = read_spans(&session.path, &plan.records);
        let records = records.map_err(|error| ReadError::new(&session.path, error))?;
        let clean = |record: Vec<u8>| match &self.redaction {
            Some(redaction) => redaction.record(record),
            None => record,
        };
        let records: Vec<_> = records.into_iter().map(clean).collect();
        Ok(session.map.window(plan, &records))
    }

    /// The line of a record.
    pub(crate) fn line_of(&self, path: &Path, uuid: &str) -> Result<Option<u32>, ReadError> {
        let bytes = read_file(path)?;
        let transcript = Transcript::parse(&bytes);
        let is_it = |node: &&Node<'_>| node.uuid.is_some_and(|id| id.to_string() == uuid);
        Ok(transcript.nodes().iter().find(is_it).map(|node| node.line))
    }

    /// The record on a line.
    pub(crate) fn raw(&self, path: &Path, line: usize) -> Result<Option<RawRecord>, ReadError> {
        let found =
            stream_records(path, |found| match found.number <= line && line <= found.last_number() {
                true => ControlFlow::Break((found.offset, found.body().to_vec())),
                false => ControlFlow::Continue(()),
            })?;
        Ok(found.map(|(offset, bytes)| {
            let bytes = match &self.redaction {
                Some(redaction) => redaction.record(bytes),
                None => bytes,
            };
            RawRecord { line, offset, bytes }
        }))
    }
}

fn read_spans(path: &Path, spans: &[RecordSpan]) -> io::Result<Vec<Vec<u8>>> {
    let mut file = open_file(path)?;
    let mut records = Vec::with_capacity(spans.len());
    let mut at = u64::MAX;
    for span in spans {
        if at != span.offset {
            file.seek(SeekFrom::Start(span.offset))?;
        }
        let mut bytes = vec![0; span.length as usize];
        file.read_exact(&mut bytes)?;
        at = span.offset + u64::from(span.length);
        records.push(bytes);
    }
    Ok(records)
}
