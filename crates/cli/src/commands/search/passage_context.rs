//! What surrounds a passage: the call that an output or a sub-agent belongs to, and the messages around it. Both are read from
//! the session's files, and only for what is shown.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_index::search::{Caller, Hit, SessionResults};
use annals_index::{Index, IndexError};
use annals_store::{Discovery, SessionKey};
use annals_transcript::pairing::ToolPairs;
use annals_transcript::transcript::Transcript;
use annals_ui::view::{Conversation, Item, ItemBody, ViewOptions, headline};

use crate::session::{ResolvedSession, SessionWithAgents};
use crate::table::one_line;

/// Larger sessions are not read for the name of a call.
const MAX_READ_FOR_NAME: u64 = 32 * 1024 * 1024;

/// What surrounds a passage.
#[derive(Default)]
pub(super) struct PassageContext {
    /// The call: its tool and its most telling argument.
    pub(super) call: Option<String>,
    pub(super) before: Vec<NearbyMessage>,
    pub(super) after: Vec<NearbyMessage>,
}

/// A message before or after a passage, in one line.
pub(super) struct NearbyMessage {
    pub(super) line: u64,
    pub(super) speaker: String,
    pub(super) text: String,
}

/// What the index knows of outputs and sub-agents that passages are of.
#[derive(Default)]
pub(super) struct IndexedParts {
    /// The names of their calls, by file.
    callers: HashMap<PathBuf, String>,
    /// Sub-agents that several files have.
    repeated_agents: HashSet<String>,
}

impl IndexedParts {
    /// Asks the index, which is much quicker than reading the sessions.
    pub(super) fn find(found: &SessionResults, index: &Index) -> Result<Self, IndexError> {
        let mut parts = Self::default();
        for hit in found.sessions.iter().flat_map(|session| &session.hits).filter(|hit| is_part(hit)) {
            let Some(caller) = index.caller(hit)? else { continue };
            parts.callers.extend(name_of_caller(&caller).map(|name| (hit.file.clone(), name)));
        }
        if found.sessions.iter().flat_map(|session| &session.hits).any(|hit| hit.agent.is_some()) {
            parts.repeated_agents.extend(index.repeated_agents()?);
        }
        Ok(parts)
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.callers.extend(other.callers);
        self.repeated_agents.extend(other.repeated_agents);
    }

    pub(super) fn is_repeated(&self, agent: &str) -> bool {
        self.repeated_agents.contains(agent)
    }
}

/// Whether a passage is of the output of a call or of a sub-agent.
pub(super) fn is_part(hit: &Hit) -> bool {
    hit.agent.is_some() || hit.call.is_some()
}

fn name_of_caller(caller: &Caller) -> Option<String> {
    let line = caller.tool_use.as_ref().zip(caller.line());
    let by_call = line.and_then(|(call, bytes)| named(&Transcript::parse(&bytes), call));
    by_call.or_else(|| caller.agent_type.as_deref().map(one_line))
}

/// Reads what surrounds passages of one session; `count` messages on each side.
pub(super) fn read(
    session: &str,
    hits: &[&Hit],
    count: usize,
    parts: &IndexedParts,
    discovery: Option<&Arc<Discovery>>,
) -> Vec<PassageContext> {
    let known = |hit: &&Hit| PassageContext {
        call: parts.callers.get(&hit.file).cloned(),
        ..PassageContext::default()
    };
    let nothing = || hits.iter().map(known).collect();
    let has_parts = hits.iter().any(|hit| is_part(hit));
    let Some(discovery) = discovery.filter(|_| count > 0 || has_parts) else { return nothing() };
    let key = SessionKey::new(session);
    let Some(entry) = discovery.sessions_named(&key).next() else { return nothing() };
    let size = entry.bytes + discovery.agents_of(&key).map(|agent| agent.bytes).sum::<u64>();
    if count == 0 && size > MAX_READ_FOR_NAME {
        return nothing();
    }
    let target = ResolvedSession::of_entry(entry, discovery);
    let Ok(bytes) = target.read() else { return nothing() };
    let files = if has_parts { target.agents() } else { Vec::new() };
    let family = SessionWithAgents::new(&bytes, &files);
    let transcript_of = |path: &Path| match family.agents.iter().find(|(file, ..)| file.entry.path == path) {
        Some((_, transcript, _)) => Some(transcript),
        None => (path == entry.path).then_some(&family.main),
    };
    hits.iter()
        .map(|hit| {
            let mut around = known(hit);
            around.call = around.call.or_else(|| call_of(hit, &family));
            if let Some(transcript) = transcript_of(&hit.file).filter(|_| count > 0) {
                (around.before, around.after) = messages_around(transcript, hit.line as usize, count);
            }
            around
        })
        .collect()
}

/// The call whose output a passage is, or that started its sub-agent.
fn call_of(hit: &Hit, family: &SessionWithAgents<'_>) -> Option<String> {
    if let Some(call) = &hit.call {
        let agents = family.agents.iter().map(|(_, transcript, _)| transcript);
        return std::iter::once(&family.main).chain(agents).find_map(|transcript| named(transcript, call));
    }
    let agent = hit.agent.as_ref()?;
    let (file, _, link) = family.agents.iter().find(|(file, ..)| file.entry.key == agent.as_str())?;
    let by_call = family.spawn_of(link).and_then(|(owner, spawn)| {
        let transcript = owner.map_or(&family.main, |at| &family.agents[at].1);
        named(transcript, &spawn.tool_use)
    });
    by_call.or_else(|| file.label())
}

/// The tool of a call and its most telling argument.
fn named(transcript: &Transcript<'_>, call: &str) -> Option<String> {
    let pairs = ToolPairs::new(transcript).pairs;
    let pair = pairs.iter().find(|pair| pair.id.text().is(call))?;
    let tool = pair.name?.to_string();
    let about = pair.input.as_ref().map(|input| headline(&tool, input, None)).unwrap_or_default();
    Some(if about.is_empty() { one_line(&tool) } else { one_line(&format!("{tool}: {about}")) })
}

type Sides = (Vec<NearbyMessage>, Vec<NearbyMessage>);

fn messages_around(transcript: &Transcript<'_>, line: usize, count: usize) -> Sides {
    let conversation = Conversation::build(transcript, &[], ViewOptions::default());
    let is_hit = |item: &&Item| {
        let result = match &item.body {
            ItemBody::ToolCall(call) => call.result.as_ref().map(|result| result.line),
            _ => None,
        };
        item.position.line == line || result == Some(line)
    };
    let others: Vec<NearbyMessage> =
        conversation.items.iter().filter(|item| !is_hit(item)).filter_map(message).collect();
    let (mut before, mut after): Sides = others.into_iter().partition(|message| message.line < line as u64);
    before.drain(..before.len().saturating_sub(count));
    after.truncate(count);
    (before, after)
}

fn message(item: &Item) -> Option<NearbyMessage> {
    let (speaker, text) = match &item.body {
        ItemBody::Prompt(prompt) => ("you", prompt.text.clone()),
        ItemBody::Text(said) => ("reply", said.text.clone()),
        ItemBody::Thinking(Some(thought)) => ("thinking", thought.clone()),
        ItemBody::ToolCall(call) => (call.name.as_str(), call.headline.clone()),
        _ => return None,
    };
    let text = one_line(crate::table::clip(&text).as_str());
    Some(NearbyMessage { line: item.position.line as u64, speaker: speaker.to_owned(), text })
}
