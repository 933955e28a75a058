//! Attachments: what the client shows the model beside the prompt, by `attachment.type`.

use crate::id::{RecordId, ToolUseId};
use crate::time::Timestamp;
use crate::view::views;
use annals_json::{Fields, Items, Text, Value};

use crate::record::words::word_kinds;

word_kinds! {
    /// What the client attached to the conversation for the model.
    AttachmentKind, without:
        /// No type.
        Untyped = "untyped";
    /// The task list, to keep it in mind.
    TaskReminder = "task_reminder";
    /// The todo list, to keep it in mind.
    TodoReminder = "todo_reminder";
    /// What a hook adds to the context.
    HookAdditionalContext = "hook_additional_context";
    /// A hook that succeeded.
    HookSuccess = "hook_success";
    /// What a hook tells the person.
    HookSystemMessage = "hook_system_message";
    /// A hook that failed and stopped nothing.
    HookNonBlockingError = "hook_non_blocking_error";
    /// A hook that stopped the tool.
    HookBlockingError = "hook_blocking_error";
    /// Tools that can be loaded.
    DeferredToolsDelta = "deferred_tools_delta";
    /// Instructions of MCP servers.
    McpInstructionsDelta = "mcp_instructions_delta";
    /// Agents that can be started.
    AgentListingDelta = "agent_listing_delta";
    /// Skills that can be used.
    SkillListing = "skill_listing";
    /// A memory file of a subfolder.
    NestedMemory = "nested_memory";
    /// A file that changed outside.
    EditedTextFile = "edited_text_file";
    /// A file that the prompt names.
    File = "file";
    /// A directory that the prompt names.
    Directory = "directory";
    /// A file that a compaction left as a reference.
    CompactFileReference = "compact_file_reference";
    /// Tools that a command allows.
    CommandPermissions = "command_permissions";
    /// A prompt that was queued while a tool ran.
    QueuedCommand = "queued_command";
    /// Auto mode is on.
    AutoMode = "auto_mode";
    /// The date changed.
    DateChange = "date_change";
    /// Plan mode is on.
    PlanMode = "plan_mode";
    /// Plan mode is over.
    PlanModeExit = "plan_mode_exit";
    /// The request as it was sent.
    PromptSnapshot = "prompt_snapshot";
    /// The machine and folder.
    Environment = "environment";
    /// The model at work.
    Model = "model";
    /// More about the session.
    SessionContext = "session_context";
    /// Which day it is, for the model.
    Date = "date";
    /// How commits and pull requests are signed.
    RemoteSessionChange = "remote_session_change";
    /// The model has been silent for long.
    SilentTurnReminder = "silent_turn_reminder";
}

views! {
    /// An attachment line.
    Attachment {
        /// What is attached.
        body: AttachmentBody<'a> = "attachment";
        /// What the model saw, word for word.
        rendered: Value<'a> = "rendered";
        /// In whose name it was shown.
        rendered_role: Text<'a> = "renderedRole";
        /// Whether it was shown within a person's turn.
        rendered_in_human_turn: Value<'a> = "renderedInHumanTurn";
        /// Whether it was shown beside a tool's result.
        rendered_beside_tool_result: Value<'a> = "renderedBesideToolResult";
    }

    /// What is attached.
    AttachmentBody {
        /// Its kind, as written.
        kind_name: Text<'a> = "type";
        /// Text, a list or an object, by kind.
        content: Value<'a> = "content";
        /// `task_reminder`: how many.
        item_count: u64 = "itemCount";
        /// Hooks: the hook.
        hook_name: Text<'a> = "hookName";
        hook_event: Text<'a> = "hookEvent";
        /// Hooks: the tool call.
        tool_use: ToolUseId<'a> = "toolUseID";
        /// Hooks: standard output.
        stdout: Text<'a> = "stdout";
        /// Hooks: standard error.
        stderr: Text<'a> = "stderr";
        /// Hooks: how it ended.
        exit_code: f64 = "exitCode";
        /// Hooks: the command.
        command: Text<'a> = "command";
        /// Hooks: how long it took.
        duration_ms: u64 = "durationMs";
        /// Hooks: the error that stopped the tool.
        blocking_error: Fields<'a> = "blockingError";
        /// Lists: names that came.
        added_names: Items<'a> = "addedNames";
        /// Lists: lines that came.
        added_lines: Items<'a> = "addedLines";
        /// Lists: blocks that came.
        added_blocks: Items<'a> = "addedBlocks";
        /// Lists: types that came.
        added_types: Items<'a> = "addedTypes";
        /// Lists: names that went.
        removed_names: Items<'a> = "removedNames";
        /// Lists: types that went.
        removed_types: Items<'a> = "removedTypes";
        /// Lists: names that came back.
        readded_names: Items<'a> = "readdedNames";
        /// Servers that are not there yet.
        pending_mcp_servers: Items<'a> = "pendingMcpServers";
        /// Servers that need a login.
        needs_auth_mcp_servers: Items<'a> = "needsAuthMcpServers";
        /// Servers that did not start.
        failed_mcp_servers: Items<'a> = "failedMcpServers";
        /// `deferred_tools_delta`: tools that are not named in the request.
        wire_hidden_names: Items<'a> = "wireHiddenNames";
        /// `skill_listing`: how many.
        skill_count: u64 = "skillCount";
        /// `skill_listing`: which.
        names: Items<'a> = "names";
        /// `skill_listing`: digests of the skills.
        digests: Items<'a> = "digests";
        /// Whether the list is the first one.
        is_initial: bool = "isInitial";
        /// `agent_listing_delta`: whether to speak of concurrency.
        show_concurrency_note: bool = "showConcurrencyNote";
        /// `agent_listing_delta`: types that the client brings.
        built_in_types: Items<'a> = "builtInTypes";
        /// `agent_listing_delta`: types that plugins of the client bring.
        built_in_plugin_types: Items<'a> = "builtInPluginTypes";
        /// Files: the path.
        path: Text<'a> = "path";
        /// Files: the name.
        filename: Text<'a> = "filename";
        /// Files: the path as shown.
        display_path: Text<'a> = "displayPath";
        /// `edited_text_file`: what changed.
        snippet: Text<'a> = "snippet";
        /// `command_permissions`: tools.
        allowed_tools: Items<'a> = "allowedTools";
        /// `queued_command`: the prompt, a string or blocks.
        prompt: Value<'a> = "prompt";
        /// `queued_command`: `prompt`, `task-notification`, …
        command_mode: Text<'a> = "commandMode";
        /// `queued_command`: when it was queued.
        timestamp: Timestamp<'a> = "timestamp";
        /// `queued_command`: the queued record.
        source_uuid: RecordId<'a> = "source_uuid";
        /// `queued_command`: who or what it comes from.
        origin: Fields<'a> = "origin";
        /// `queued_command`: numbers of pasted images.
        image_paste_ids: Items<'a> = "imagePasteIds";
        /// `environment`: what was found.
        snapshot: Fields<'a> = "snapshot";
        /// `model`: which.
        identity: Fields<'a> = "identity";
        /// `model`, reminders: the text for the model.
        text: Text<'a> = "text";
        /// `session_context`: what is known.
        context: Fields<'a> = "context";
        /// `date`: which.
        date: Text<'a> = "date";
        /// `date_change`: the new date.
        new_date: Text<'a> = "newDate";
        /// `auto_mode`: how consent was given.
        auto_mode_consent_flow: bool = "autoModeConsentFlow";
        /// Plan mode: `full` or `sparse`.
        reminder_type: Text<'a> = "reminderType";
        /// Plan mode: whether a sub-agent plans.
        is_sub_agent: bool = "isSubAgent";
        /// Plan mode: the file.
        plan_file_path: Text<'a> = "planFilePath";
        /// Plan mode: whether the file is there.
        plan_exists: bool = "planExists";
        /// `prompt_snapshot`: the parts of the system prompt.
        system_prompt: Items<'a> = "systemPrompt";
        /// `prompt_snapshot`: how the context was written.
        context_rendering: Text<'a> = "contextRendering";
        /// `prompt_snapshot`: whether reminders were folded.
        reminder_fold: bool = "reminderFold";
        /// `prompt_snapshot`: whether inputs of tools were sent as they came.
        echo_wire_tool_inputs: bool = "echoWireToolInputs";
        /// `prompt_snapshot`: what the system prompt began with.
        cli_prefix: Text<'a> = "cliPrefix";
        /// `prompt_snapshot`: the tools of the request.
        tools: Items<'a> = "tools";
        /// `prompt_snapshot`: whether tools stood in the system prompt.
        inline_tools: bool = "inlineTools";
        /// `prompt_snapshot`: whether reminders stayed in the request.
        kept_reminders: bool = "keptReminders";
        /// `prompt_snapshot`: whether the system spoke in turns of its own.
        system_turns: bool = "systemTurns";
        /// `prompt_snapshot`: whether a header told of changed tools.
        tool_change_header: bool = "toolChangeHeader";
        /// `remote_session_change`: the signature of commits.
        commit: Text<'a> = "commit";
        /// `remote_session_change`: whether an administrator chose it.
        managed_commit: bool = "managedCommit";
        /// `remote_session_change`: the signature of pull requests.
        pr: Text<'a> = "pr";
        /// `remote_session_change`: whether an administrator chose it.
        managed_pr: bool = "managedPr";
        /// `remote_session_change`: the address of the session.
        url: Text<'a> = "url";
        /// `remote_session_change`: whether files may be sent to the user.
        send_user_file_hint: bool = "sendUserFileHint";
    }
}

impl Attachment<'_> {
    /// Its kind.
    pub fn attachment_kind(&self) -> AttachmentKind {
        AttachmentKind::of(self.body().and_then(|body| body.kind_name()))
    }
}
