//! The conversation of a session before it was resumed, with its sub-agents, for an interface that shows it. Of a very large session,
//! its end.

use std::path::PathBuf;

use annals_agent::conversation::Conversation as AgentConversation;
use annals_json::Fields;
use annals_store::AgentEntry;
use annals_store::read::{ReadError, read_file};
use annals_transcript::problem::ProblemKind;
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;
use annals_ui::view::{Conversation, ImageRef, Item, ItemBody, ViewOptions, image_data};

use super::chat_ui::ChatUi;
use super::terminal_ui::ERROR;
use crate::commands::show::threads;
use crate::context::Context;
use crate::session::{AgentFile, ResolvedSession, SessionWithAgents};
use crate::words;

/// How much of a session is read to be shown, and how much of its sub-agents.
const MAX_BYTES: usize = 16 << 20;
/// How much more of it is loaded at once.
const MAX_LOADED: usize = 64 << 20;

/// Shows a conversation, unless the interface does not.
pub(super) fn show<U: ChatUi>(conversation: &AgentConversation<'_>, context: &Context, ui: &mut U) {
    if !U::SHOWS_CONVERSATION {
        return;
    }
    let bytes = match conversation.bytes() {
        Ok(bytes) => bytes,
        Err(error) => return ui.note(ERROR, &error.to_string()),
    };
    let end = end_of(&bytes, MAX_BYTES);
    let earlier = &bytes[..bytes.len() - end.len()];
    let entries = agent_entries(conversation, context);
    let path = conversation.path().filter(|_| !earlier.is_empty());
    let agents = match path {
        None => newest_agents(entries),
        Some(path) => {
            let agents = started_agents(end, entries.clone());
            ui.note_earlier(EarlierPart { path: path.to_path_buf(), end: earlier.len(), agents: entries });
            agents
        }
    };
    let family = SessionWithAgents::new(end, &agents);
    let data = |image: ImageRef| {
        let line = end.split(|byte| *byte == b'\n').nth(image.line.checked_sub(1)?)?;
        let (fields, _) = Fields::scan(line).ok()?;
        image_data(&Record::new(fields), image.number).map(|data| data.to_string())
    };
    let mut shown = Conversation::build(&family.main, &threads(&family), ViewOptions::default());
    if !earlier.is_empty() {
        shown.items.retain(|item| !is_of_earlier(item, &family.main, earlier));
    }
    ui.show_conversation(shown, &data);
}

/// The part of a session file that is not shown yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EarlierPart {
    path: PathBuf,
    /// Where it ends in the file.
    end: usize,
    /// The sub-agents of the session.
    agents: Vec<AgentEntry>,
}

impl EarlierPart {
    pub(super) fn is_empty(&self) -> bool {
        self.end == 0
    }

    pub(super) fn size(&self) -> String {
        words::bytes(self.end as u64)
    }

    /// Reads its last lines, which are no longer a part of it, with the sub-agents that were started there.
    pub(super) fn load(&mut self) -> Result<Conversation, ReadError> {
        self.load_at_most(MAX_LOADED)
    }

    fn load_at_most(&mut self, max_bytes: usize) -> Result<Conversation, ReadError> {
        let bytes = read_file(&self.path)?;
        let part = &bytes[..self.end.min(bytes.len())];
        let end = end_of(part, max_bytes);
        let earlier = &part[..part.len() - end.len()];
        let agents = started_agents(end, self.agents.clone());
        let family = SessionWithAgents::new(end, &agents);
        let mut conversation = Conversation::build(&family.main, &threads(&family), ViewOptions::default());
        conversation.items.retain(|item| !is_of_earlier(item, &family.main, earlier));
        self.end = earlier.len();
        Ok(conversation)
    }
}

/// The sub-agents of the session.
fn agent_entries(conversation: &AgentConversation<'_>, context: &Context) -> Vec<AgentEntry> {
    let path = conversation.path().map(|path| path.to_string_lossy().into_owned());
    let session = path.and_then(|path| ResolvedSession::find(context, &path).ok());
    session.map(|session| session.agent_entries()).unwrap_or_default()
}

/// The sub-agents, as far as they are read; what cannot be read is left out.
fn newest_agents(entries: Vec<AgentEntry>) -> Vec<AgentFile> {
    let (mut agents, mut left) = (AgentFile::unread(entries), MAX_BYTES as u64);
    agents.retain_mut(|agent| read_fitting(agent, &mut left));
    agents
}

/// The sub-agents that a part of the session or one of them has started, as far as they are read.
fn started_agents(part: &[u8], entries: Vec<AgentEntry>) -> Vec<AgentFile> {
    let (mut agents, mut left) = (AgentFile::unread(entries), MAX_BYTES as u64);
    let mut is_tried = vec![false; agents.len()];
    loop {
        let started: Vec<usize> = {
            let family = SessionWithAgents::new(part, &agents);
            let is_started = |at: &usize| family.spawn_of(&family.agents[*at].2).is_some();
            (0..agents.len()).filter(|at| !is_tried[*at]).filter(is_started).collect()
        };
        if started.is_empty() {
            break;
        }
        for at in started {
            is_tried[at] = true;
            read_fitting(&mut agents[at], &mut left);
        }
    }
    agents.retain(|agent| !agent.bytes.is_empty());
    agents
}

/// Reads the file of a sub-agent if it is no longer than what is left.
fn read_fitting(agent: &mut AgentFile, left: &mut u64) -> bool {
    let size = std::fs::metadata(&agent.entry.path).map_or(0, |metadata| metadata.len());
    if size <= *left {
        agent.bytes = read_file(&agent.entry.path).unwrap_or_default();
    }
    *left = left.saturating_sub(size);
    !agent.bytes.is_empty()
}

/// Whether an item is only there because an earlier part is not: a line whose parent is in that part, or a sub-agent that was started
/// there.
fn is_of_earlier(item: &Item, end: &Transcript<'_>, earlier: &[u8]) -> bool {
    match &item.body {
        ItemBody::Agent(_) => item.position.line == 0,
        ItemBody::Damage(damage) if damage.problem == ProblemKind::DanglingParent.name() => {
            let line = end.nodes().iter().find(|node| node.line as usize == item.position.line);
            let parent = line.and_then(|node| node.parent.id()).map(|parent| parent.to_string());
            parent.is_some_and(|parent| {
                let record = format!(r#""uuid":"{parent}""#);
                let mut lines = earlier.split(|byte| *byte == b'\n').rev();
                lines.any(|line| String::from_utf8_lossy(line).contains(&record))
            })
        }
        _ => false,
    }
}

/// Returns the last lines of a session; at least one, if that is too long.
fn end_of(bytes: &[u8], max_bytes: usize) -> &[u8] {
    let start = bytes.len().saturating_sub(max_bytes + 1);
    if start == 0 {
        return bytes;
    }
    let is_break = |byte: &u8| *byte == b'\n';
    let line = bytes[start..].iter().position(is_break).map(|at| start + at + 1);
    let last = || bytes[..bytes.len() - 1].iter().rposition(is_break).map_or(0, |at| at + 1);
    &bytes[line.filter(|line| *line < bytes.len()).unwrap_or_else(last)..]
}

#[cfg(test)]
mod tests {
    use annals_store::SessionKey;

    use super::*;

    #[test]
    fn only_whole_lines_of_the_end_are_read() {
        assert_eq!(end_of(b"a\nb\n", MAX_BYTES), b"a\nb\n");
        let mut long = vec![b'x'; 10];
        long.push(b'\n');
        long.extend(vec![b'y'; MAX_BYTES - 1]);
        long.push(b'\n');
        assert_eq!(end_of(&long, MAX_BYTES).first(), Some(&b'y'));
        assert_eq!(end_of(&long, MAX_BYTES).len(), MAX_BYTES);
        assert_eq!(end_of(b"a\nbcdef\n", 3), b"bcdef\n", "a line that is too long");
        assert_eq!(end_of(b"a\nb\nc\n", 3), b"c\n");
    }

    #[test]
    fn earlier_parts_are_loaded_from_the_last_to_the_first() {
        let home = annals_testkit::home::Home::new();
        let line = |id: char, parent: &str| {
            format!(
                r#"{{"type":"user","uuid":"{id}","parentUuid":{parent},"message":{{"content":"prompt {id}"}}}}"#
            ) + "\n"
        };
        let lines = [line('a', "null"), line('b', r#""a""#), line('c', r#""b""#), line('d', r#""c""#)];
        let path = home.write("projects/-w/s.jsonl", lines.concat());
        let mut earlier = EarlierPart { path, end: lines[..3].concat().len(), agents: Vec::new() };
        let mut prompts = |max_bytes| {
            let loaded = earlier.load_at_most(max_bytes).unwrap();
            let texts = loaded.items.iter().map(|item| match &item.body {
                ItemBody::Prompt(prompt) => prompt.text.clone(),
                other => format!("{other:?}"),
            });
            (texts.collect::<Vec<_>>(), earlier.is_empty())
        };
        let two = lines[1].len() + lines[2].len();
        assert_eq!(prompts(two), (vec!["prompt b".to_owned(), "prompt c".to_owned()], false));
        assert_eq!(prompts(10), (vec!["prompt a".to_owned()], true), "at least a line");
        assert_eq!(prompts(10), (Vec::new(), true));
    }

    #[test]
    fn an_earlier_part_has_the_sub_agents_that_were_started_there() {
        let home = annals_testkit::home::Home::new();
        let call = |id: char, parent: &str, agent: &str| {
            format!(
                r#"{{"type":"assistant","uuid":"{id}","parentUuid":{parent},"message":{{"id":"m{id}","role":"assistant","content":[{{"type":"tool_use","id":"t{id}","name":"Task","input":{{"prompt":"look {agent}"}}}}]}}}}
{{"type":"user","uuid":"r{id}","parentUuid":"{id}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}","content":"done"}}]}},"toolUseResult":{{"agentId":"{agent}","content":[]}}}}
"#
            )
        };
        let said = |agent: &str, more: &str| {
            let line = |id: &str, parent: &str, rest: &str| {
                format!(
                    r#"{{"agentId":"{agent}","isSidechain":true,"sessionId":"s","uuid":"{id}","parentUuid":{parent},{rest}}}"#
                ) + "\n"
            };
            let reply = format!(
                r#""type":"assistant","message":{{"id":"x{agent}","role":"assistant","content":[{{"type":"text","text":"seen by {agent}"}}]}}"#
            );
            let prompt = format!(r#""type":"user","message":{{"role":"user","content":"look {agent}"}}"#);
            line("p", "null", &prompt) + &line("q", r#""p""#, &reply) + more
        };
        let nested = call('n', r#""q""#, "a3");
        let lines = [call('a', "null", "a1"), call('b', r#""ra""#, "a2")];
        let path = home.write("projects/-w/s.jsonl", lines.concat());
        for (agent, more) in [("a1", nested.as_str()), ("a2", ""), ("a3", "")] {
            home.write(format!("projects/-w/s/subagents/agent-{agent}.jsonl"), said(agent, more));
        }
        let key = SessionKey::new("s");
        let discovery = annals_store::Store::open(home.config_dir()).discover();
        let agents: Vec<AgentEntry> = discovery.agents_of(&key).cloned().collect();
        assert_eq!(agents.len(), 3);
        let mut earlier = EarlierPart { path, end: lines[0].len(), agents: agents.clone() };
        let shown = format!("{:?}", earlier.load().unwrap());
        assert!(shown.contains("seen by a1") && shown.contains("seen by a3"), "{shown}");
        assert!(!shown.contains("seen by a2"), "{shown}");
        let ids =
            |files: Vec<AgentFile>| files.iter().map(|file| file.entry.key.to_string()).collect::<Vec<_>>();
        assert_eq!(ids(started_agents(lines[1].as_bytes(), agents.clone())), ["a2"]);
        assert_eq!(ids(started_agents(b"", agents)), [""; 0]);
    }

    #[test]
    fn what_the_earlier_part_has_is_not_missing() {
        let earlier = br#"{"type":"user","uuid":"a","message":{"content":"one"}}"#;
        let end = concat!(
            r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"two"}}"#,
            "\n",
            r#"{"type":"user","uuid":"d","parentUuid":"c","message":{"content":"three"}}"#,
            "\n",
        );
        let transcript = Transcript::parse(end.as_bytes());
        let conversation = Conversation::build(&transcript, &[], ViewOptions::default());
        let damage = |item: &&Item| matches!(item.body, ItemBody::Damage(_));
        assert!(conversation.items.iter().filter(damage).count() >= 1, "{conversation:?}");
        let left: Vec<usize> = conversation
            .items
            .iter()
            .filter(|item| !is_of_earlier(item, &transcript, earlier))
            .filter(damage)
            .map(|item| item.position.line)
            .collect();
        assert!(!left.contains(&1), "its parent is in the earlier part: {left:?}");
    }
}
