//! Rewinds the conversation to before a prompt.
//!
//! A client that rewinds writes nothing: its next prompt follows an earlier record. From outside, the file must tell every
//! client. A record that no model sees is appended as a child of the earlier record: it is the last and the newest of the
//! file, and `last-prompt` names it, so every release continues from there by its own rule. This is checked against the
//! rules of every known client; if one would send something else, the conversation up to there becomes a new session
//! instead.

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_json::Text;
use annals_store::session::{forked_lines, path_to};
use annals_store::source::new_uuid;
use annals_store::{SessionKey, Source};
use annals_transcript::draft::{Draft, Origin, Placement};
use annals_transcript::record::Record;
use annals_transcript::resume::{self, Client, resume};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn;

use super::turns::RewindTurn;
use super::{RewindError, RewindScope};
use crate::edit::FileEdit;
use crate::fork::{ForkIds, ForkPlanError, ForkPoint, plan as fork};
use crate::plan::Plan;
use crate::session::Session;
use crate::session_files::SessionFile;

/// The length of the prompt in `last-prompt`.
const MAX_PROMPT_LETTERS: usize = 200;

/// What happens to the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// It stays as it is.
    Stays,
    /// It continues from an earlier record in the same file, for every client.
    Back {
        /// The uuid of that record.
        from: String,
    },
    /// It continues in a new session that ends before the prompt; the old one stays.
    Forked {
        /// The id of the new session.
        session: SessionKey,
        /// The file of the new session.
        path: PathBuf,
    },
    /// Nothing comes before the prompt; the session stays as it is.
    NothingBefore,
}

impl Conversation {
    /// Its stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stays => "stays",
            Self::Back { .. } => "back",
            Self::Forked { .. } => "forked",
            Self::NothingBefore => "nothing-before",
        }
    }
}

/// Plans the rewind of a conversation.
pub(super) struct ConversationRewinder<'t> {
    pub(super) session: &'t Session,
    pub(super) session_files: &'t [SessionFile],
    pub(super) transcript: &'t Transcript<'t>,
    pub(super) turn: &'t RewindTurn,
    pub(super) source: &'t dyn Source,
}

impl ConversationRewinder<'_> {
    pub(super) fn rewind(&self, scope: RewindScope, plan: &mut Plan) -> Result<Conversation, RewindError> {
        let session = self.session;
        let nodes = match &self.turn.goes_on_from {
            Some(from) => {
                let nodes = path_to(self.transcript, Some(from), &session.path);
                nodes.map_err(ForkPlanError::Fork)?
            }
            None => BTreeSet::new(),
        };
        let from = self.turn.goes_on_from.clone().filter(|_| nodes.iter().any(|&node| self.is_message(node)));
        let Some(from) = from else {
            if scope == RewindScope::Conversation {
                return Err(RewindError::NothingBefore { path: session.path.clone() });
            }
            let note =
                "nothing comes before this prompt: the conversation stays; start a new session instead";
            plan.notes.push(note.to_owned());
            return Ok(Conversation::NothingBefore);
        };
        if let Some(edit) = self.appended(&from, &nodes)? {
            plan.edit(edit);
            return Ok(Conversation::Back { from });
        }
        let fork_plan =
            fork(session, self.session_files, &ForkPoint::Record(from), ForkIds::New, self.source)?;
        plan.changes.extend(fork_plan.plan.changes);
        plan.depends_on.extend(fork_plan.plan.depends_on);
        let note = "not every client would continue there: the conversation continues in a new session";
        plan.notes.push(note.to_owned());
        Ok(Conversation::Forked { session: fork_plan.session, path: fork_plan.path })
    }

    /// The records that rewind every client; `None` if one of them would continue elsewhere.
    fn appended(&self, from: &str, nodes: &BTreeSet<NodeIndex>) -> Result<Option<FileEdit>, ForkPlanError> {
        let Self { session, transcript, .. } = *self;
        let wanted = forked_lines(transcript, nodes, &session.path, session.key.as_str())?;
        let origin = self.origin();
        // The oldest client continues from the newest record.
        let newest = transcript.nodes().iter().filter_map(|node| node.millis).max().unwrap_or(0);
        let stamp = Placement {
            uuid: new_uuid(self.source),
            parent: Some(from.to_owned()),
            timestamp: format_millis(self.source.now().max(newest + 1)),
            ..Placement::default()
        };
        let mark = Draft::informational(&format!("Went back to before prompt {}.", self.turn.number));
        let records = Draft::last_prompt(&self.last_prompt(nodes), Some(&stamp.uuid));
        let mut edit = FileEdit::new(&session.path, &session.bytes);
        let last = transcript.line_count();
        edit.insert_after(last, mark.line(&origin, &stamp), "the conversation continues from here");
        edit.insert_after(last, records.line(&origin, &stamp), "where the newest client continues");
        let after = edit.result();
        let goes_there = Client::ALL.iter().all(|&client| sent(&after, client) == sent(&wanted, client));
        Ok(goes_there.then_some(edit))
    }

    /// Whether a record is a message of the user, the model or a summary.
    fn is_message(&self, node: NodeIndex) -> bool {
        match self.transcript.record(node) {
            Record::User(user) => {
                let speaker = turn::Speaker::of(&user);
                speaker.opens_turn() || speaker == turn::Speaker::Summary
            }
            Record::Assistant(assistant) => !assistant.is_synthetic(),
            _ => false,
        }
    }

    /// The last prompt after the rewind, as lists show it.
    fn last_prompt(&self, nodes: &BTreeSet<NodeIndex>) -> String {
        let last = turn::turns(self.transcript).into_iter().rfind(|turn| nodes.contains(&turn.prompt));
        match last.map(|turn| self.transcript.record(turn.prompt)) {
            Some(Record::User(user)) => turn::prompt_text(&user).chars().take(MAX_PROMPT_LETTERS).collect(),
            _ => String::new(),
        }
    }

    /// The common fields of the prompt, for the appended record.
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

/// What a client sends of a file, as JSON; `None` if it refuses it. What the client inserts after an unanswered prompt is
/// left out, since another prompt follows.
fn sent(bytes: &[u8], client: Client) -> Option<Vec<u8>> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let messages = resumed.outcome.as_ref().ok()?;
    let mut json = Vec::new();
    for message in messages {
        let records =
            message.blocks.iter().filter(|block| matches!(block.origin, resume::BlockOrigin::Record(_)));
        for block in records {
            json.extend_from_slice(format!("{:?} ", message.role).as_bytes());
            block.write_json(&mut json);
        }
    }
    Some(json)
}
