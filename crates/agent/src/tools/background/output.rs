//! TaskOutput: shows what a task in the background has printed or answered, and waits for its end if asked to.

use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_json::Fields;

use super::super::answer::object;
use super::super::bash::Shells;
use super::super::input::Input;
use super::super::spec::{ParamType, SpecBuilder};
use super::super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use super::{BackgroundAgents, BackgroundTask, BackgroundTasks, task_id};
use crate::api::request::ToolSpec;

/// The name of the tool.
pub(super) const NAME: &str = "TaskOutput";
const KEYS: [&str; 2] = ["task_id", "bash_id"];
/// How long it waits if nothing else is said.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// How often it looks.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Shows a task in the background.
pub struct TaskOutput {
    tasks: BackgroundTasks,
}

impl TaskOutput {
    /// The tool for these commands and sub-agents.
    pub fn new(shells: Arc<Shells>, agents: Arc<BackgroundAgents>) -> Self {
        Self { tasks: BackgroundTasks { shells, agents } }
    }

    async fn show(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let task = self.tasks.named(&input, KEYS)?;
        let time = input.count_if("timeout")?.map_or(DEFAULT_TIMEOUT, Duration::from_millis).min(MAX_TIMEOUT);
        // By its older name it never waits.
        let is_waiting = match input.value("block") {
            Some(_) => input.flag("block")?,
            None => input.value(KEYS[0]).is_some(),
        };
        let began = Instant::now();
        while is_waiting && task.status() == "running" && began.elapsed() < time {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let retrieval = match (task.status(), is_waiting) {
            ("running", true) => "timeout",
            ("running", false) => "not_ready",
            _ => "success",
        };
        if retrieval == "success" {
            task.mark_told();
        }
        Ok(outcome(&task, retrieval))
    }
}

fn outcome(task: &BackgroundTask, retrieval: &str) -> Outcome {
    let (status, code, output) = (task.status(), task.exit_code(), task.output());
    let kept = object(|kept| {
        kept.string("retrieval_status", retrieval).object("task", |fields| {
            fields.string("task_id", task.id()).string("task_type", task.kind()).string("status", status);
            fields.string("description", task.description()).string("output", &output);
            match task {
                BackgroundTask::Command(_) => match code {
                    Some(code) => fields.number("exitCode", code),
                    None => fields.raw("exitCode", b"null"),
                },
                BackgroundTask::Agent(agent) => {
                    fields.string("prompt", &agent.prompt).string("result", &output)
                }
            };
        });
    });
    let mut parts = vec![
        format!("<retrieval_status>{retrieval}</retrieval_status>"),
        format!("<task_id>{}</task_id>", task.id()),
        format!("<task_type>{}</task_type>", task.kind()),
        format!("<status>{status}</status>"),
    ];
    parts.extend(code.map(|code| format!("<exit_code>{code}</exit_code>")));
    if !output.is_empty() {
        parts.push(format!("<output>\n{}\n</output>", output.trim_end()));
    }
    Outcome::text(parts.join("\n\n"), kept)
}

impl Tool for TaskOutput {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            NAME,
            "Shows the output of a background command, or the answer of a background agent, and its status. Waits until it ends unless `block` is false.",
        )
        .required(KEYS[0], ParamType::Text, "The id that Bash or Agent gave")
        .optional("block", ParamType::Flag, "Wait until it ends; default true")
        .optional("timeout", ParamType::Count, "Wait at most this many milliseconds; default 30000, at most 600000")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        task_id(&Input::of(input), KEYS)?;
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move { self.show(input).await.unwrap_or_else(|error| Outcome::refused(error.0)) })
    }
}
