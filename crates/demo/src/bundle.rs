//! Files that belong together: a session, its sub-agents, and side files.

use crate::id::Uuid;
use crate::plan::{DemoFile, Truth};
use crate::slug::slug;
use crate::transcript::TranscriptWriter;

/// Finished files, with their tally.
#[derive(Default)]
pub(crate) struct Bundle {
    pub(crate) files: Vec<DemoFile>,
    pub(crate) sessions: u64,
    pub(crate) sub_agents: u64,
    pub(crate) lines: u64,
    pub(crate) truth: Truth,
    pub(crate) copied: Truth,
    pub(crate) history: Vec<u8>,
    pub(crate) entries: Vec<IndexEntry>,
}

/// The index entry of a session.
#[derive(Debug, Clone)]
pub(crate) struct IndexEntry {
    pub(crate) path: String,
    pub(crate) session: Uuid,
    pub(crate) cwd: String,
    pub(crate) branch: String,
    pub(crate) first_prompt: String,
    pub(crate) messages: u64,
    pub(crate) created: i64,
    pub(crate) modified: i64,
}

impl Bundle {
    /// Any file that is neither session nor sub-agent.
    pub(crate) fn file(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>, modified_ms: i64) {
        self.files.push(DemoFile { path: path.into(), bytes: bytes.into(), modified_ms });
    }

    /// Takes over what another bundle holds.
    pub(crate) fn merge(&mut self, other: Self) {
        self.files.extend(other.files);
        self.sessions += other.sessions;
        self.sub_agents += other.sub_agents;
        self.lines += other.lines;
        self.truth += other.truth;
        self.copied += other.copied;
        self.history.extend_from_slice(&other.history);
        self.entries.extend(other.entries);
    }

    /// A finished session.
    pub(crate) fn session(&mut self, transcript: TranscriptWriter) {
        let path =
            format!("projects/{}/{}.jsonl", slug(&transcript.envelope.cwd), transcript.envelope.session);
        self.truth += transcript.truth;
        self.history.extend_from_slice(&transcript.history);
        self.entries.push(IndexEntry {
            path: path.clone(),
            session: transcript.envelope.session,
            cwd: transcript.envelope.cwd.clone(),
            branch: transcript.envelope.branch.clone(),
            first_prompt: transcript.first_prompt.chars().take(200).collect(),
            messages: transcript.messages,
            created: transcript.started,
            modified: transcript.now,
        });
        self.session_bytes(path, transcript.out, transcript.now);
    }

    /// A session file that adds nothing to the tally.
    pub(crate) fn session_bytes(&mut self, path: String, bytes: Vec<u8>, modified_ms: i64) {
        self.sessions += 1;
        self.lines += lines(&bytes);
        self.file(path, bytes, modified_ms);
    }

    /// A finished sub-agent in `folder`.
    pub(crate) fn agent(&mut self, folder: &str, transcript: TranscriptWriter) {
        let name = transcript.envelope.agent.clone().unwrap_or_default();
        self.truth += transcript.truth;
        self.agent_bytes(format!("{folder}/agent-{name}.jsonl"), transcript.out, transcript.now);
    }

    /// A sub-agent file that adds nothing to the tally.
    pub(crate) fn agent_bytes(&mut self, path: String, bytes: Vec<u8>, modified_ms: i64) {
        self.sub_agents += 1;
        self.lines += lines(&bytes);
        self.file(path, bytes, modified_ms);
    }
}

/// Lines of a file; a last one without an end counts.
fn lines(bytes: &[u8]) -> u64 {
    let ends = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
    ends + u64::from(bytes.last().is_some_and(|&byte| byte != b'\n'))
}
