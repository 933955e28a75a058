//! The conversation goes on from before a prompt.
//!
//! A client that goes back writes nothing: its next prompt follows an earlier line. From outside, every client must be told
//! by the file. A line is appended that follows the earlier one and that no model sees: it is the last line of the file
//! and the newest, and `last-prompt` names it, so each release goes on from there, by whatever rule. That is held against
//! the rules of every known client; where one would send something else, the conversation up to there becomes a session of
//! its own instead.

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_json::Text;
use annals_store::session::{forked_lines, path_to};
use annals_store::source::new_uuid;
use annals_store::{SessionKey, Source};
use annals_transcript::draft::{Draft, Origin, Stamp};
use annals_transcript::record::Record;
use annals_transcript::resume::{self, Client, resume};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn;

use super::turns::Turn;
use super::{RewindError, Scope};
use crate::belongings::Belonging;
use crate::edit::FileEdit;
use crate::fork::{At, ForkPlanError, Ids, plan as fork};
use crate::plan::Plan;
use crate::session::Session;

/// No more of a prompt is told to listers.
const PROMPT_LETTERS: usize = 200;

/// What becomes of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// It stays where it is.
    Stays,
    /// It goes on from this record, in the same file, for every client.
    Back {
        /// The record.
        from: String,
    },
    /// It goes on in a session of its own, which ends before the prompt; the old one stays as it is.
    Forked {
        /// The new session.
        session: SessionKey,
        /// Its file.
        path: PathBuf,
    },
    /// Nothing comes before the prompt; the session stays as it is.
    NothingBefore,
}

impl Conversation {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stays => "stays",
            Self::Back { .. } => "back",
            Self::Forked { .. } => "forked",
            Self::NothingBefore => "nothing-before",
        }
    }
}

/// What a conversation is taken back with.
pub(super) struct Talk<'t> {
    pub(super) session: &'t Session,
    pub(super) belongings: &'t [Belonging],
    pub(super) transcript: &'t Transcript<'t>,
    pub(super) turn: &'t Turn,
    pub(super) source: &'t dyn Source,
}

impl Talk<'_> {
    /// Plans what becomes of the conversation.
    pub(super) fn rewind(&self, scope: Scope, plan: &mut Plan) -> Result<Conversation, RewindError> {
        let session = self.session;
        let nodes = match &self.turn.goes_on_from {
            Some(from) => {
                let nodes = path_to(self.transcript, Some(from), &session.path);
                nodes.map_err(ForkPlanError::Fork)?
            }
            None => BTreeSet::new(),
        };
        let from = self.turn.goes_on_from.clone().filter(|_| nodes.iter().any(|&node| self.is_talk(node)));
        let Some(from) = from else {
            if scope == Scope::Conversation {
                return Err(RewindError::NothingBefore { path: session.path.clone() });
            }
            let note = "nothing comes before this prompt: the conversation stays, begin a new one";
            plan.notes.push(note.to_owned());
            return Ok(Conversation::NothingBefore);
        };
        if let Some(edit) = self.appended(&from, &nodes)? {
            plan.edit(edit);
            return Ok(Conversation::Back { from });
        }
        let forking = fork(session, self.belongings, &At::Record(from), Ids::New, self.source)?;
        plan.changes.extend(forking.plan.changes);
        plan.rests_on.extend(forking.plan.rests_on);
        let note = "no line can tell every client to go back there: the conversation goes on in a session of its own";
        plan.notes.push(note.to_owned());
        Ok(Conversation::Forked { session: forking.session, path: forking.path })
    }

    /// The lines that take every client back; none where one of them would go elsewhere.
    fn appended(&self, from: &str, nodes: &BTreeSet<NodeIndex>) -> Result<Option<FileEdit>, ForkPlanError> {
        let Self { session, transcript, .. } = *self;
        let wanted = forked_lines(transcript, nodes, &session.path, session.key.as_str())?;
        let origin = self.origin();
        // The oldest client goes on from the newest line, whatever the clocks said.
        let newest = transcript.nodes().iter().filter_map(|node| node.millis).max().unwrap_or(0);
        let stamp = Stamp {
            uuid: new_uuid(self.source),
            parent: Some(from.to_owned()),
            timestamp: format_millis(self.source.now().max(newest + 1)),
            ..Stamp::default()
        };
        let mark = Draft::informational(&format!("Went back to before prompt {}.", self.turn.number));
        let told = Draft::last_prompt(&self.last_prompt(nodes), Some(&stamp.uuid));
        let mut edit = FileEdit::new(&session.path, &session.bytes);
        let last = transcript.line_count();
        edit.insert_after(last, mark.line(&origin, &stamp), "the conversation goes on from here");
        edit.insert_after(last, told.line(&origin, &stamp), "where the newest client goes on");
        let after = edit.result();
        let goes_there = Client::ALL.iter().all(|&client| said(&after, client) == said(&wanted, client));
        Ok(goes_there.then_some(edit))
    }

    /// Whether somebody says something on a line: notes of the client alone are no conversation.
    fn is_talk(&self, node: NodeIndex) -> bool {
        match self.transcript.record(node) {
            Record::User(user) => {
                let speaker = turn::Speaker::of(&user);
                speaker.opens_turn() || speaker == turn::Speaker::Summary
            }
            Record::Assistant(assistant) => !assistant.is_synthetic(),
            _ => false,
        }
    }

    /// The prompt that is the last one then, as listers show it.
    fn last_prompt(&self, nodes: &BTreeSet<NodeIndex>) -> String {
        let last = turn::turns(self.transcript).into_iter().rfind(|turn| nodes.contains(&turn.prompt));
        match last.map(|turn| self.transcript.record(turn.prompt)) {
            Some(Record::User(user)) => turn::prompt_text(&user).chars().take(PROMPT_LETTERS).collect(),
            _ => String::new(),
        }
    }

    /// The surroundings of the prompt, for the line that is put behind all.
    fn origin(&self) -> Origin {
        let envelope = self.transcript.record(self.turn.node).envelope();
        let text = |text: Option<Text<'_>>| text.map(|text| text.to_string());
        Origin {
            session: self.session.key.to_string(),
            agent: None,
            cwd: text(envelope.cwd()).unwrap_or_default(),
            version: text(envelope.version()).unwrap_or_default(),
            git_branch: text(envelope.git_branch()).unwrap_or_default(),
            entrypoint: text(envelope.entrypoint()),
            slug: text(envelope.slug()),
        }
    }
}

/// What a client sends of a file, as JSON; none where it refuses it. What it puts in of its own behind a prompt without an
/// answer is left out: another prompt takes its place.
fn said(bytes: &[u8], client: Client) -> Option<Vec<u8>> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let messages = resumed.outcome.as_ref().ok()?;
    let mut json = Vec::new();
    for message in messages {
        let told = message.blocks.iter().filter(|block| matches!(block.origin, resume::Origin::Record(_)));
        for block in told {
            json.extend_from_slice(format!("{:?} ", message.role).as_bytes());
            block.write_json(&mut json);
        }
    }
    Some(json)
}
