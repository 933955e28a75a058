//! Where the lines of a conversation go: the session's file, or memory where nothing shall be kept. A disk that fails is no
//! reason to stop: lines wait, in order, until it works again.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::Path;

use annals_store::SessionWriter;
use annals_store::read::read_file;
use annals_store::session::{AppendError, Gist};
use annals_store::source::{Source, new_uuid};
use annals_transcript::draft::{Continuation, Draft, Origin, Placing, Thread};
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is written, and nothing waits.
    Written,
    /// It is written, and so is what waited before it.
    WrittenAgain,
    /// It waits, because of this.
    Waits(String),
}

/// Lines that are kept.
#[derive(Debug)]
pub(crate) enum Keeping<'s> {
    /// In a file.
    File {
        /// Its writer.
        writer: Box<SessionWriter<'s>>,
        /// Lines that could not be written yet.
        waiting: VecDeque<Draft>,
        /// What was read when it was opened, as long as nothing was written.
        opened: Option<Vec<u8>>,
    },
    /// In memory.
    Memory {
        /// The end of the conversation.
        state: Box<Continuation>,
        /// What all lines have in common.
        origin: Box<Origin>,
        /// The lines.
        bytes: Vec<u8>,
        /// Time and chance.
        source: &'s dyn Source,
    },
}

impl<'s> Keeping<'s> {
    /// In a file.
    pub(crate) fn file(writer: SessionWriter<'s>) -> Self {
        Self::File { writer: Box::new(writer), waiting: VecDeque::new(), opened: None }
    }

    /// In a file of which this was read.
    pub(crate) fn opened_file(writer: SessionWriter<'s>, gist: Gist) -> Self {
        Self::File { writer: Box::new(writer), waiting: VecDeque::new(), opened: Some(gist.bytes) }
    }

    /// In memory, after these lines.
    pub(crate) fn memory(bytes: Vec<u8>, origin: Origin, source: &'s dyn Source) -> Self {
        let thread = if origin.agent.is_some() { Thread::Agent } else { Thread::Main };
        let state = Continuation::of(&Transcript::parse(&bytes), thread);
        Self::Memory { state: Box::new(state), origin: Box::new(origin), bytes, source }
    }

    /// The file.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File { writer, .. } => Some(writer.path()),
            Self::Memory { .. } => None,
        }
    }

    /// What all lines have in common.
    pub(crate) fn origin(&self) -> &Origin {
        match self {
            Self::File { writer, .. } => writer.origin(),
            Self::Memory { origin, .. } => origin,
        }
    }

    /// The end of the conversation.
    pub(crate) fn state(&self) -> &Continuation {
        match self {
            Self::File { writer, .. } => writer.state(),
            Self::Memory { state, .. } => state,
        }
    }

    /// All lines, with those that wait.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, AppendError> {
        match self {
            Self::Memory { bytes, .. } => Ok(bytes.clone()),
            Self::File { writer, waiting, .. } => with_waiting(read_file(writer.path())?, writer, waiting),
        }
    }

    /// The lines that a client would read to go on, with those that wait: of a session that is long, its end.
    pub(crate) fn gist(&self) -> Result<Cow<'_, [u8]>, AppendError> {
        match self {
            Self::Memory { bytes, .. } => Ok(Cow::Borrowed(bytes)),
            Self::File { opened: Some(bytes), .. } => Ok(Cow::Borrowed(bytes)),
            // A sub-agent's file is read as a whole.
            Self::File { writer, .. } if writer.origin().agent.is_some() => Ok(Cow::Owned(self.bytes()?)),
            Self::File { writer, waiting, .. } => {
                with_waiting(Gist::read(writer.path())?.bytes, writer, waiting).map(Cow::Owned)
            }
        }
    }

    /// Appends a line. Only a place that is no place, or another writer, is an error.
    pub(crate) fn append(&mut self, draft: Draft) -> Result<Kept, AppendError> {
        match self {
            Self::File { writer, waiting, opened } => {
                *opened = None;
                let had_to_wait = !waiting.is_empty();
                waiting.push_back(draft);
                while let Some(first) = waiting.front() {
                    match writer.append(first) {
                        Ok(_) => waiting.pop_front(),
                        Err(AppendError::Write(error)) => return Ok(Kept::Waits(error.to_string())),
                        Err(error) => {
                            waiting.pop_front();
                            return Err(error);
                        }
                    };
                }
                // The lines are with the system; whether they are on the disk is told once.
                if let Err(error) = writer.settle() {
                    return Ok(Kept::Waits(error.to_string()));
                }
                Ok(if had_to_wait { Kept::WrittenAgain } else { Kept::Written })
            }
            Self::Memory { state, origin, bytes, source } => {
                let fresh = Placing { uuid: new_uuid(*source), now: source.now() };
                place(state, origin, bytes, &draft, fresh)?;
                Ok(Kept::Written)
            }
        }
    }
}

/// Lines with those that could not be written yet behind them.
fn with_waiting(
    bytes: Vec<u8>,
    writer: &SessionWriter<'_>,
    waiting: &VecDeque<Draft>,
) -> Result<Vec<u8>, AppendError> {
    if waiting.is_empty() {
        return Ok(bytes);
    }
    let (state, origin) = (writer.state().clone(), writer.origin().clone());
    let mut memory = InMemory { state, origin, bytes, made_up: 0 };
    waiting.iter().try_for_each(|draft| memory.add(draft))?;
    Ok(memory.bytes)
}

/// A file as it would be with the lines that wait.
struct InMemory {
    state: Continuation,
    origin: Origin,
    bytes: Vec<u8>,
    made_up: u32,
}

impl InMemory {
    fn add(&mut self, draft: &Draft) -> Result<(), AppendError> {
        self.made_up += 1;
        // Only for the moment: nobody sees these ids.
        let fresh = Placing { uuid: format!("waiting-{}", self.made_up), now: 0 };
        place(&mut self.state, &self.origin, &mut self.bytes, draft, fresh)
    }
}

fn place(
    state: &mut Continuation,
    origin: &Origin,
    bytes: &mut Vec<u8>,
    draft: &Draft,
    fresh: Placing,
) -> Result<(), AppendError> {
    let stamp = state.place(draft, fresh)?;
    let jumps = state.would_be_overlooked(draft, &stamp);
    put(state, bytes, &draft.line(origin, &stamp));
    if jumps {
        // As the writer of files does: an older record names another branch.
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
