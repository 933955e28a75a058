//! Who wrote a user record, and turns: from one prompt to the next.

use crate::content::{Block, Content};
use crate::record::{Record, RecordKind, SystemKind, User};
use crate::transcript::{NodeIndex, Transcript};
use annals_json::Text;

/// Who wrote a user record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Speaker {
    /// The user: a prompt, with or without images.
    Person,
    /// The user, with a slash command.
    Command,
    /// The user, with a shell command.
    Shell,
    /// The output of such a command.
    CommandOutput,
    /// A tool: its result.
    Tool,
    /// The client: an expansion, a caveat, a reminder.
    Client,
    /// The summary that opens a compacted conversation.
    Summary,
    /// The notice that the user interrupted.
    Interrupt,
    /// The notice that a background task ended.
    TaskNotification,
    /// Another agent of a team.
    Teammate,
    /// No content.
    Empty,
}

impl Speaker {
    /// Whether it is a prompt of the user and opens a turn.
    pub fn opens_turn(self) -> bool {
        matches!(self, Self::Person | Self::Command | Self::Shell)
    }

    /// Returns who wrote a record.
    pub fn of(user: &User<'_>) -> Self {
        let is_client = user.is_meta() == Some(true) || user.is_visible_in_transcript_only() == Some(true);
        Self::of_content(&user.content(), user.is_compact_summary() == Some(true), is_client)
    }

    /// The same for the content of a record that is a summary, or that the client wrote, as its other fields say.
    pub(crate) fn of_content(content: &Content<'_>, is_summary: bool, is_client: bool) -> Self {
        if is_summary {
            return Self::Summary;
        }
        if let Content::Blocks(_) = content
            && content.blocks().any(|block| matches!(block, Block::ToolResult(_)))
        {
            return Self::Tool;
        }
        if is_client {
            return Self::Client;
        }
        match content {
            Content::Text(text) => Self::of_text(*text),
            _ => Self::of_blocks(content.blocks()),
        }
    }

    /// Classifies blocks: what an editor adds before the text of the user does not count.
    fn of_blocks<'a>(blocks: impl Iterator<Item = Block<'a>>) -> Self {
        let mut speaker = Self::Empty;
        for block in blocks {
            let of_block = match &block {
                Block::Text(text) => text.text().map_or(Self::Empty, Self::of_text),
                _ => Self::Person,
            };
            match of_block {
                Self::Empty => {}
                Self::Client => speaker = Self::Client,
                found => return found,
            }
        }
        speaker
    }

    /// Classifies a text by its start; only that is decoded.
    fn of_text(text: Text<'_>) -> Self {
        const MARKS: &[(&str, Speaker)] = &[
            ("<command-name>", Speaker::Command),
            ("<command-message>", Speaker::Command),
            ("<bash-input>", Speaker::Shell),
            ("<local-command-stdout>", Speaker::CommandOutput),
            ("<local-command-stderr>", Speaker::CommandOutput),
            ("<bash-stdout>", Speaker::CommandOutput),
            ("<bash-stderr>", Speaker::CommandOutput),
            ("[Request interrupted by user", Speaker::Interrupt),
            ("<task-notification>", Speaker::TaskNotification),
            ("<teammate-message", Speaker::Teammate),
            ("<local-command-caveat>", Speaker::Client),
            ("<system-reminder>", Speaker::Client),
            ("<ide_opened_file>", Speaker::Client),
            ("<ide_selection>", Speaker::Client),
            ("<session-start-hook>", Speaker::Client),
            ("<tick>", Speaker::Client),
            ("<goal>", Speaker::Client),
        ];
        let head = text.head(64);
        let head = head.trim_start();
        MARKS.iter().find(|(mark, _)| head.starts_with(mark)).map_or(Self::Person, |(_, speaker)| *speaker)
    }
}

/// Returns the text of a prompt as the user typed it, without the tags of commands.
pub fn prompt_text(user: &User<'_>) -> String {
    let text = own_words(&user.content());
    match Speaker::of(user) {
        Speaker::Command => {
            let name = tag(&text, "command-name").unwrap_or_default();
            let arguments = tag(&text, "command-args").unwrap_or_default();
            format!("{name} {arguments}").trim().to_owned()
        }
        Speaker::Shell => format!("! {}", tag(&text, "bash-input").unwrap_or_default()),
        _ => text,
    }
}

/// How many characters of a prompt are enough for a title, whatever white space it begins with.
const OPENING_LENGTH: usize = 64 * 1024;

/// Returns the beginning of [`prompt_text`], enough for a title or a line: a prompt may be hundreds of megabytes long.
pub fn prompt_opening(user: &User<'_>) -> String {
    let content = user.content();
    let is_long = |text: Option<Text<'_>>| text.is_some_and(|text| text.raw().len() > OPENING_LENGTH);
    let has_long = match &content {
        Content::Text(text) => is_long(Some(*text)),
        _ => content.blocks().any(|block| matches!(&block, Block::Text(text) if is_long(text.text()))),
    };
    if !has_long || matches!(Speaker::of(user), Speaker::Command | Speaker::Shell) {
        return prompt_text(user);
    }
    let head = |text: Text<'_>| text.head(OPENING_LENGTH).into_owned();
    let texts = || {
        content.blocks().filter_map(|block| if let Block::Text(text) = block { text.text() } else { None })
    };
    let opening = match &content {
        Content::Text(text) => head(*text),
        _ => match texts().find(|text| Speaker::of_text(*text) != Speaker::Client).or_else(|| texts().next())
        {
            Some(first) if is_long(Some(first)) => head(first),
            _ => String::new(),
        },
    };
    if opening.trim().is_empty() { prompt_text(user) } else { opening }
}

/// The text without blocks that an editor or the client added, unless there is nothing else.
fn own_words(content: &Content<'_>) -> String {
    let is_own = |block: &Block<'_>| match block {
        Block::Text(text) => text.text().is_some_and(|text| Speaker::of_text(text) != Speaker::Client),
        _ => false,
    };
    let own: Vec<_> = content.blocks().filter(is_own).filter_map(|block| block.plain_text()).collect();
    if own.is_empty() { content.plain_text() } else { own.join("\n\n") }
}

/// The text between `<name>` and `</name>`.
fn tag<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    let (inside, _) = after.split_once(&format!("</{name}>"))?;
    Some(inside.trim())
}

/// A turn: from one prompt of the user to the record before the next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn {
    /// The record that has the prompt.
    pub prompt: NodeIndex,
    /// The node after the last one of the turn.
    pub end: NodeIndex,
    /// When it started, in milliseconds since 1970.
    pub started: Option<i64>,
    /// When its last line was written.
    pub ended: Option<i64>,
    /// The duration that the client measured.
    pub measured_ms: Option<u64>,
    /// The number of responses.
    pub responses: usize,
    /// The number of tool calls.
    pub tool_calls: usize,
    /// Whether the user interrupted it.
    pub interrupted: bool,
}

impl Turn {
    /// Iterates over the records of the turn, the prompt first.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeIndex> + ExactSizeIterator + Clone + use<> {
        self.prompt.until(self.end)
    }

    /// The measured duration, or the time from the first to the last record.
    pub fn duration_ms(&self) -> Option<u64> {
        let span = || u64::try_from(self.ended?.checked_sub(self.started?)?).ok();
        self.measured_ms.or_else(span)
    }
}

/// Returns the turns of a file, in order, with those of abandoned branches. Inline sub-agents belong to the turn in which they
/// ran. In a sub-agent's own file, the prompts of its caller open the turns.
pub fn turns(transcript: &Transcript<'_>) -> Vec<Turn> {
    let chain = transcript.nodes().iter().filter(|node| node.is_chain());
    let is_agent_file = chain.clone().count() > 0 && chain.clone().all(|node| node.is_sidechain);
    let mut turns: Vec<Turn> = Vec::new();
    let mut last_message = None;
    for (index, node) in transcript.indexed_nodes() {
        if !matches!(node.kind, RecordKind::User | RecordKind::Assistant | RecordKind::System) {
            continue;
        }
        let speaker = node.speaker;
        if speaker.is_some_and(Speaker::opens_turn) && (is_agent_file || !node.is_sidechain) {
            if let Some(before) = turns.last_mut() {
                before.end = index;
            }
            turns.push(Turn {
                prompt: index,
                end: transcript.end(),
                started: node.millis,
                ended: node.millis,
                measured_ms: None,
                responses: 0,
                tool_calls: 0,
                interrupted: false,
            });
            continue;
        }
        let Some(turn) = turns.last_mut() else { continue };
        turn.ended = turn.ended.max(node.millis);
        if node.kind == RecordKind::User {
            turn.interrupted |= speaker == Some(Speaker::Interrupt);
            continue;
        }
        match transcript.record(index) {
            Record::Assistant(assistant) if !assistant.is_synthetic() => {
                if node.message.is_none() || node.message != last_message {
                    turn.responses += 1;
                }
                last_message = node.message;
                let is_call = |block: &Block<'_>| matches!(block, Block::ToolUse(_));
                turn.tool_calls += assistant.content().blocks().filter(is_call).count();
            }
            Record::System(system) if node.system == Some(SystemKind::TurnDuration) => {
                turn.measured_ms = system.duration_ms().or(turn.measured_ms);
            }
            _ => {}
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_json::Fields;

    fn check(line: &str, expected: Speaker) {
        let (fields, _) = Fields::scan(line.as_bytes()).unwrap();
        assert_eq!(Speaker::of(&User::new(fields)), expected, "{line}");
    }

    #[test]
    fn tells_people_from_machines() {
        check(r#"{"message":{"content":"do it"}}"#, Speaker::Person);
        check(r#"{"message":{"content":[{"type":"text","text":"look"},{"type":"image"}]}}"#, Speaker::Person);
        check(r#"{"message":{"content":[{"type":"image"}]}}"#, Speaker::Person);
        check(r#"{"message":{"content":"<command-name>/review</command-name>"}}"#, Speaker::Command);
        check(r#"{"message":{"content":"<bash-stdout>x</bash-stdout>"}}"#, Speaker::CommandOutput);
        check(
            r#"{"message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#,
            Speaker::Interrupt,
        );
        check(r#"{"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#, Speaker::Tool);
        check(r#"{"isMeta":true,"message":{"content":"expanded"}}"#, Speaker::Client);
        check(r#"{"isCompactSummary":true,"message":{"content":"so far"}}"#, Speaker::Summary);
        check(r#"{"message":{"content":"<task-notification>"}}"#, Speaker::TaskNotification);
        check(r#"{"message":{}}"#, Speaker::Empty);
        check(r#"{"message":{"content":[]}}"#, Speaker::Empty);
        check(
            r#"{"message":{"content":[{"type":"text","text":"<ide_opened_file>a.rs</ide_opened_file>"}]}}"#,
            Speaker::Client,
        );
        let beside_words = r#"{"message":{"content":[{"type":"text","text":"<ide_selection>x</ide_selection>"},{"type":"text","text":"why?"}]}}"#;
        check(beside_words, Speaker::Person);
        let (fields, _) = Fields::scan(beside_words.as_bytes()).unwrap();
        assert_eq!(prompt_text(&User::new(fields)), "why?");
    }

    #[test]
    fn a_command_reads_as_it_was_typed() {
        let line = r#"{"message":{"content":"<command-message>x</command-message><command-name>/fix</command-name><command-args>the bug</command-args>"}}"#;
        let (fields, _) = Fields::scan(line.as_bytes()).unwrap();
        assert_eq!(prompt_text(&User::new(fields)), "/fix the bug");
    }

    #[test]
    fn turns_run_from_prompt_to_prompt() {
        let file = [
            r#"{"type":"user","uuid":"a","timestamp":"2026-01-01T00:00:00Z","message":{"content":"one"}}"#,
            r#"{"type":"assistant","uuid":"b","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m","content":[{"type":"text","text":"x"}]}}"#,
            r#"{"type":"assistant","uuid":"c","timestamp":"2026-01-01T00:00:02Z","message":{"id":"m","content":[{"type":"tool_use","id":"t"}]}}"#,
            r#"{"type":"user","uuid":"d","timestamp":"2026-01-01T00:00:05Z","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#,
            r#"{"type":"user","uuid":"e","timestamp":"2026-01-01T00:01:00Z","message":{"content":"two"}}"#,
            r#"{"type":"system","uuid":"f","subtype":"turn_duration","durationMs":77}"#,
        ]
        .join("\n");
        let transcript = Transcript::parse(file.as_bytes());
        let turns = turns(&transcript);
        assert_eq!(turns.len(), 2);
        assert_eq!((turns[0].responses, turns[0].tool_calls, turns[0].duration_ms()), (1, 1, Some(5000)));
        assert_eq!((turns[0].end, turns[1].duration_ms()), (NodeIndex::new(4), Some(77)));
    }
}
