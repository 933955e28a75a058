//! The files that belong together: a session, its sub-agents, and what lies beside them.

use crate::id::Id;
use crate::plan::{DemoFile, Truth};
use crate::script::Script;
use crate::slug::slug;

/// Files ready to be handed out, with what they add to the tally.
#[derive(Default)]
pub(crate) struct Bundle {
    pub(crate) files: Vec<DemoFile>,
    pub(crate) sessions: u64,
    pub(crate) sub_agents: u64,
    pub(crate) lines: u64,
    pub(crate) truth: Truth,
    pub(crate) copied: Truth,
    pub(crate) history: Vec<u8>,
    pub(crate) entries: Vec<Entry>,
}

/// What an index says of a session.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) session: Id,
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
    pub(crate) fn session(&mut self, script: Script) {
        let path = format!("projects/{}/{}.jsonl", slug(&script.head.cwd), script.head.session);
        self.truth += script.truth;
        self.history.extend_from_slice(&script.history);
        self.entries.push(Entry {
            path: path.clone(),
            session: script.head.session,
            cwd: script.head.cwd.clone(),
            branch: script.head.branch.clone(),
            first_prompt: script.first_prompt.chars().take(200).collect(),
            messages: script.messages,
            created: script.started,
            modified: script.now,
        });
        self.session_bytes(path, script.out, script.now);
    }

    /// A session file whose content counts for nothing new.
    pub(crate) fn session_bytes(&mut self, path: String, bytes: Vec<u8>, modified_ms: i64) {
        self.sessions += 1;
        self.lines += lines(&bytes);
        self.file(path, bytes, modified_ms);
    }

    /// A finished sub-agent in `folder`.
    pub(crate) fn agent(&mut self, folder: &str, script: Script) {
        let name = script.head.agent.clone().unwrap_or_default();
        self.truth += script.truth;
        self.agent_bytes(format!("{folder}/agent-{name}.jsonl"), script.out, script.now);
    }

    /// A sub-agent file whose content counts for nothing new.
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
