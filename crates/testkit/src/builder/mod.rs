//! Builds session files for tests, line by line: uuids are chained and timestamps grow, so a test says only what matters.
//!
//! ```
//! use annals_testkit::builder::Session;
//!
//! let bytes = Session::new()
//!     .prompt("list the files")
//!     .response(|response| response.thinking("ls will do").tool_use("Bash", r#"{"command":"ls"}"#))
//!     .tool_result("README.md")
//!     .reply("There is one file.")
//!     .into_bytes();
//! assert_eq!(bytes.iter().filter(|&&byte| byte == b'\n').count(), 5);
//! ```

mod clock;
mod response;

use annals_json::ObjectWriter;

pub use response::{Block, Response};

/// The session id of a [`Session`] that was not given another.
pub const SESSION_ID: &str = "5e550000-0000-4000-8000-000000000000";

/// A session file in the making.
#[derive(Clone, Debug)]
pub struct Session {
    bytes: Vec<u8>,
    id: String,
    version: String,
    folder: String,
    model: String,
    agent: Option<String>,
    parent: Option<String>,
    sidechain: bool,
    records: u32,
    responses: u32,
    seconds: u32,
    last_tool: Option<String>,
}

impl Session {
    /// An empty session with an id, version, work folder and model that tests may rely on.
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            id: SESSION_ID.to_owned(),
            version: "2.1.112".to_owned(),
            folder: "/home/dev/garden".to_owned(),
            model: "claude-sonnet-4-5-20250929".to_owned(),
            agent: None,
            parent: None,
            sidechain: false,
            records: 0,
            responses: 0,
            seconds: 0,
            last_tool: None,
        }
    }

    /// Sets the session id of the lines that follow.
    pub fn id(mut self, id: &str) -> Self {
        id.clone_into(&mut self.id);
        self
    }

    /// Sets the client version of the lines that follow.
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// Sets the work folder of the lines that follow.
    pub fn folder(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Sets the model of the responses that follow.
    pub fn model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    /// Marks the lines that follow as those of a sub-agent.
    pub fn sub_agent(mut self, agent: &str) -> Self {
        self.agent = Some(agent.to_owned());
        self.sidechain = true;
        self
    }

    /// Marks the lines that follow as the main conversation's again.
    pub fn main_chain(mut self) -> Self {
        self.agent = None;
        self.sidechain = false;
        self
    }

    /// Makes the next line a child of this one; `None` makes it a root.
    pub fn parent(mut self, uuid: Option<&str>) -> Self {
        self.parent = uuid.map(str::to_owned);
        self
    }

    /// Lets time pass before the next line.
    pub fn wait(mut self, seconds: u32) -> Self {
        self.seconds += seconds;
        self
    }

    /// A prompt by a person.
    pub fn prompt(self, text: &str) -> Self {
        self.user(|message| {
            message.string("content", text);
        })
    }

    /// A user line for the model that the client does not show.
    pub fn meta(self, text: &str) -> Self {
        self.chained("user", |line| {
            line.boolean("isMeta", true);
            line.object("message", |message| {
                message.string("role", "user").string("content", text);
            });
        })
    }

    /// A user line with a message filled by `fill`; the role is already set.
    pub fn user(self, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        self.chained("user", |line| {
            line.object("message", |message| {
                message.string("role", "user");
                fill(message);
            });
        })
    }

    /// A reply of one text block.
    pub fn reply(self, text: &str) -> Self {
        self.response(|response| response.text(text))
    }

    /// A reply of one tool call.
    pub fn tool_use(self, name: &str, input: &str) -> Self {
        self.response(|response| response.tool_use(name, input))
    }

    /// One API response: a line for each block, all with the same message id, the stop reason on the last.
    pub fn response(mut self, fill: impl FnOnce(Response) -> Response) -> Self {
        self.responses += 1;
        let response = fill(Response::new(self.responses));
        if let Some(tool) = response.last_tool() {
            self.last_tool = Some(tool.to_owned());
        }
        let model = self.model.clone();
        for place in 0..response.len() {
            self = self.chained("assistant", |line| response.write(line, place, &model));
        }
        self
    }

    /// The result of the latest tool call.
    pub fn tool_result(self, text: &str) -> Self {
        let id = self.last_tool.clone().unwrap_or_else(|| panic!("tool_result before any tool_use"));
        self.result_of(&id, text)
    }

    /// The result of the tool call with this id.
    pub fn result_of(self, id: &str, text: &str) -> Self {
        self.user(|message| {
            message.array("content", |blocks| {
                blocks.object(|block| {
                    block.string("tool_use_id", id).string("type", "tool_result").string("content", text);
                });
            });
        })
    }

    /// A compaction: the boundary, a root that names the line before it, and the summary that follows.
    pub fn compaction(mut self, summary: &str) -> Self {
        let before = self.parent.take();
        self.chained("system", |line| {
            line.string_or_null("logicalParentUuid", before.as_deref());
            line.string("subtype", "compact_boundary").string("content", "Conversation compacted");
            line.object("compactMetadata", |metadata| {
                metadata.string("trigger", "manual").number("preTokens", 1000_u32);
            });
        })
        .chained("user", |line| {
            line.boolean("isCompactSummary", true).boolean("isVisibleInTranscriptOnly", true);
            line.object("message", |message| {
                message.string("role", "user").string("content", summary);
            });
        })
    }

    /// A chain line of any type: the envelope is written, `fill` adds the rest.
    pub fn chained(mut self, kind: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        self.records += 1;
        let uuid = uuid(self.records);
        let timestamp = self.tick();
        let mut line = ObjectWriter::begin(&mut self.bytes);
        line.string_or_null("parentUuid", self.parent.as_deref());
        line.boolean("isSidechain", self.sidechain).string("userType", "external");
        line.string("cwd", &self.folder).string("sessionId", &self.id).string("version", &self.version);
        line.string("gitBranch", "main").string_if("agentId", self.agent.as_deref()).string("type", kind);
        fill(&mut line);
        line.string("uuid", &uuid).string("timestamp", &timestamp);
        line.end();
        self.bytes.push(b'\n');
        self.parent = Some(uuid);
        self
    }

    /// A side record: a line outside the chain.
    pub fn side(mut self, kind: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        let mut line = ObjectWriter::begin(&mut self.bytes);
        line.string("type", kind);
        fill(&mut line);
        line.end();
        self.bytes.push(b'\n');
        self
    }

    /// Raw bytes: torn lines, blank ones, anything else.
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// The uuid of the latest chain line, which is the parent of the next.
    pub fn last_uuid(&self) -> Option<&str> {
        self.parent.as_deref()
    }

    /// The file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn tick(&mut self) -> String {
        let text = clock::text(self.seconds);
        self.seconds += 1;
        text
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

/// The uuid of the chain line with this number; the first is 1.
pub fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

#[cfg(test)]
mod tests;
