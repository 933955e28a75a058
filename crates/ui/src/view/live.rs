//! A session that is being written: items of each line as it arrives, without what needs the whole file.
//!
//! There are no ends of turns, no branches and no missing parents: earlier lines may not have been read.
//! A tool call is shown when it is made, and again with its result. Until then its line
//! is kept, within bounds.

use std::collections::VecDeque;

use annals_transcript::content::{Block, Content};
use annals_transcript::line::Line;
use annals_transcript::problem::ProblemKind;
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;

use super::item::{Item, ItemBody, SessionFact};
use super::tool::{CallPhase, ToolCall};
use super::{Conversation, ViewOptions};

/// Bytes of calls that are kept; the oldest are dropped first.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The name of a call that was not seen, or is not remembered.
const UNSEEN_CALL: &str = "earlier call";

/// A session that is being written.
#[derive(Clone, Debug, Default)]
pub struct LiveSession {
    waiting: VecDeque<PendingCalls>,
    title: Option<String>,
    /// Whether the file is a sub-agent's, by its first line in the chain.
    is_agent_file: Option<bool>,
}

/// A line with calls that have no results yet.
#[derive(Clone, Debug)]
struct PendingCalls {
    calls: Vec<String>,
    line: Vec<u8>,
}

impl LiveSession {
    /// Starts with nothing read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the new items of a line.
    pub fn add_line(&mut self, line: &Line<'_>) -> Conversation {
        let alone = Transcript::parse(line.raw());
        let side = alone.nodes().iter().find(|node| node.is_chain()).map(|node| node.is_sidechain);
        self.is_agent_file = self.is_agent_file.or(side);
        let is_agent_file = self.is_agent_file == Some(true);
        let mut bytes = self.calls_of(&answered(&alone));
        // A record may take several lines.
        let before = bytes.iter().filter(|&&byte| byte == b'\n').count();
        let transcript = if bytes.is_empty() {
            // A long line is held once.
            alone
        } else {
            bytes.extend_from_slice(line.raw());
            Transcript::parse(&bytes)
        };
        let mut conversation = Conversation::build(&transcript, &[], ViewOptions::default());
        let mut asked = Vec::new();
        conversation.items.retain_mut(|item| {
            let is_new = self.is_new(item, before, &mut asked);
            item.position.line = line.number;
            if let ItemBody::ToolCall(call) = &mut item.body
                && let Some(result) = &mut call.result
            {
                result.line = line.number;
            }
            item.position.is_off_path = side == Some(true) && !is_agent_file;
            is_new
        });
        self.wait_for(asked, line);
        conversation
    }

    /// The lines of the calls that these results answer.
    fn calls_of(&mut self, results: &[String]) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.waiting.retain_mut(|waiting| {
            let before = waiting.calls.len();
            waiting.calls.retain(|call| !results.contains(call));
            if waiting.calls.len() < before {
                bytes.extend_from_slice(&waiting.line);
            }
            !waiting.calls.is_empty()
        });
        bytes
    }

    /// Whether an item is news, and not one of the lines before that are only there to be answered.
    fn is_new(&mut self, item: &mut Item, before: usize, asked: &mut Vec<String>) -> bool {
        let is_here = item.position.line > before;
        match &mut item.body {
            ItemBody::TurnEnd(_) => false,
            ItemBody::Damage(damage) if damage.problem == ProblemKind::DanglingParent.name() => false,
            ItemBody::ToolCall(call) => {
                let is_answered = call.result.as_ref().is_some_and(|result| result.line > before);
                match (is_here, is_answered) {
                    (true, true) => mark_unknown_call(call),
                    (true, false) => asked.extend(start_call(call)),
                    (false, true) => call.phase = CallPhase::Finished,
                    (false, false) => return false,
                }
                true
            }
            // The client writes the title again and again.
            ItemBody::Fact(SessionFact::Title(title)) if is_here => {
                let is_new = self.title.as_ref() != Some(title);
                self.title = Some(title.clone());
                is_new
            }
            _ => is_here,
        }
    }

    fn wait_for(&mut self, calls: Vec<String>, line: &Line<'_>) {
        if calls.is_empty() {
            return;
        }
        self.waiting.push_back(PendingCalls { calls, line: line.raw().to_vec() });
        let mut bytes: usize = self.waiting.iter().map(|waiting| waiting.line.len()).sum();
        while bytes > MAX_BYTES
            && let Some(oldest) = self.waiting.pop_front()
        {
            bytes -= oldest.line.len();
        }
    }
}

/// Marks a result without a known call, unless it is on the same line.
fn mark_unknown_call(call: &mut ToolCall) {
    if call.input.is_empty() && call.headline.is_empty() {
        call.phase = CallPhase::Finished;
        UNSEEN_CALL.clone_into(&mut call.name);
    }
}

/// A call that has just been made, and its id.
fn start_call(call: &mut ToolCall) -> Option<String> {
    // The request is shown together with the result.
    call.result = None;
    call.phase = CallPhase::Started;
    (!call.id.is_empty()).then(|| call.id.clone())
}

/// The calls that a line has results of.
fn answered(transcript: &Transcript<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (_, record) in transcript.records() {
        let content = match &record {
            Record::User(user) => user.content(),
            Record::Assistant(assistant) => assistant.content(),
            _ => Content::Absent,
        };
        found.extend(content.blocks().filter_map(|block| match block {
            Block::ToolResult(result) => result.tool_use().map(|id| id.to_string()),
            Block::WebSearchToolResult(result) => result.tool_use().map(|id| id.to_string()),
            _ => None,
        }));
    }
    found
}
