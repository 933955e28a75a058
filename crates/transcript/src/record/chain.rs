//! The envelope of chain records, and user and assistant records.

use crate::content::{Block, Content};
use crate::id::{AgentId, MessageId, RecordId, RequestId, SessionId, ToolUseId};
use crate::time::Timestamp;
use crate::tool_result::ToolUseResult;
use crate::usage::Usage;
use crate::view::{FromValue as _, views};
use annals_json::{Fields, Items, Text, Value};

views! {
    /// The common fields of chain records.
    Envelope {
        /// The line's own id.
        uuid: RecordId<'a> = "uuid";
        /// The line before it; `null` starts a chain, and reads as absent here.
        parent: RecordId<'a> = "parentUuid";
        /// The line before it across a compaction.
        logical_parent: RecordId<'a> = "logicalParentUuid";
        /// Whether it belongs to a sub-agent.
        is_sidechain: bool = "isSidechain";
        /// `external`, in nearly all data.
        user_type: Text<'a> = "userType";
        /// The working directory.
        cwd: Text<'a> = "cwd";
        /// The session that wrote it; a copied line may still name the session it came from.
        session: SessionId<'a> = "sessionId";
        /// The root of a lineage of forks.
        lineage_session: SessionId<'a> = "session_id";
        /// The client's version.
        version: Text<'a> = "version";
        /// The git branch; `HEAD` outside a repository.
        git_branch: Text<'a> = "gitBranch";
        /// When.
        timestamp: Timestamp<'a> = "timestamp";
        /// The readable name of the session, which also names its plan.
        slug: Text<'a> = "slug";
        /// The sub-agent that wrote it.
        agent: AgentId<'a> = "agentId";
        /// `cli`, `claude-desktop`, `sdk-cli`, …
        entrypoint: Text<'a> = "entrypoint";
        /// Whether the client, not the person, wrote it.
        is_meta: bool = "isMeta";
        /// The team of agents it belongs to.
        team_name: Text<'a> = "teamName";
        /// Where a fork copied it from.
        forked_from: ForkedFrom<'a> = "forkedFrom";
    }

    /// Where a forked line was copied from.
    ForkedFrom {
        session: SessionId<'a> = "sessionId";
        /// The line.
        message: RecordId<'a> = "messageUuid";
    }

    /// A user line: a prompt, a tool's result, or what the client says in the user's name.
    User {
        /// What is sent.
        message: UserMessage<'a> = "message";
        /// The tool's result in full, for display; not sent.
        tool_use_result_value: Value<'a> = "toolUseResult";
        /// The assistant line whose tool call this answers.
        source_tool_assistant: RecordId<'a> = "sourceToolAssistantUUID";
        /// The tool call that made the client write this.
        source_tool_use: ToolUseId<'a> = "sourceToolUseID";
        /// One id for all lines of a prompt.
        prompt_id: Text<'a> = "promptId";
        /// Who or what the prompt comes from.
        origin: Fields<'a> = "origin";
        /// `typed`, `queued`, `system`, `suggestion_accepted`, `sdk`.
        prompt_source: Text<'a> = "promptSource";
        /// What the next turn comes from.
        turn_origin: Value<'a> = "turnOrigin";
        /// What the client counts the turn under.
        turn_attribution_key: Text<'a> = "turnAttributionKey";
        /// The permission mode at the time.
        permission_mode: Text<'a> = "permissionMode";
        /// Whether the client wrote it.
        is_meta: bool = "isMeta";
        /// Whether it is the summary that opens a compacted conversation.
        is_compact_summary: bool = "isCompactSummary";
        /// Whether people see it in the transcript view only.
        is_visible_in_transcript_only: bool = "isVisibleInTranscriptOnly";
        /// What a partial summary covers.
        summarize_metadata: Fields<'a> = "summarizeMetadata";
        /// Settings of thinking at the time.
        thinking_metadata: Fields<'a> = "thinkingMetadata";
        /// The todo list at the time.
        todos: Items<'a> = "todos";
        /// Numbers of pasted images.
        image_paste_ids: Items<'a> = "imagePasteIds";
        /// A plan that the prompt carries out.
        plan_content: Text<'a> = "planContent";
        /// How a tool was denied.
        tool_denial_kind: Text<'a> = "toolDenialKind";
        /// What the person said when denying.
        user_feedback: Text<'a> = "userFeedback";
        /// How permission was decided.
        permission_decision: Value<'a> = "permissionDecision";
        /// The response that an interrupt cut off.
        interrupted_message: Text<'a> = "interruptedMessageId";
        /// Whether the tool ended the turn.
        tool_ends_turn: bool = "toolEndsTurn";
        /// Whether a queued prompt goes without attachments.
        queue_skip_attachments: bool = "queueSkipAttachments";
        /// Lines that a classifier saw.
        classifier_meta_lines: Text<'a> = "classifierMetaLines";
        /// The place of the line within prompts and turns.
        turn_position: Fields<'a> = "turnPosition";
        /// Whether it goes with another line of its turn.
        turn_companion: bool = "turnCompanion";
        /// Whether the tool ran in a sandbox.
        sandboxed: bool = "sandboxed";
        /// Metadata of an MCP tool's result.
        mcp_meta: Value<'a> = "mcpMeta";
    }

    /// What a user line sends.
    UserMessage {
        /// Always `user`.
        role: Text<'a> = "role";
        /// The content, as a value.
        content_value: Value<'a> = "content";
    }

    /// An assistant line: a content block (rarely several) of a response.
    Assistant {
        /// What came.
        message: AssistantMessage<'a> = "message";
        request: RequestId<'a> = "requestId";
        /// The session that sent the request: a fork has lines of another.
        request_session: Text<'a> = "requestSessionId";
        /// Whether the client wrote it to report an error.
        is_api_error: bool = "isApiErrorMessage";
        /// The kind of error.
        error: Text<'a> = "error";
        /// The HTTP status of the error.
        api_error_status: u64 = "apiErrorStatus";
        /// The place of the block in the response.
        api_block_index: u64 = "apiBlockIndex";
        /// Whether an interrupt cut the stream.
        is_aborted_mid_stream: bool = "isAbortedMidStream";
        /// The effort that was asked for.
        effort: Text<'a> = "effort";
        /// The effort asked for this turn alone.
        per_turn_effort: Text<'a> = "perTurnEffort";
        /// The skill at work.
        attribution_skill: Text<'a> = "attributionSkill";
        /// The plugin at work.
        attribution_plugin: Text<'a> = "attributionPlugin";
        /// The agent at work.
        attribution_agent: Text<'a> = "attributionAgent";
        /// The MCP server at work.
        attribution_mcp_server: Text<'a> = "attributionMcpServer";
        /// The MCP tool at work.
        attribution_mcp_tool: Text<'a> = "attributionMcpTool";
        /// The model that advised.
        advisor_model: Text<'a> = "advisorModel";
        /// What a server-side classifier was asked.
        server_classifier_request: Value<'a> = "serverClassifierRequest";
        /// Inputs of tools as they went over the wire.
        wire_tool_inputs: Value<'a> = "wireToolInputs";
        /// The context as it came over the wire.
        wire_ingest_context: Value<'a> = "wireIngestContext";
        /// The stored request that it answers.
        request_ref: Text<'a> = "requestRef";
        /// The model that was asked for.
        requested_model: Text<'a> = "requestedModel";
        /// How long the prompt was asked to be cached.
        prompt_cache_requested: Text<'a> = "promptCacheRequested";
        /// `model`, or what else wrote it.
        made_by: Text<'a> = "madeBy";
        /// How long the input of a tool call streamed.
        tool_input_stream_ms: u64 = "toolInputStreamMs";
        /// How long the model thought.
        thinking_duration_ms: u64 = "thinkingDurationMs";
        /// Whether the thought came with its text.
        thinking_display: Text<'a> = "thinkingDisplay";
        /// Null in the one file that has it.
        is_meta: bool = "isMeta";
    }

    /// A response, or the part of it that one line holds.
    AssistantMessage {
        /// The response's id, shared by its lines.
        id: MessageId<'a> = "id";
        /// Always `message`.
        object: Text<'a> = "type";
        /// Always `assistant`.
        role: Text<'a> = "role";
        /// The model; `<synthetic>` where the client itself speaks.
        model: Text<'a> = "model";
        /// The content, as a value.
        content_value: Value<'a> = "content";
        /// Why it stopped; null on most lines of newer versions, which says nothing.
        stop_reason: Text<'a> = "stop_reason";
        /// The sequence that stopped it.
        stop_sequence: Text<'a> = "stop_sequence";
        /// More about why it stopped.
        stop_details: Value<'a> = "stop_details";
        /// Tokens.
        usage: Usage<'a> = "usage";
        /// What the API cleared from the context.
        context_management: Value<'a> = "context_management";
        /// The code container.
        container: Value<'a> = "container";
        diagnostics: Value<'a> = "diagnostics";
        /// What the API changed about the input.
        input_transformations: Value<'a> = "input_transformations";
    }
}

impl<'a> User<'a> {
    /// The tool's result in its typed shape.
    pub fn tool_use_result(&self) -> Option<ToolUseResult<'a>> {
        self.tool_use_result_value().map(ToolUseResult::new)
    }

    /// The content; [`Content::Absent`] if there is none.
    pub fn content(&self) -> Content<'a> {
        let message = self.message();
        message
            .and_then(|message| Content::from_field(message.fields(), "content"))
            .unwrap_or(Content::Absent)
    }

    /// The first tool result among the blocks.
    pub fn tool_result(&self) -> Option<crate::content::ToolResult<'a>> {
        self.content().blocks().find_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
    }
}

impl<'a> Assistant<'a> {
    /// The content; [`Content::Absent`] if there is none.
    pub fn content(&self) -> Content<'a> {
        let message = self.message();
        message
            .and_then(|message| Content::from_field(message.fields(), "content"))
            .unwrap_or(Content::Absent)
    }

    /// The model; some programs name it next to the message and not in it.
    pub fn model(&self) -> Option<Text<'a>> {
        let of_message = self.message().and_then(|message| message.model());
        of_message.or_else(|| self.fields().text("model"))
    }

    /// Whether the client itself speaks: such a line costs nothing.
    pub fn is_synthetic(&self) -> bool {
        self.model().is_some_and(|model| model.is("<synthetic>"))
    }
}
