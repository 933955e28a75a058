//! `toolUseResult`: the result of a tool for display. It is not sent to the model.
//!
//! The record does not name the tool, so the type is derived from the keys. A string is an error or a denial, a list comes
//! from an MCP tool, and any other object is [`ToolUseResult::Unknown`] with all its fields.

mod agents;
mod files;
mod shell;
mod tasks;
mod web;

pub use agents::{AgentResult, SendMessageResult, SkillResult, WorkflowResult};
pub use files::{
    EditResult, GlobResult, GrepResult, LspResult, MultiEditResult, NotebookEditResult, PatchHunk, ReadFile,
    ReadResult, WriteResult,
};
pub use shell::{BashOutputResult, BashResult, KillShellResult};
pub use tasks::{
    AskUserQuestionResult, ExitPlanModeResult, FindingsResult, MessageResult, MonitorResult,
    ScheduleWakeupResult, TaskListResult, TaskOutputResult, TaskResult, TaskStopResult, TaskUpdateResult,
    TodoWriteResult,
};
pub use web::{ArtifactResult, ToolSearchResult, WebFetchResult, WebSearchResult};

use annals_json::{Fields, Items, Text, Value, ValueKind};

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident($view:ident): $([$($key:literal),+])|+;)*) => {
        /// The result of a tool, for display.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum ToolUseResult<'a> {
            /// A string: an error, a denial, or the result of a simple tool.
            Text(Text<'a>),
            /// Blocks of an MCP tool.
            List(Items<'a>),
            $($(#[$doc])* $name($view<'a>),)*
            /// An object with unknown keys.
            Unknown(Fields<'a>),
            /// Any other value.
            Other(Value<'a>),
        }

        impl<'a> ToolUseResult<'a> {
            fn of_fields(fields: Fields<'a>) -> Self {
                let has = |key: &str| fields.get(key).is_some();
                $(if $(($(has($key))&&+))||+ {
                    return Self::$name($view::new(fields));
                })*
                Self::Unknown(fields)
            }

            /// The name of the shape, for counting and display.
            pub fn shape(&self) -> &'static str {
                match self {
                    Self::Text(_) => "text",
                    Self::List(_) => "list",
                    $(Self::$name(_) => stringify!($name),)*
                    Self::Unknown(_) => "unknown",
                    Self::Other(_) => "other",
                }
            }

            /// The keys that the view of the shape has a name for.
            pub fn known_keys(&self) -> &'static [&'static str] {
                match self {
                    $(Self::$name(_) => $view::KNOWN_KEYS,)*
                    Self::Text(_) | Self::List(_) | Self::Unknown(_) | Self::Other(_) => &[],
                }
            }

            /// The fields of an object.
            pub fn fields(&self) -> Option<&Fields<'a>> {
                match self {
                    $(Self::$name(view) => Some(view.fields()),)*
                    Self::Unknown(fields) => Some(fields),
                    Self::Text(_) | Self::List(_) | Self::Other(_) => None,
                }
            }
        }
    };
}

// The order matters: a type with more specific keys comes before one that would match its objects too.
shapes! {
    /// A background shell that was read again.
    BashOutput(BashOutputResult): ["shellId", "stdout"];
    /// Bash, PowerShell.
    Bash(BashResult): ["stdout", "stderr"];
    /// A background shell that was ended.
    KillShell(KillShellResult): ["shell_id", "message"];
    /// Several edits of one file.
    MultiEdit(MultiEditResult): ["filePath", "edits"];
    /// `Edit` replaced text in a file.
    Edit(EditResult): ["filePath", "oldString", "newString"];
    /// A file that was written.
    Write(WriteResult): ["filePath", "content", "structuredPatch"];
    /// A plan that is ready.
    ExitPlanMode(ExitPlanModeResult): ["plan", "isAgent"];
    /// A language server's answer.
    Lsp(LspResult): ["operation", "resultCount"];
    /// A cell of a notebook that was edited.
    NotebookEdit(NotebookEditResult): ["new_source", "edit_mode"];
    /// A file that was read.
    Read(ReadResult): ["file", "type"];
    /// A search in files.
    Grep(GrepResult): ["filenames", "mode"];
    /// A search for files.
    Glob(GlobResult): ["filenames", "numFiles"];
    /// A todo list that was written.
    TodoWrite(TodoWriteResult): ["newTodos"];
    /// A workflow of agents.
    Workflow(WorkflowResult): ["runId", "transcriptDir"];
    /// A sub-agent.
    Agent(AgentResult): ["agentId"] | ["totalDurationMs", "totalTokens"];
    /// `Skill` loaded a skill.
    Skill(SkillResult): ["commandName"];
    /// A message to another agent.
    SendMessage(SendMessageResult): ["message", "success", "routing"] | ["message", "success", "pin"];
    /// Questions to the person.
    AskUserQuestion(AskUserQuestionResult): ["questions", "answers"];
    /// A page.
    WebFetch(WebFetchResult): ["url", "codeText"];
    /// `WebSearch` found pages.
    WebSearch(WebSearchResult): ["query", "durationSeconds"];
    /// Tools that were looked up.
    ToolSearch(ToolSearchResult): ["matches", "query"];
    /// A page that was published.
    Artifact(ArtifactResult): ["url", "path", "title"];
    /// A background task that was read.
    TaskOutput(TaskOutputResult): ["retrieval_status"];
    /// A background task that was ended.
    TaskStop(TaskStopResult): ["task_id", "message"];
    /// A task that changed.
    TaskUpdate(TaskUpdateResult): ["taskId", "updatedFields"];
    /// A background task that is watched.
    Monitor(MonitorResult): ["taskId", "persistent"];
    /// `TaskCreate` or `TaskGet` returned a task.
    Task(TaskResult): ["task"];
    /// Tasks.
    TaskList(TaskListResult): ["tasks"];
    /// What a review found.
    Findings(FindingsResult): ["findings", "count"];
    /// A time to wake up.
    ScheduleWakeup(ScheduleWakeupResult): ["scheduledFor"];
    /// A sentence in an object.
    Message(MessageResult): ["message"];
}

impl<'a> ToolUseResult<'a> {
    /// Parses the value of `toolUseResult`.
    pub fn new(value: Value<'a>) -> Self {
        match value.kind() {
            ValueKind::String => value.text().map_or(Self::Other(value), Self::Text),
            ValueKind::Array => Self::List(value.items()),
            ValueKind::Object => value.fields().map_or(Self::Other(value), Self::of_fields),
            _ => Self::Other(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, shape: &str) {
        assert_eq!(ToolUseResult::new(Value::parse(json.as_bytes()).unwrap()).shape(), shape, "{json}");
    }

    #[test]
    fn tells_a_shape_by_its_keys() {
        check(r#""Error: no such file""#, "text");
        check(r#"[{"type":"text"}]"#, "list");
        check(r#"{"stdout":"","stderr":"","interrupted":false}"#, "Bash");
        check(r#"{"shellId":"1","stdout":"","stderr":""}"#, "BashOutput");
        check(r#"{"type":"text","file":{}}"#, "Read");
        check(r#"{"filePath":"a","oldString":"","newString":""}"#, "Edit");
        check(r#"{"type":"create","filePath":"a","content":"","structuredPatch":[]}"#, "Write");
        check(r#"{"filenames":[],"mode":"content","numFiles":0}"#, "Grep");
        check(r#"{"filenames":[],"numFiles":0}"#, "Glob");
        check(r#"{"status":"completed","agentId":"a","content":[]}"#, "Agent");
        check(r#"{"content":[],"totalDurationMs":1,"totalTokens":2}"#, "Agent");
        check(r#"{"something":"new"}"#, "unknown");
        check("3", "other");
    }
}
