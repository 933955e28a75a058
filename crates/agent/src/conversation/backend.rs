//! Storage of a conversation's lines: the session's file, or memory if the session is not persisted. A write error does not
//! end the conversation: lines are queued, in order, until writing works again.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::Path;

use annals_store::SessionWriter;
use annals_store::read::read_file;
use annals_store::session::{AppendError, SessionTail};
use annals_store::source::{Source, new_uuid};
use annals_transcript::draft::{Continuation, Draft, Origin, PlacementDefaults, ThreadKind};
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;

/// The result of appending a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppendOutcome {
    /// The line is written, and no line is queued.
    Written,
    /// The line is written, and so are the lines that were queued before it.
    Recovered,
    /// The line is queued, for this reason.
    Queued(String),
}

/// Stores the lines of a conversation.
#[derive(Debug)]
pub(crate) enum Backend<'s> {
    /// Lines go to a file.
    File {
        writer: Box<SessionWriter<'s>>,
        /// Lines that are not written yet.
        waiting: VecDeque<Draft>,
        /// The bytes read at opening, until the first line is written.
        opened: Option<Vec<u8>>,
    },
    /// Lines stay in memory.
    Memory {
        state: Box<Continuation>,
        /// The fields that all lines share.
        origin: Box<Origin>,
        bytes: Vec<u8>,
        source: &'s dyn Source,
    },
}

impl<'s> Backend<'s> {
    pub(crate) fn file(writer: SessionWriter<'s>) -> Self {
        Self::File { writer: Box::new(writer), waiting: VecDeque::new(), opened: None }
    }

    /// Continues a file whose end is already read.
    pub(crate) fn opened_file(writer: SessionWriter<'s>, gist: SessionTail) -> Self {
        Self::File { writer: Box::new(writer), waiting: VecDeque::new(), opened: Some(gist.bytes) }
    }

    /// Starts in memory, after these lines.
    pub(crate) fn memory(bytes: Vec<u8>, origin: Origin, source: &'s dyn Source) -> Self {
        let thread = if origin.agent.is_some() { ThreadKind::Agent } else { ThreadKind::Main };
        let state = Continuation::of(&Transcript::parse(&bytes), thread);
        Self::Memory { state: Box::new(state), origin: Box::new(origin), bytes, source }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File { writer, .. } => Some(writer.path()),
            Self::Memory { .. } => None,
        }
    }

    /// Returns the fields that all lines share.
    pub(crate) fn origin(&self) -> &Origin {
        match self {
            Self::File { writer, .. } => writer.origin(),
            Self::Memory { origin, .. } => origin,
        }
    }

    /// Returns the end of the conversation.
    pub(crate) fn state(&self) -> &Continuation {
        match self {
            Self::File { writer, .. } => writer.state(),
            Self::Memory { state, .. } => state,
        }
    }

    /// Returns all lines, including queued ones.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, AppendError> {
        match self {
            Self::Memory { bytes, .. } => Ok(bytes.clone()),
            Self::File { writer, waiting, .. } => with_waiting(read_file(writer.path())?, writer, waiting),
        }
    }

    /// Returns the lines that a client reads on resume, including queued ones: for a long session, its end.
    pub(crate) fn tail(&self) -> Result<Cow<'_, [u8]>, AppendError> {
        match self {
            Self::Memory { bytes, .. } => Ok(Cow::Borrowed(bytes)),
            Self::File { opened: Some(bytes), .. } => Ok(Cow::Borrowed(bytes)),
            // A sub-agent's file is read as a whole.
            Self::File { writer, .. } if writer.origin().agent.is_some() => Ok(Cow::Owned(self.bytes()?)),
            Self::File { writer, waiting, .. } => {
                with_waiting(SessionTail::read(writer.path())?.bytes, writer, waiting).map(Cow::Owned)
            }
        }
    }

    /// Appends a line. Fails only if the line has no valid parent or another process writes to the session.
    pub(crate) fn append(&mut self, draft: Draft) -> Result<AppendOutcome, AppendError> {
        match self {
            Self::File { writer, waiting, opened } => {
                *opened = None;
                let had_to_wait = !waiting.is_empty();
                waiting.push_back(draft);
                while let Some(first) = waiting.front() {
                    match writer.append(first) {
                        Ok(_) => waiting.pop_front(),
                        Err(AppendError::Write(error)) => {
                            return Ok(AppendOutcome::Queued(error.to_string()));
                        }
                        Err(error) => {
                            waiting.pop_front();
                            return Err(error);
                        }
                    };
                }
                // Written, but perhaps not synced yet: a failed sync is reported once.
                if let Err(error) = writer.settle() {
                    return Ok(AppendOutcome::Queued(error.to_string()));
                }
                Ok(if had_to_wait { AppendOutcome::Recovered } else { AppendOutcome::Written })
            }
            Self::Memory { state, origin, bytes, source } => {
                let fresh = PlacementDefaults { uuid: new_uuid(*source), now: source.now() };
                place(state, origin, bytes, &draft, fresh)?;
                Ok(AppendOutcome::Written)
            }
        }
    }
}

/// Adds queued lines to written ones.
fn with_waiting(
    bytes: Vec<u8>,
    writer: &SessionWriter<'_>,
    waiting: &VecDeque<Draft>,
) -> Result<Vec<u8>, AppendError> {
    if waiting.is_empty() {
        return Ok(bytes);
    }
    let (state, origin) = (writer.state().clone(), writer.origin().clone());
    let mut memory = PendingLines { state, origin, bytes, count: 0 };
    waiting.iter().try_for_each(|draft| memory.add(draft))?;
    Ok(memory.bytes)
}

/// A session as it will be once the queued lines are written.
struct PendingLines {
    state: Continuation,
    origin: Origin,
    bytes: Vec<u8>,
    count: u32,
}

impl PendingLines {
    fn add(&mut self, draft: &Draft) -> Result<(), AppendError> {
        self.count += 1;
        // These ids are temporary and never written.
        let fresh = PlacementDefaults { uuid: format!("waiting-{}", self.count), now: 0 };
        place(&mut self.state, &self.origin, &mut self.bytes, draft, fresh)
    }
}

fn place(
    state: &mut Continuation,
    origin: &Origin,
    bytes: &mut Vec<u8>,
    draft: &Draft,
    fresh: PlacementDefaults,
) -> Result<(), AppendError> {
    let stamp = state.place(draft, fresh)?;
    let jumps = state.would_be_overlooked(draft, &stamp);
    put(state, bytes, &draft.line(origin, &stamp));
    if jumps {
        // The file writer does the same when an older record names another branch.
        let named = Draft::last_prompt(state.last_prompt().unwrap_or_default(), Some(&stamp.uuid));
        put(state, bytes, &named.line(origin, &Default::default()));
    }
    Ok(())
}

fn put(state: &mut Continuation, bytes: &mut Vec<u8>, line: &[u8]) {
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        bytes.push(b'\n');
    }
    let from = bytes.len();
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
    for line in annals_transcript::line::lines(&bytes[from..]) {
        read_objects(&line, |fields, _| state.absorb(&Record::new(fields)), |_| {});
    }
}
