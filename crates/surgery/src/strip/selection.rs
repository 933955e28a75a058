//! Selects tool calls by their ids.

use std::collections::{BTreeSet, HashMap};

use annals_transcript::content::Block;
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};

use super::StripError;
use super::options::{CallMode, StripOptions, StripPart, ToolNames};

/// What to do with a selected call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallAction {
    /// Remove it with its results.
    Remove,
    /// Replace its results by a placeholder.
    Empty,
}

/// The selected calls, and the end of the range.
#[derive(Debug)]
pub(super) struct CallSelection<'w> {
    options: &'w StripOptions,
    calls: HashMap<String, (String, CallAction)>,
    /// The first record after the range.
    end: NodeIndex,
}

impl<'w> CallSelection<'w> {
    /// Selects calls. A call that was written twice is as old as its last line; a result without a call is selected if all
    /// tools are.
    pub(super) fn new(transcript: &Transcript<'_>, options: &'w StripOptions) -> Result<Self, StripError> {
        let end = options.range.end(transcript);
        let mut selection = Self { options, calls: HashMap::new(), end };
        let Some(tools) = &options.tools else { return Ok(selection) };
        let mut seen: HashMap<String, (String, NodeIndex, Option<CallAction>)> = HashMap::new();
        let fate = match tools.calls {
            CallMode::Removed => CallAction::Remove,
            CallMode::Kept => CallAction::Empty,
        };
        for (node, record) in transcript.records() {
            let Record::Assistant(assistant) = record else { continue };
            for block in assistant.content().blocks() {
                let (id, name, fate) = match &block {
                    Block::ToolUse(call) => (call.id(), call.name(), Some(fate)),
                    // The API made these results and accepts no others.
                    Block::ServerToolUse(call) => {
                        (call.id(), call.name(), Some(fate).filter(|fate| *fate == CallAction::Remove))
                    }
                    _ => continue,
                };
                let Some(id) = id else { continue };
                let name = name.map(|name| name.to_string()).unwrap_or_default();
                seen.insert(id.to_string(), (name, node, fate));
            }
        }
        if let ToolNames::Named(names) = &tools.names {
            let known: BTreeSet<&String> = seen.values().map(|(name, ..)| name).collect();
            if let Some(name) = names.iter().find(|name| !known.contains(name)) {
                let known = known.into_iter().cloned().collect();
                return Err(StripError::UnknownTool { name: name.clone(), known });
            }
        }
        if tools.names == ToolNames::All {
            for (id, node) in lone_results(transcript) {
                seen.entry(id).or_insert(("a tool".to_owned(), node, Some(fate)));
            }
        }
        for (id, (name, node, fate)) in seen {
            if let Some(fate) = fate.filter(|_| node < end && tools.names.has(&name)) {
                selection.calls.insert(id, (name, fate));
            }
        }
        Ok(selection)
    }

    /// Whether a part is removed from this record.
    pub(super) fn wants(&self, part: StripPart, node: NodeIndex) -> bool {
        node < self.end && self.options.parts.contains(&part)
    }

    /// The size above which the text of results is removed from this record.
    pub(super) fn largest(&self, node: NodeIndex) -> Option<usize> {
        self.options.large_results.filter(|_| node < self.end)
    }

    /// The tool of a selected call, and what to do with it.
    pub(super) fn of(&self, id: &str) -> Option<(&str, CallAction)> {
        self.calls.get(id).map(|(name, fate)| (name.as_str(), *fate))
    }

    /// The tool of a call that is removed.
    pub(super) fn removed(&self, id: &str) -> Option<&str> {
        self.of(id).filter(|(_, fate)| *fate == CallAction::Remove).map(|(name, _)| name)
    }

    pub(super) fn removes(&self, id: &str) -> bool {
        self.removed(id).is_some()
    }
}

/// All results, each with its record.
fn lone_results(transcript: &Transcript<'_>) -> Vec<(String, NodeIndex)> {
    let mut found = Vec::new();
    for (node, record) in transcript.records() {
        let Record::User(user) = record else { continue };
        for block in user.content().blocks() {
            if let Block::ToolResult(result) = block
                && let Some(id) = result.tool_use()
            {
                found.push((id.to_string(), node));
            }
        }
    }
    found
}
