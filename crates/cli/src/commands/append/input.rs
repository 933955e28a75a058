//! The lines of standard input: records, or plain messages.

use std::io::{self, BufRead, BufReader, Read};

use annals_transcript::draft::{Draft, GivenError};
use annals_transcript::json::Value;
use annals_transcript::message::{Message, Role};

/// What a line asks to be written.
pub(super) enum Item {
    /// A record of the format.
    Record(Draft),
    /// A plain message.
    Message(Box<Message>),
}

impl Item {
    /// What a person says with it: a plain message of the user that is no tool's result.
    pub(super) fn prompt(&self) -> Option<String> {
        let Self::Message(message) = self else { return None };
        let is_prompt = message.role == Role::User && message.tool_results().next().is_none();
        Some(message.text()).filter(|text| is_prompt && !text.is_empty())
    }
}

/// Standard input, a line at a time.
pub(super) struct Input<R> {
    reader: BufReader<R>,
    /// The line that was read last, counted from 1.
    pub(super) line: u64,
}

impl<R: Read> Input<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(256 * 1024, reader), line: 0 }
    }

    /// The next line that is not blank; `None` at the end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let mut bytes = Vec::new();
            if self.reader.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if !bytes.trim_ascii().is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    /// Whether a whole line is here already: then the disk can wait for it.
    pub(super) fn has_more(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }
}

/// Reads a line as what it is.
pub(super) fn read(line: &[u8]) -> Result<Item, String> {
    let value = Value::parse(line).map_err(|fault| GivenError::NotJson(fault.at).to_string())?;
    let fields = value.fields().ok_or_else(|| GivenError::NotAnObject.to_string())?;
    // A response of the API has a role and the type `message`, which is no record's.
    let is_message =
        fields.get("role").is_some() && fields.text("type").is_none_or(|word| word.is("message"));
    if is_message {
        let message = Message::parse(&fields).map_err(|fault| fault.to_string())?;
        return Ok(Item::Message(Box::new(message)));
    }
    Draft::given(line).map(Item::Record).map_err(|error| error.to_string())
}
