//! The conversation of a session before it was resumed, with its sub-agents, for an interface that shows it. Of a very large session,
//! its end.

use std::path::PathBuf;

use annals_agent::conversation::Conversation as AgentConversation;
use annals_json::Fields;
use annals_store::parallel;
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
    if let Some(path) = conversation.path().filter(|_| !earlier.is_empty()) {
        ui.note_earlier(EarlierPart { path: path.to_path_buf(), end: earlier.len() });
    }
    let agents = agents(conversation, context);
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
}

impl EarlierPart {
    pub(super) fn is_empty(&self) -> bool {
        self.end == 0
    }

    pub(super) fn size(&self) -> String {
        words::bytes(self.end as u64)
    }

    /// Reads its last lines, which are no longer a part of it. What sub-agents said there is left out.
    pub(super) fn load(&mut self) -> Result<Conversation, ReadError> {
        self.load_at_most(MAX_LOADED)
    }

    fn load_at_most(&mut self, max_bytes: usize) -> Result<Conversation, ReadError> {
        let bytes = read_file(&self.path)?;
        let part = &bytes[..self.end.min(bytes.len())];
        let end = end_of(part, max_bytes);
        let earlier = &part[..part.len() - end.len()];
        let transcript = parallel::parse(end);
        let mut conversation = Conversation::build(&transcript, &[], ViewOptions::default());
        conversation.items.retain(|item| !is_of_earlier(item, &transcript, earlier));
        self.end = earlier.len();
        Ok(conversation)
    }
}

/// The sub-agents of the session, the newest as far as they are read; what cannot be read is left out.
fn agents(conversation: &AgentConversation<'_>, context: &Context) -> Vec<AgentFile> {
    let path = conversation.path().map(|path| path.to_string_lossy().into_owned());
    let Some(Ok(session)) = path.map(|path| ResolvedSession::find(context, &path)) else { return Vec::new() };
    let mut left = MAX_BYTES as u64;
    let mut agents = session.agents_by(&mut |path| {
        let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let fits = size <= left;
        left = left.saturating_sub(size);
        if fits { read_file(path) } else { Ok(Vec::new()) }
    });
    agents.retain(|agent| !agent.bytes.is_empty());
    agents
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
        let mut earlier = EarlierPart { path, end: lines[..3].concat().len() };
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
