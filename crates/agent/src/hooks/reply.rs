//! What one handler did: its answer, what it printed, and what went wrong.

use std::time::Duration;

use annals_json::{Value, ValueKind};

use super::answer::HookAnswer;
use super::event::HookEvent;
use crate::api::usage::Usage;

/// The exit code by which a command blocks.
const BLOCKS: i32 = 2;
/// The exit codes of a shell whose program cannot be run, or does not exist.
const NOT_STARTED: [i32; 2] = [126, 127];

/// What kind of handler printed an output: records differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputKind {
    #[default]
    Command,
    Address,
    /// A tool of an MCP server.
    ServerTool,
}

/// What a handler printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutput {
    /// Its output, or the body of its answer.
    pub stdout: String,
    /// Its errors.
    pub stderr: String,
    /// Its exit code, or the status of its answer.
    pub code: i32,
    /// How long it took, if that is recorded.
    pub duration: Option<Duration>,
    /// What kind of handler it was.
    pub kind: OutputKind,
}

impl HookOutput {
    /// Returns whether the exit code blocks.
    pub(crate) fn is_blocking(&self) -> bool {
        self.code == BLOCKS
    }
}

/// What went wrong with a handler that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookFault {
    /// It failed; what the event is about continues.
    NonBlocking(String),
    /// It failed to start: it is never taken for one that agrees.
    NotStarted(String),
}

impl HookFault {
    pub fn why(&self) -> &str {
        match self {
            Self::NonBlocking(why) | Self::NotStarted(why) => why,
        }
    }
}

/// What a handler said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookReply {
    pub answer: HookAnswer,
    /// Plain text that it printed instead of an answer.
    pub text: Option<String>,
    /// What it printed; `None` for a program that drives this one.
    pub output: Option<HookOutput>,
    pub fault: Option<HookFault>,
    /// What models were asked for it: the model and the usage of each response.
    pub usage: Vec<(String, Usage)>,
}

impl From<HookAnswer> for HookReply {
    fn from(answer: HookAnswer) -> Self {
        Self { answer, ..Self::default() }
    }
}

/// What one handler did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerReport {
    /// What records call it: a command, an address, `callback`.
    pub name: String,
    /// Who brought it.
    pub origin: super::HookOrigin,
    /// Its reply, or why there is none.
    pub result: Result<HookReply, super::HookFailure>,
}

impl HookReply {
    /// Creates the reply of a handler that failed to start.
    pub fn not_started(why: String) -> Self {
        Self::not_reached(why, OutputKind::Command)
    }

    /// Creates the reply of a handler of this kind that cannot be reached.
    pub fn not_reached(why: String, kind: OutputKind) -> Self {
        let code = i32::from(kind == OutputKind::ServerTool);
        let output = HookOutput { stderr: why.clone(), code, kind, ..HookOutput::default() };
        Self { output: Some(output), fault: Some(HookFault::NotStarted(why)), ..Self::default() }
    }

    /// Reads what a command printed and how it ended, as the original does: JSON counts with every exit code, 2 blocks, and
    /// every other code but 0 is an error that stops nothing.
    pub fn of_command(event: HookEvent, command: &str, output: HookOutput) -> Self {
        let errors = output.stderr.trim_end();
        let mut reply = Self::of_body(event, &output.stdout);
        let is_answer = reply.text.is_none() && !output.stdout.trim().is_empty();
        if output.is_blocking() && event.can_block() {
            let why = if errors.is_empty() { "no reason given" } else { output.stderr.as_str() };
            let reason = Some(format!("[{command}]: {why}"));
            // An answer cannot take the exit code back.
            reply.answer = HookAnswer { is_block: true, reason, decision: None, ..reply.answer };
            (reply.fault, reply.text) = (None, None);
        } else if output.code != 0 && !is_answer {
            reply.text = None;
            reply.fault = Some(match NOT_STARTED.contains(&output.code) {
                true => HookFault::NotStarted(exit_words(output.code, errors)),
                false => HookFault::NonBlocking(exit_words(output.code, errors)),
            });
        }
        reply.output = Some(output);
        reply
    }

    /// Reads the answer of an address: nothing, or a JSON object.
    pub fn of_response(event: HookEvent, status: u16, body: String) -> Self {
        let mut reply = Self::of_body(event, &body);
        if !(200..300).contains(&status) {
            let fault = Some(HookFault::NonBlocking(format!("it answered with {status}")));
            let output =
                HookOutput { code: i32::from(status), kind: OutputKind::Address, ..HookOutput::default() };
            return Self { fault, output: Some(output), ..Self::default() };
        } else if reply.text.take().is_some() {
            reply.fault = Some(HookFault::NonBlocking("its answer is not a JSON object".to_owned()));
        }
        let (code, kind) = (i32::from(status), OutputKind::Address);
        let output = HookOutput { stdout: body, code, kind, ..HookOutput::default() };
        Self { output: Some(output), ..reply }
    }

    /// Reads the text that a tool of a server answers with. A text that is not an object has no effect, as in the original.
    pub fn of_server_tool(event: HookEvent, text: String, duration: Duration) -> Self {
        let reply = Self::of_body(event, &text);
        let is_answer = reply.text.is_none() && !text.trim().is_empty();
        let duration = Some(duration).filter(|_| !is_answer);
        let output =
            HookOutput { stdout: text, duration, kind: OutputKind::ServerTool, ..HookOutput::default() };
        Self { output: Some(output), text: None, ..reply }
    }

    /// Reads what begins like an object as JSON; what cannot be read as JSON is text.
    fn of_body(event: HookEvent, body: &str) -> Self {
        let said = body.trim();
        if said.is_empty() {
            return Self::default();
        }
        let is_object = Value::parse(said.as_bytes()).is_ok_and(|value| value.kind() == ValueKind::Object);
        if !is_object {
            return Self { text: Some(said.to_owned()), ..Self::default() };
        }
        match HookAnswer::parse(event, said.as_bytes()) {
            Ok(answer) => answer.into(),
            Err(why) => Self { fault: Some(HookFault::NonBlocking(why)), ..Self::default() },
        }
    }
}

fn exit_words(code: i32, errors: &str) -> String {
    match errors.lines().next() {
        Some(first) if !first.trim().is_empty() => format!("exit code {code}: {first}"),
        _ => format!("exit code {code}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::HookDecision;

    fn ended(code: i32, stdout: &str, stderr: &str) -> HookReply {
        let output =
            HookOutput { stdout: stdout.into(), stderr: stderr.into(), code, ..HookOutput::default() };
        HookReply::of_command(HookEvent::PreToolUse, "guard", output)
    }

    const ALLOW: &str = r#" {"hookSpecificOutput":{"permissionDecision":"allow","additionalContext":"c"}}"#;
    const DENY: &str = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;

    #[test]
    fn exit_codes_mean_what_they_mean_in_the_original() {
        let silent = ended(0, "", "");
        assert!(silent.text.is_none() && silent.fault.is_none() && silent.answer == HookAnswer::default());
        for text in ["hello\n", "[1]", "{broken", "7"] {
            assert_eq!(ended(0, text, "").text.as_deref(), Some(text.trim()), "{text}");
        }
        let denied = ended(1, DENY, "x");
        assert!(
            denied.fault.is_none() && denied.answer.decision == Some(HookDecision::Deny),
            "the code does not count"
        );
        let blocked = ended(2, ALLOW, "NO\n");
        assert!(blocked.answer.is_block && blocked.answer.decision.is_none());
        assert_eq!(blocked.answer.reason.as_deref(), Some("[guard]: NO\n"));
        assert_eq!(blocked.answer.context.as_deref(), Some("c"), "the rest of the answer counts");
        assert_eq!(ended(1, "text", "a\nb").fault, Some(HookFault::NonBlocking("exit code 1: a".into())));
        for code in NOT_STARTED {
            assert!(matches!(ended(code, "", "sh: nothing").fault, Some(HookFault::NotStarted(_))), "{code}");
        }
        let wrong = ended(0, r#"{"decision":"maybe"}"#, "");
        assert!(matches!(wrong.fault, Some(HookFault::NonBlocking(_))) && !wrong.answer.is_block);
    }

    #[test]
    fn an_event_that_cannot_be_blocked_is_not() {
        let output = HookOutput { code: 2, stderr: "NO".into(), ..HookOutput::default() };
        let reply = HookReply::of_command(HookEvent::SessionStart, "x", output);
        assert!(!reply.answer.is_block && matches!(reply.fault, Some(HookFault::NonBlocking(_))));
    }

    #[test]
    fn a_tool_answers_with_an_object_or_with_what_has_no_effect() {
        let of = |text: &str| HookReply::of_server_tool(HookEvent::PreToolUse, text.into(), Duration::ZERO);
        assert_eq!(of(DENY).answer.decision, Some(HookDecision::Deny));
        let plain = of("fine");
        assert!(plain.fault.is_none() && plain.text.is_none() && plain.answer == HookAnswer::default());
        assert!(matches!(of(r#"{"decision":"maybe"}"#).fault, Some(HookFault::NonBlocking(_))));
    }

    #[test]
    fn an_address_answers_with_nothing_or_an_object() {
        let of = |status, body: &str| HookReply::of_response(HookEvent::PreToolUse, status, body.into());
        assert!(of(204, "").fault.is_none());
        assert_eq!(of(200, DENY).answer.decision, Some(HookDecision::Deny));
        for (status, body) in [(200, "fine"), (500, DENY), (302, "")] {
            let reply = of(status, body);
            assert!(
                matches!(reply.fault, Some(HookFault::NonBlocking(_))) && reply.answer.decision.is_none()
            );
        }
    }
}
