//! Records outside the chain.

use crate::id::{AgentId, RecordId, SessionId};
use crate::time::Timestamp;
use crate::view::views;
use annals_json::{Fields, Items, Text, Value};

views! {
    /// Which copies of edited files belong to which prompt.
    FileHistorySnapshot {
        /// The line that it belongs to.
        message: RecordId<'a> = "messageId";
        /// The copies.
        snapshot: Snapshot<'a> = "snapshot";
        /// Whether it replaces an earlier one.
        is_update: bool = "isSnapshotUpdate";
    }

    /// The copies of one moment.
    Snapshot {
        /// The line that it belongs to.
        message: RecordId<'a> = "messageId";
        /// A path to its copy: see [`FileBackup`], or the content itself in an old or mistaken form.
        tracked_file_backups: Fields<'a> = "trackedFileBackups";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
    }

    /// One copy of one file.
    FileBackup {
        /// Its name under `file-history/<session>/`; null where the file did not exist.
        backup_file_name: Text<'a> = "backupFileName";
        /// Its version, from 1.
        version: u64 = "version";
        /// When.
        backup_time: Timestamp<'a> = "backupTime";
    }

    /// What changed about the copies.
    FileHistoryDelta {
        /// The line that it belongs to.
        message: RecordId<'a> = "messageId";
        /// The snapshot's line.
        snapshot_message: RecordId<'a> = "snapshotMessageId";
        /// The copies that came, in a form that only made-up files are known to have.
        tracked_file_backups: Fields<'a> = "trackedFileBackups";
        /// The file that is about to be changed.
        tracking_path: Text<'a> = "trackingPath";
        /// Its copy.
        backup: Value<'a> = "backup";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
        session: SessionId<'a> = "sessionId";
    }

    /// A title; its leaf is nearly always in another file.
    Summary {
        /// The title.
        summary: Text<'a> = "summary";
        /// The last line of the conversation that it names.
        leaf: RecordId<'a> = "leafUuid";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
    }

    /// A prompt that was queued, or taken from the queue.
    QueueOperation {
        /// `enqueue`, `dequeue`, `remove`, `popAll`.
        operation: Text<'a> = "operation";
        /// The prompt: a string, blocks or nothing.
        content: Value<'a> = "content";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
        session: SessionId<'a> = "sessionId";
    }

    /// A pull request that the session opened.
    PrLink {
        number: u64 = "prNumber";
        /// Its address.
        url: Text<'a> = "prUrl";
        repository: Text<'a> = "prRepository";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
        session: SessionId<'a> = "sessionId";
    }

    /// The title that the user gave; an empty one takes it back.
    CustomTitle {
        title: Text<'a> = "customTitle";
        session: SessionId<'a> = "sessionId";
    }

    /// The title that a model gave.
    AiTitle {
        title: Text<'a> = "aiTitle";
        session: SessionId<'a> = "sessionId";
    }

    /// The last prompt, and the leaf to resume from.
    LastPrompt {
        /// The prompt, shortened.
        prompt: Text<'a> = "lastPrompt";
        /// The leaf to resume from.
        leaf: RecordId<'a> = "leafUuid";
        /// Whether the person chose this leaf.
        explicit: bool = "explicit";
        /// Whether the person went back.
        rewound: Value<'a> = "rewound";
        session: SessionId<'a> = "sessionId";
    }

    /// The session's tag.
    Tag {
        tag: Text<'a> = "tag";
        session: SessionId<'a> = "sessionId";
    }

    /// The mode of the client.
    Mode {
        mode: Text<'a> = "mode";
        session: SessionId<'a> = "sessionId";
    }

    /// The permission mode from here on: `default`, `acceptEdits`, `plan`, …
    PermissionMode {
        mode: Text<'a> = "permissionMode";
        session: SessionId<'a> = "sessionId";
    }

    /// The name that the session has as an agent.
    AgentName {
        name: Text<'a> = "agentName";
        session: SessionId<'a> = "sessionId";
    }

    /// The agent that runs the session.
    AgentSetting {
        /// The agent.
        setting: Text<'a> = "agentSetting";
        session: SessionId<'a> = "sessionId";
    }

    /// A page that shows the session's work.
    FrameLink {
        /// The file.
        path: Text<'a> = "path";
        /// The address.
        url: Text<'a> = "frameUrl";
        title: Text<'a> = "title";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
        session: SessionId<'a> = "sessionId";
    }

    /// The client's own account of tokens and cost: shown beside ours, never instead.
    CostState {
        /// Dollars.
        total_cost_usd: f64 = "totalCostUSD";
        /// Milliseconds of requests.
        total_api_duration: f64 = "totalAPIDuration";
        /// The same without retries.
        total_api_duration_without_retries: f64 = "totalAPIDurationWithoutRetries";
        /// Milliseconds of tools.
        total_tool_duration: f64 = "totalToolDuration";
        /// Milliseconds in all.
        total_duration: f64 = "totalDuration";
        /// Lines of code that came.
        total_lines_added: u64 = "totalLinesAdded";
        /// Lines of code that went.
        total_lines_removed: u64 = "totalLinesRemoved";
        /// By model.
        model_usage: Fields<'a> = "modelUsage";
        /// Whether a model without a price took part.
        has_unknown_model_cost: bool = "hasUnknownModelCost";
        /// When it started.
        start_time: Value<'a> = "startTime";
        session: SessionId<'a> = "sessionId";
    }

    /// The git worktree that the session works in.
    WorktreeState {
        /// Its folders and branch; null outside a worktree.
        worktree: Fields<'a> = "worktreeSession";
        session: SessionId<'a> = "sessionId";
    }

    /// The session moved to another folder.
    Relocated {
        session: SessionId<'a> = "sessionId";
        /// The new folder.
        cwd: Text<'a> = "cwd";
        /// The folder before.
        from: Text<'a> = "from";
        /// The folder now.
        to: Text<'a> = "to";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
    }

    /// A session of a remote bridge.
    BridgeSession {
        /// The session there.
        bridge_session: Text<'a> = "bridgeSessionId";
        /// The last message.
        last_sequence: u64 = "lastSequenceNum";
        /// The account that it belongs to.
        owner_account: Text<'a> = "ownerAccountUuid";
        /// The organization of that account.
        owner_organization: Text<'a> = "ownerOrganizationUuid";
        /// The session here.
        session: SessionId<'a> = "sessionId";
    }

    /// Large content that was replaced by a reference.
    ContentReplacement {
        /// What was replaced by what.
        replacements: Items<'a> = "replacements";
        session: SessionId<'a> = "sessionId";
    }

    /// Where a fork took its context from.
    ForkContextRef {
        /// The session that was forked.
        parent_session: SessionId<'a> = "parentSessionId";
        /// The last line that the fork begins with.
        parent_last: RecordId<'a> = "parentLastUuid";
        /// How many messages it begins with.
        context_length: u64 = "contextLength";
        session: SessionId<'a> = "sessionId";
    }

    /// The tools that were used.
    ToolsUsed {
        /// Which.
        tools: Value<'a> = "tools";
        session: SessionId<'a> = "sessionId";
    }

    /// A switch of the client.
    AtisLatch {
        /// Its state.
        atis: Value<'a> = "atis";
        session: SessionId<'a> = "sessionId";
    }

    /// A request, or a part that requests share (`-shape`, `-blob`), stored whole by the newest releases.
    ApiRequest {
        session: SessionId<'a> = "sessionId";
        /// The sub-agent that sent it.
        agent: AgentId<'a> = "agentId";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
        /// The client's version.
        version: Text<'a> = "version";
        /// The request's id, which assistant lines name in `requestRef`.
        id: Text<'a> = "id";
        /// What it was sent for.
        query_source: Text<'a> = "querySource";
        /// The shape that it has.
        shape_hash: Text<'a> = "shapeHash";
        /// A shape: system prompt and tools.
        shape: Value<'a> = "shape";
        /// The name of a blob.
        hash: Text<'a> = "hash";
        /// A blob: one message.
        message: Value<'a> = "message";
        /// The request that this one continues.
        base: Text<'a> = "base";
        /// How many of its messages it keeps.
        keep: u64 = "keep";
        /// The messages that follow, by hash.
        tail: Items<'a> = "tail";
        /// Everything else that was sent.
        params: Fields<'a> = "params";
        /// Where the cache marks are.
        cache_control: Value<'a> = "cacheControl";
        /// A digest of the whole.
        request_digest: Text<'a> = "requestDigest";
    }
}
