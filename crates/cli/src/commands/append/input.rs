//! Reads standard input line by line: records, or plain messages.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use annals_json::Value;
use annals_transcript::draft::{Draft, RecordError};
use annals_transcript::line::{Line, LineSplitter};
use annals_transcript::message::{Message, MessageRole};

/// What a line of input contains.
pub(super) enum InputItem {
    /// A record of the format.
    Record(Draft),
    /// A plain message.
    Message(Box<Message>),
}

impl InputItem {
    /// The prompt, if it is a message of the user and not a tool result.
    pub(super) fn prompt(&self) -> Option<String> {
        let Self::Message(message) = self else { return None };
        let is_prompt = message.role == MessageRole::User && message.tool_results().next().is_none();
        Some(message.text()).filter(|text| is_prompt && !text.is_empty())
    }
}

/// How much is read at once: what a pipe usually holds.
const CHUNK: usize = 64 * 1024;

/// How many chunks are read ahead.
const MAX_CHUNKS_AHEAD: usize = 32;

/// Where the bytes come from.
enum InputSource {
    /// The reader itself, without reading ahead.
    Reader(Box<dyn Read>, Vec<u8>),
    /// A thread that reads on during a sync, so that more lines share the next one.
    Ahead(Receiver<io::Result<Vec<u8>>>),
}

/// Standard input, a line at a time.
pub(super) struct InputLines {
    feed: InputSource,
    splitter: LineSplitter,
    /// Complete lines with their numbers, without blank ones.
    ready: VecDeque<(u64, Vec<u8>)>,
    has_ended: bool,
    /// The last line read, counted from 1.
    pub(super) line: u64,
}

impl InputLines {
    /// Reads when a line is asked for.
    pub(super) fn new(reader: impl Read + 'static) -> Self {
        Self::over(InputSource::Reader(Box::new(reader), vec![0; CHUNK]))
    }

    /// Reads ahead, up to a few megabytes.
    pub(super) fn ahead(mut reader: impl Read + Send + 'static) -> Self {
        let (sender, chunks) = sync_channel(MAX_CHUNKS_AHEAD);
        thread::spawn(move || {
            let mut buffer = vec![0; CHUNK];
            loop {
                let chunk = read_chunk(&mut reader, &mut buffer).map(<[u8]>::to_vec);
                let is_last = chunk.as_ref().map_or(true, Vec::is_empty);
                if sender.send(chunk).is_err() || is_last {
                    return;
                }
            }
        });
        Self::over(InputSource::Ahead(chunks))
    }

    fn over(feed: InputSource) -> Self {
        Self { feed, splitter: LineSplitter::new(), ready: VecDeque::new(), has_ended: false, line: 0 }
    }

    /// The next line that is not blank; `None` at the end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        while self.ready.is_empty() && !self.has_ended {
            let chunk = match &mut self.feed {
                InputSource::Reader(reader, buffer) => read_chunk(reader, buffer)?.to_vec(),
                // A thread that ended has sent the end before.
                InputSource::Ahead(chunks) => chunks.recv().unwrap_or_else(|_| Ok(Vec::new()))?,
            };
            self.take(&chunk);
        }
        Ok(self.ready.pop_front().map(|(number, line)| {
            self.line = number;
            line
        }))
    }

    /// Whether another line is already here: then the sync can wait for it.
    pub(super) fn has_more(&mut self) -> io::Result<bool> {
        while self.ready.is_empty() && !self.has_ended {
            let InputSource::Ahead(chunks) = &self.feed else { break };
            let Ok(chunk) = chunks.try_recv() else { break };
            self.take(&chunk?);
        }
        Ok(!self.ready.is_empty())
    }

    /// Takes a chunk; an empty one is the end.
    fn take(&mut self, chunk: &[u8]) {
        let ready = &mut self.ready;
        let keep = |line: Line<'_>| -> Result<(), Infallible> {
            if !line.raw().trim_ascii().is_empty() {
                ready.push_back((line.number as u64, line.raw().to_vec()));
            }
            Ok(())
        };
        self.has_ended = chunk.is_empty();
        let Ok(()) = match self.has_ended {
            false => self.splitter.push(chunk, keep),
            true => std::mem::take(&mut self.splitter).finish(keep),
        };
    }
}

/// One read; empty at the end.
fn read_chunk<'b>(reader: &mut dyn Read, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(length) => return Ok(&buffer[..length]),
        }
    }
}

/// Parses a line.
pub(super) fn read(line: &[u8]) -> Result<InputItem, String> {
    let value = Value::parse(line).map_err(|fault| RecordError::NotJson(fault.at).to_string())?;
    let utf8 = std::str::from_utf8(line);
    utf8.map_err(|error| RecordError::NotUtf8(error.valid_up_to()).to_string())?;
    let fields = value.fields().ok_or_else(|| RecordError::NotAnObject.to_string())?;
    // A response of the API has a role and the type `message`, which no record has.
    let is_message =
        fields.get("role").is_some() && fields.text("type").is_none_or(|word| word.is("message"));
    if is_message {
        let message = Message::parse(&fields).map_err(|fault| fault.to_string())?;
        return Ok(InputItem::Message(Box::new(message)));
    }
    Draft::from_json(line).map(InputItem::Record).map_err(|error| error.to_string())
}
