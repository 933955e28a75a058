//! Which calls of tools are meant, by their ids.

use std::collections::{BTreeSet, HashMap};

use annals_transcript::content::Block;
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};

use super::StripError;
use super::wish::{Calls, Part, ToolNames, Wish};

/// What becomes of a call that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallFate {
    /// It goes, and its results with it.
    Removed,
    /// Words stand for its results.
    Emptied,
}

/// The calls that are meant, and the first line that is too young for anything.
#[derive(Debug)]
pub(super) struct Choice<'w> {
    wish: &'w Wish,
    calls: HashMap<String, (String, CallFate)>,
    /// The first node that is too young.
    end: NodeIndex,
}

impl<'w> Choice<'w> {
    /// Looks at every call. One that was written twice is as old as its last line; a result without its call is meant where
    /// all tools are.
    pub(super) fn new(transcript: &Transcript<'_>, wish: &'w Wish) -> Result<Self, StripError> {
        let end = wish.age.end(transcript);
        let mut choice = Self { wish, calls: HashMap::new(), end };
        let Some(tools) = &wish.tools else { return Ok(choice) };
        let mut seen: HashMap<String, (String, NodeIndex, Option<CallFate>)> = HashMap::new();
        let fate = match tools.calls {
            Calls::Removed => CallFate::Removed,
            Calls::Kept => CallFate::Emptied,
        };
        for (node, record) in transcript.records() {
            let Record::Assistant(assistant) = record else { continue };
            for block in assistant.content().blocks() {
                let (id, name, fate) = match &block {
                    Block::ToolUse(call) => (call.id(), call.name(), Some(fate)),
                    // The API made its own results, and takes no other words for them.
                    Block::ServerToolUse(call) => {
                        (call.id(), call.name(), Some(fate).filter(|fate| *fate == CallFate::Removed))
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
                choice.calls.insert(id, (name, fate));
            }
        }
        Ok(choice)
    }

    /// Whether a part should go from this line.
    pub(super) fn wants(&self, part: Part, node: NodeIndex) -> bool {
        node < self.end && self.wish.parts.contains(&part)
    }

    /// From how many bytes on the text of results should go from this line.
    pub(super) fn largest(&self, node: NodeIndex) -> Option<usize> {
        self.wish.large_results.filter(|_| node < self.end)
    }

    /// The tool of a call that is meant, and what becomes of it.
    pub(super) fn of(&self, id: &str) -> Option<(&str, CallFate)> {
        self.calls.get(id).map(|(name, fate)| (name.as_str(), *fate))
    }

    /// The tool of a call that goes.
    pub(super) fn removed(&self, id: &str) -> Option<&str> {
        self.of(id).filter(|(_, fate)| *fate == CallFate::Removed).map(|(name, _)| name)
    }

    /// Whether a call goes.
    pub(super) fn removes(&self, id: &str) -> bool {
        self.removed(id).is_some()
    }
}

/// All results, each with its line.
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
