//! Permission requests, answered by the program: `can_use_tool`.

use annals_agent::protocol::{Command, PermissionRequest, Permit, PermitChanges};
use annals_json::{ObjectWriter, Value};
use annals_policy::Mode;
use annals_store::source::new_uuid;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use super::channel::{ChannelError, ControlChannel};
use super::incoming::text;
use crate::source::SystemSource;

/// The questions that wait for the program.
#[derive(Debug)]
pub(in super::super) struct Questions {
    channel: ControlChannel,
    commands: UnboundedSender<Command>,
    open: Vec<OpenQuestion>,
}

#[derive(Debug)]
struct OpenQuestion {
    id: String,
    /// The request to the program.
    request: String,
    task: JoinHandle<()>,
}

impl Questions {
    pub(in super::super) fn new(channel: ControlChannel, commands: UnboundedSender<Command>) -> Self {
        Self { channel, commands, open: Vec::new() }
    }

    /// Asks the program about a call, for the conversation or one of its sub-agents.
    pub(in super::super) fn ask(&mut self, question: &PermissionRequest, agent: Option<&str>) {
        self.open.retain(|open| !open.task.is_finished());
        let (channel, commands) = (self.channel.clone(), self.commands.clone());
        let (question, agent) = (question.clone(), agent.map(str::to_owned));
        let (id, request) = (question.id.clone(), new_uuid(&SystemSource));
        let asked = request.clone();
        let task = tokio::spawn(async move {
            let fill = |request: &mut ObjectWriter<'_>| write(request, &question, agent.as_deref());
            let answer = channel.request_as(asked, "can_use_tool", fill).await;
            let permit = match answer {
                Ok(answer) => permit(&answer),
                Err(ChannelError::Remote(error)) => Permit::Fail(error),
                Err(ChannelError::Closed(why)) => Permit::Deny(Some(format!("cannot ask: {why}"))),
            };
            // If the conversation is over, nobody waits.
            let _ = commands.send(Command::Permit { question: question.id, permit });
        });
        self.open.push(OpenQuestion { id, request, task });
    }

    /// Takes a question back. The program hears of it at once, before the result of the turn.
    pub(in super::super) fn withdraw(&mut self, id: &str) {
        for open in self.open.extract_if(.., |open| open.id == id) {
            self.channel.cancel(&open.request);
            open.task.abort();
        }
    }
}

fn write(request: &mut ObjectWriter<'_>, question: &PermissionRequest, agent: Option<&str>) {
    let tool = if question.tool == "Agent" { "Task" } else { &question.tool };
    request.string("tool_name", tool).string("display_name", tool).raw("input", &question.input);
    let input = Value::parse(&question.input).ok();
    request.string_if("description", input.and_then(|input| text(input, "description")).as_deref());
    request.string("decision_reason", &question.why);
    let is_for_person = matches!(tool, "AskUserQuestion" | "ExitPlanMode");
    if is_for_person {
        request.boolean("requires_user_interaction", true);
    }
    request.array("permission_suggestions", |list| {
        if matches!(tool, "Write" | "Edit" | "NotebookEdit") {
            list.object(|entry| {
                entry.string("type", "setMode").string("mode", Mode::AcceptEdits.name());
                entry.string("destination", "session");
            });
        }
        for rule in &question.suggestions {
            list.object(|entry| {
                let (tool, content) = rule.split_once('(').unwrap_or((rule, ""));
                entry.string("type", "addRules").array("rules", |list| {
                    list.object(|entry| {
                        entry.string("toolName", tool).string_if("ruleContent", content.strip_suffix(')'));
                    });
                });
                entry.string("behavior", "allow").string("destination", "session");
            });
        }
    });
    let path = question.path.as_ref().map(|path| path.display().to_string());
    request.string_if("blocked_path", path.as_deref()).string("tool_use_id", &question.call);
    request.string_if("agent_id", agent);
}

/// Reads the answer. What is not understood allows nothing.
fn permit(answer: &[u8]) -> Permit {
    let unclear = || Permit::Fail("the answer to the permission request cannot be read".to_owned());
    let Ok(answer) = Value::parse(answer) else { return unclear() };
    match text(answer, "behavior").as_deref() {
        Some("allow") => {
            let input = answer.get("updatedInput").filter(|input| !input.is_null());
            let mut changes =
                PermitChanges { input: input.map(|input| input.raw().to_vec()), ..PermitChanges::default() };
            let updates = answer.get("updatedPermissions").into_iter().flat_map(Value::items);
            updates.for_each(|update| changes.add_update(update));
            Permit::AllowChanged(changes)
        }
        Some("deny") => Permit::Reject {
            message: text(answer, "message").unwrap_or_else(|| "the program declined".to_owned()),
            should_interrupt: answer.get("interrupt").and_then(Value::boolean) == Some(true),
        },
        _ => unclear(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_policy::rules::RuleList;

    #[test]
    fn answers_are_read() {
        let allowed = permit(
            br#"{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[
            {"type":"addRules","behavior":"allow","rules":[{"toolName":"Bash","ruleContent":"ls:*"},{"toolName":"Read"}]},
            {"type":"setMode","mode":"acceptEdits"},{"type":"setMode","mode":"bypassPermissions"}]}"#,
        );
        let rules = vec![(RuleList::Allow, "Bash(ls:*)".to_owned()), (RuleList::Allow, "Read".to_owned())];
        let input = Some(br#"{"a":1}"#.to_vec());
        assert_eq!(
            allowed,
            Permit::AllowChanged(PermitChanges { input, rules, mode: Some(Mode::AcceptEdits) })
        );
        let denied = permit(br#"{"behavior":"deny","message":"no","interrupt":true}"#);
        assert_eq!(denied, Permit::Reject { message: "no".into(), should_interrupt: true });
        for unclear in ["", "{}", r#"{"behavior":"maybe"}"#, "7"] {
            assert!(matches!(permit(unclear.as_bytes()), Permit::Fail(_)), "{unclear}");
        }
    }
}
