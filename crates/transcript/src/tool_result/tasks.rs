//! Results of todo, plan, question and background task tools.

use crate::view::views;
use annals_json::{Fields, Items, Text, Value};

views! {
    /// A todo list that was written.
    TodoWriteResult {
        /// The list before.
        old_todos: Items<'a> = "oldTodos";
        /// The list after.
        new_todos: Items<'a> = "newTodos";
        /// Whether the model was to be reminded to verify its work.
        verification_nudge_needed: bool = "verificationNudgeNeeded";
    }

    /// A task: created, or read.
    TaskResult {
        task: Fields<'a> = "task";
    }

    /// Tasks.
    TaskListResult {
        /// The list.
        tasks: Items<'a> = "tasks";
    }

    /// A task that changed.
    TaskUpdateResult {
        task: Text<'a> = "taskId";
        /// Whether it worked.
        success: bool = "success";
        /// What changed.
        updated_fields: Items<'a> = "updatedFields";
        /// From which status to which.
        status_change: Fields<'a> = "statusChange";
        /// Whether to remind of checking the work.
        verification_nudge_needed: bool = "verificationNudgeNeeded";
    }

    /// A background task that was read.
    TaskOutputResult {
        /// Whether it could be read.
        retrieval_status: Text<'a> = "retrieval_status";
        task: Fields<'a> = "task";
    }

    /// A background task that was ended.
    TaskStopResult {
        task: Text<'a> = "task_id";
        /// Its kind.
        task_type: Text<'a> = "task_type";
        /// What happened.
        message: Text<'a> = "message";
        command: Text<'a> = "command";
    }

    /// A background task that is watched.
    MonitorResult {
        task: Text<'a> = "taskId";
        /// The limit.
        timeout_ms: u64 = "timeoutMs";
        /// Whether it outlives the turn.
        persistent: bool = "persistent";
    }

    /// Questions to the person.
    AskUserQuestionResult {
        questions: Items<'a> = "questions";
        /// The answers, by question.
        answers: Fields<'a> = "answers";
        /// Notes on the answers.
        annotations: Value<'a> = "annotations";
    }

    /// A plan that is ready.
    ExitPlanModeResult {
        plan: Text<'a> = "plan";
        /// Its file.
        path: Text<'a> = "filePath";
        /// Whether a sub-agent planned.
        is_agent: bool = "isAgent";
    }

    /// What a review found.
    FindingsResult {
        /// How many.
        count: u64 = "count";
        /// What.
        findings: Value<'a> = "findings";
        /// How thorough.
        level: Text<'a> = "level";
    }

    /// A time to wake up.
    ScheduleWakeupResult {
        /// When.
        scheduled_for: Value<'a> = "scheduledFor";
        /// The delay after limits.
        clamped_delay_seconds: f64 = "clampedDelaySeconds";
        /// Whether a limit applied.
        was_clamped: bool = "wasClamped";
        /// Whether waking up was stopped.
        stopped: Value<'a> = "stopped";
        /// Times that no longer hold.
        cancelled_wakeups: Value<'a> = "cancelledWakeups";
    }

    /// A sentence in an object.
    MessageResult {
        /// What happened.
        message: Text<'a> = "message";
        /// Whether it worked.
        success: bool = "success";
    }
}
