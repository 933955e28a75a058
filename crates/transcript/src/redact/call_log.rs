//! Remembers what the calls of a session ran and read, and what its messages ask for: their results and answers, which stand in
//! other records, are judged by it.

use std::collections::{HashMap, VecDeque};

use annals_json::{Fields, Text, Value};

use super::evidence::sources;
use super::origin::TextOrigin;

/// How many calls that show secrets are remembered; the oldest are forgotten.
const MAX_CALLS: usize = 4096;
/// The longest id of a call or name of a file.
const MAX_ID_BYTES: usize = 256;
/// How much of a command, a path or an argument is looked at.
const MAX_INPUT_BYTES: usize = 4096;
/// A text of more words is not what a call asks for.
const MAX_ARGUMENT_WORDS: usize = 6;
/// The longest line that asks for a secret.
const MAX_LINE_BYTES: usize = 400;
/// The folder of outputs that are too long for a record.
const OUTPUTS_FOLDER: &str = "tool-results/";
/// Fields that name the file whose content stands beside them.
const FILE_FIELDS: [&str; 4] = ["file_path", "filePath", "filename", "notebook_path"];

/// What the calls and messages of a session announce for the records after them. Only calls that show secrets are kept.
#[derive(Clone, Debug, Default)]
pub struct CallLog {
    /// By the id of a call, or the name of the file that has its output.
    origins: HashMap<String, TextOrigin>,
    order: VecDeque<String>,
    last: LastMessage,
    /// Of all that the file holds.
    file: TextOrigin,
}

/// The context that the last message leaves for the next record. Saved to read records again.
#[derive(Clone, Debug, Default)]
pub struct LastMessage {
    /// Of what the last command printed that the user ran in the prompt.
    shell: TextOrigin,
    /// Of what follows the last message.
    message: TextOrigin,
}

/// The origins of the texts of a record.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordOrigins {
    pub(super) message: TextOrigin,
    /// Of what the tool returned: `toolUseResult`, and `data` of progress.
    pub(super) result: TextOrigin,
}

impl CallLog {
    /// Begins with another file, by its name. An output that has a file of its own is named after its call, or its result
    /// mentions it.
    pub fn begin_file(&mut self, name: &str) {
        let id = name.rsplit_once('.').map_or(name, |(id, _)| id);
        self.file = self.of_call(name).or(self.of_call(id));
        self.last = LastMessage::default();
    }

    /// Returns the context of the last message, for `return_to`.
    pub fn last_message(&self) -> LastMessage {
        self.last.clone()
    }

    /// Restores the context of an earlier message, to read the records after it again.
    pub fn return_to(&mut self, last: &LastMessage) {
        self.last = last.clone();
    }

    /// The origin of all that the file holds.
    pub(super) fn of_file(&self) -> &TextOrigin {
        &self.file
    }

    /// The origin of the texts of an object, if it has one of its own: the result of a call, or what stands beside the name of
    /// its file. A call is noted.
    pub(super) fn of_object(&mut self, kind: &str, object: &Fields<'_>) -> Option<TextOrigin> {
        if kind.ends_with("tool_use") {
            self.note_call(object);
            return Some(TextOrigin::Unknown);
        }
        if let Some(id) = object.text("tool_use_id") {
            return Some(self.of_call(&id.head_bytes(MAX_ID_BYTES)));
        }
        let path = FILE_FIELDS.iter().find_map(|field| object.text(field))?;
        Some(sources::of_file(&path.head_bytes(MAX_INPUT_BYTES)))
    }

    fn of_call(&self, id: &str) -> TextOrigin {
        self.origins.get(id).cloned().unwrap_or_default()
    }

    fn note_call(&mut self, call: &Fields<'_>) {
        let (Some(id), Some(input)) = (call.text("id"), call.object("input")) else { return };
        let name = call.text("name").map(|name| name.head_bytes(MAX_ID_BYTES)).unwrap_or_default();
        let text = |field: &str| input.text(field).map(|text| text.head_bytes(MAX_INPUT_BYTES));
        let file = FILE_FIELDS.iter().find_map(|field| text(field));
        let origin = match (text("command"), file, text("url")) {
            (Some(command), ..) => sources::of_command(&command),
            (_, Some(path), _) => sources::of_file(&path),
            (.., Some(address)) => sources::of_address(&address),
            _ if name.starts_with("mcp__") => {
                let mut words = name.into_owned();
                for field in input.iter() {
                    let Some(value) = field.value.text() else { continue };
                    let value = value.head_bytes(MAX_INPUT_BYTES);
                    // A longer text is a message or a page, unless it is a query.
                    let is_query = value.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("select "));
                    if is_query || value.split_whitespace().nth(MAX_ARGUMENT_WORDS).is_none() {
                        words.push(' ');
                        words.push_str(&value);
                    }
                    if words.len() > MAX_INPUT_BYTES {
                        break;
                    }
                }
                sources::of_words(&words)
            }
            _ => TextOrigin::Unknown,
        };
        self.insert(&id.head_bytes(MAX_ID_BYTES), origin);
    }

    /// Notes the file that has the whole of an output, if a text of this origin names it.
    pub(super) fn note_output(&mut self, text: &str, origin: &TextOrigin) {
        if *origin == TextOrigin::Unknown {
            return;
        }
        let head = &text[..text.floor_char_boundary(MAX_INPUT_BYTES)];
        let Some(at) = head.find(OUTPUTS_FOLDER) else { return };
        let rest = &head[at + OUTPUTS_FOLDER.len()..];
        let end = rest.find(|letter: char| letter.is_whitespace() || "\"'`/\\<>".contains(letter));
        self.insert(&rest[..end.unwrap_or(rest.len())], origin.clone());
    }

    fn insert(&mut self, id: &str, origin: TextOrigin) {
        if origin == TextOrigin::Unknown || id.is_empty() || id.len() > MAX_ID_BYTES {
            return;
        }
        if self.origins.insert(id.to_owned(), origin).is_none() {
            self.order.push_back(id.to_owned());
        }
        if self.order.len() > MAX_CALLS
            && let Some(oldest) = self.order.pop_front()
        {
            self.origins.remove(&oldest);
        }
    }

    /// The origins of the texts of a record, whose message has these blocks.
    pub(super) fn of_record<'v>(
        &self,
        record: &Fields<'v>,
        content: Option<Value<'v>>,
        blocks: impl Iterator<Item = Fields<'v>>,
    ) -> RecordOrigins {
        let id = |text: Text<'v>| text.head_bytes(MAX_ID_BYTES);
        let mut blocks = blocks;
        let result = blocks
            .find_map(|block| block.text("tool_use_id"))
            .or_else(|| record.text("toolUseID").filter(|text| self.is_known(*text)))
            .or_else(|| record.text("parentToolUseID"));
        let is_user = record.text("type").is_some_and(|kind| kind.is("user"));
        let is_shell = content
            .and_then(Value::text)
            .is_some_and(|text| text.head_bytes(16).trim_start().starts_with("<bash-std"));
        let message = match () {
            () if is_user && is_shell => self.last.shell.clone(),
            () if is_user => self.last.message.clone(),
            () => TextOrigin::Unknown,
        };
        RecordOrigins { message, result: result.map(|text| self.of_call(&id(text))).unwrap_or_default() }
    }

    fn is_known(&self, id: Text<'_>) -> bool {
        self.origins.contains_key(id.head_bytes(MAX_ID_BYTES).as_ref())
    }

    /// Notes what a message says last.
    pub(super) fn note_message(&mut self, text: &str) {
        let command = text.split_once("<bash-input>").map(|(_, rest)| rest);
        if let Some(command) = command {
            let command = command.split("</bash-input>").next().unwrap_or(command);
            self.last.shell = sources::of_command(&command[..command.floor_char_boundary(MAX_INPUT_BYTES)]);
            return;
        }
        let line = text.trim_end().rsplit('\n').next().unwrap_or_default().trim();
        self.last.message = match line.is_empty() || line.len() > MAX_LINE_BYTES {
            true => TextOrigin::Unknown,
            false => TextOrigin::Message(line.into()),
        };
    }
}
