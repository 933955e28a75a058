//! The tool that starts a sub-agent, and what it reports.

use annals_json::ObjectWriter;

use crate::era::Era;
use crate::json;
use crate::plan::Truth;
use crate::turn::ToolCall;

/// An errand and how it ended.
pub(crate) struct TaskReport<'a> {
    pub(crate) agent: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) short: &'a str,
    pub(crate) prompt: &'a str,
    pub(crate) report: &'a str,
    pub(crate) took_ms: i64,
    pub(crate) truth: Truth,
    /// The model that did it; older clients do not say.
    pub(crate) model: Option<&'static str>,
}

fn input(task_report: &TaskReport<'_>) -> Vec<u8> {
    json::object(|o| {
        o.string("subagent_type", task_report.kind)
            .string("description", task_report.short)
            .string("prompt", task_report.prompt);
    })
}

fn totals(o: &mut ObjectWriter<'_>, task_report: &TaskReport<'_>) {
    let tokens = &task_report.truth.tokens;
    let last = tokens.output / task_report.truth.responses.max(1);
    o.number("totalDurationMs", task_report.took_ms);
    o.number("totalTokens", tokens.input + tokens.output + tokens.cache_write_5m);
    o.number("totalToolUseCount", task_report.truth.tool_calls).object("usage", |u| {
        u.raw("input_tokens", b"4").number("cache_creation_input_tokens", last * 2);
        u.number("cache_read_input_tokens", tokens.cache_read / task_report.truth.responses.max(1));
        u.number("output_tokens", last).string("service_tier", "standard");
    });
}

/// The agent returned its report.
pub(crate) fn completed(era: Era, task_report: &TaskReport<'_>) -> ToolCall {
    let report = json::text(task_report.report);
    let result = json::object(|o| {
        if era > Era::First {
            o.string("status", "completed")
                .string("prompt", task_report.prompt)
                .string("agentId", task_report.agent);
        }
        if era >= Era::Attachments {
            o.string("agentType", task_report.kind);
        }
        o.raw("content", &json::list([report.as_slice()]));
        o.string_if("resolvedModel", task_report.model);
        totals(o, task_report);
        if era == Era::First {
            o.boolean("wasInterrupted", false);
        }
        if era >= Era::Attachments {
            o.object("toolStats", |stats| {
                stats.number("readCount", task_report.truth.tool_calls / 2).raw("searchCount", b"1");
                stats.number("bashCount", task_report.truth.tool_calls / 3).raw("editFileCount", b"0");
                stats.raw("linesAdded", b"0").raw("linesRemoved", b"0").raw("otherToolCount", b"0");
            });
        }
    });
    let trailer = json::text(&format!("agentId: {}", task_report.agent));
    let content = if era >= Era::Progress {
        json::list([report.as_slice(), trailer.as_slice()])
    } else {
        json::list([report.as_slice()])
    };
    ToolCall {
        name: era.agent_tool().into(),
        input: input(task_report),
        content,
        result,
        ..ToolCall::default()
    }
}

/// The agent runs in the background; a notification will follow.
pub(crate) fn launched(era: Era, task_report: &TaskReport<'_>, output_file: &str) -> ToolCall {
    let result = json::object(|o| {
        o.boolean("isAsync", true).string("status", "async_launched").string("agentId", task_report.agent);
        o.string("description", task_report.short).string_if("resolvedModel", task_report.model);
        o.string("prompt", task_report.prompt)
            .string("outputFile", output_file)
            .boolean("canReadOutputFile", true);
    });
    let said = format!("Async agent launched successfully.\nagentId: {}", task_report.agent);
    let input = json::object(|o| {
        o.string("subagent_type", task_report.kind)
            .string("description", task_report.short)
            .string("prompt", task_report.prompt);
        o.boolean("run_in_background", true);
    });
    let content = json::list([json::text(&said).as_slice()]);
    ToolCall { name: era.agent_tool().into(), input, content, result, ..ToolCall::default() }
}

/// The client's message to the model when a background task ends.
pub(crate) fn notification(task_report: &TaskReport<'_>, tool_use: &str, output_file: &str) -> String {
    format!(
        "<task-notification>\n<task-id>{}</task-id>\n<tool-use-id>{tool_use}</tool-use-id>\n\
         <output-file>{output_file}</output-file>\n<status>completed</status>\n\
         <summary>Agent \"{}\" finished</summary>\n<result>{}</result>\n</task-notification>",
        task_report.agent, task_report.short, task_report.report
    )
}
