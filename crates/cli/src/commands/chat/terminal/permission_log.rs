//! Why calls were asked about, allowed or denied: what `/permissions` tells of the last ones, and of any call that is named.

use std::collections::VecDeque;
use std::path::Path;

use annals_agent::protocol::Event;
use annals_agent::tools::ToolRequest;
use annals_agent::turn::CallDecider;
use annals_json::Value;
use annals_policy::screen::visible;
use annals_policy::{Decision, EditTool, ReadTool};
use annals_ui::terminal::{Span, StyledLine};
use annals_ui::view::headline;

use super::terminal_ui::ACCENT;
use super::ui_event::UiEvent;

/// Calls that are kept.
const MAX_CALLS: usize = 8;
/// Characters that are shown of a call.
const MAX_CHARS: usize = 100;

/// What happened to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CallFate {
    /// It ran without a question.
    Unasked,
    /// The person was asked, for this reason.
    Asked(String),
    /// It was denied, for this reason.
    Denied(String),
}

#[derive(Clone, Debug)]
struct LoggedCall {
    id: String,
    tool: String,
    input: Vec<u8>,
    fate: CallFate,
}

/// The last calls of a session, and what was decided about them.
#[derive(Clone, Debug, Default)]
pub(super) struct PermissionLog(VecDeque<LoggedCall>);

impl PermissionLog {
    /// Notes what an event says about a call.
    pub(super) fn add(&mut self, event: &UiEvent) {
        let UiEvent::Agent(event) = event else { return };
        match event.innermost() {
            Event::ToolStarted { call, tool, input } if self.0.iter().all(|known| known.id != *call) => {
                self.push(call, tool, input, CallFate::Unasked);
            }
            Event::PermissionRequested(asked) => {
                self.push(&asked.call, &asked.tool, &asked.input, CallFate::Asked(asked.why.clone()));
            }
            Event::Denied(denial) => match self.0.iter_mut().find(|known| known.id == denial.call) {
                Some(known) => known.fate = CallFate::Denied(denial.why.clone()),
                None => {
                    let why = CallFate::Denied(denial.why.clone());
                    self.push(&denial.call, &denial.tool, &denial.input, why);
                }
            },
            _ => {}
        }
    }

    fn push(&mut self, id: &str, tool: &str, input: &[u8], fate: CallFate) {
        if self.0.len() == MAX_CALLS {
            self.0.pop_front();
        }
        let (id, tool, input) = (id.to_owned(), tool.to_owned(), input.to_vec());
        self.0.push_back(LoggedCall { id, tool, input, fate });
    }

    /// Returns the last calls with the reasons; what ran without a question is explained by the rules of now.
    /// What they ask for is told by `request_of`.
    pub(super) fn lines(
        &self,
        cwd: &str,
        decider: &CallDecider<'_>,
        request_of: &dyn Fn(&str, &[u8]) -> Option<ToolRequest>,
    ) -> Vec<StyledLine> {
        let line = |call: &LoggedCall| {
            let verdict = match &call.fate {
                CallFate::Asked(why) => format!("asked: {why}"),
                CallFate::Denied(why) => format!("denied: {why}"),
                CallFate::Unasked => match request_of(&call.tool, &call.input) {
                    Some(request) => match decider.decide(&request) {
                        Decision::Allow { because } => format!("allowed: {because}"),
                        _ => "allowed by a hook, or by what was in effect then".to_owned(),
                    },
                    None => "allowed".to_owned(),
                },
            };
            let fields = Value::parse(&call.input).ok().and_then(Value::fields);
            let subject = fields.map(|input| headline(&call.tool, &input, Some(cwd))).unwrap_or_default();
            shown(&call.tool, &subject, &verdict)
        };
        self.0.iter().map(line).collect()
    }
}

fn shown(tool: &str, subject: &str, verdict: &str) -> StyledLine {
    let short = |text: &str| visible(&text.chars().take(MAX_CHARS).collect::<String>().replace('\n', " "));
    vec![
        Span::new(format!("{:<10} ", short(tool)), ACCENT),
        Span::plain(format!("{}  ", short(subject))),
        Span::dim(visible(&verdict.replace('\n', " "))),
    ]
}

/// Returns what a call asks for, by its tool and its command, path or address.
fn request(tool: &str, text: String, cwd: &Path) -> Option<ToolRequest> {
    Some(match tool {
        "Bash" => ToolRequest::Bash(text, cwd.to_path_buf()),
        "Read" => ToolRequest::Read(ReadTool::Read, text),
        "Glob" => ToolRequest::Read(ReadTool::Glob, text),
        "Grep" => ToolRequest::Read(ReadTool::Grep, text),
        "Edit" => ToolRequest::Edit(EditTool::Edit, text),
        "Write" => ToolRequest::Edit(EditTool::Write, text),
        "NotebookEdit" => ToolRequest::Edit(EditTool::NotebookEdit, text),
        "WebFetch" => ToolRequest::WebFetch(text),
        "WebSearch" => ToolRequest::WebSearch,
        "Agent" | "Task" => ToolRequest::Agent(text),
        "Skill" => ToolRequest::Skill(text),
        name if name.starts_with("mcp__") => ToolRequest::Mcp(name.to_owned()),
        _ => return None,
    })
}

/// Returns what a call asks for by its input, where the tools themselves are at work.
pub(super) fn request_of_input(tool: &str, input: &[u8], cwd: &Path) -> Option<ToolRequest> {
    let fields = Value::parse(input).ok().and_then(Value::fields)?;
    let key = match tool {
        "Bash" => "command",
        "Read" | "Edit" | "Write" => "file_path",
        "NotebookEdit" => "notebook_path",
        "WebFetch" => "url",
        "Agent" | "Task" => "subagent_type",
        "Skill" => "skill",
        "WebSearch" => "query",
        _ => return None,
    };
    request(tool, fields.text(key)?.to_string(), cwd)
}

/// Explains a call that is described in words: a tool and its command, path or address.
pub(super) fn explain(words: &str, cwd: &Path, decider: &CallDecider<'_>) -> StyledLine {
    let (tool, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let rest = rest.trim();
    let Some(request) = request(tool, rest.to_owned(), cwd) else {
        return shown(tool, rest, "no tool of that name is known; for example: /permissions Bash git push");
    };
    let verdict = match decider.decide(&request) {
        Decision::Allow { because } => format!("would be allowed: {because}"),
        Decision::Ask { because, .. } => format!("would be asked about: {because}"),
        Decision::Deny { because } => format!("would be denied: {because}"),
    };
    shown(tool, rest, &verdict)
}

#[cfg(test)]
mod tests {
    use annals_agent::protocol::{Denial, PermissionRequest};

    use super::*;

    fn event(event: Event) -> UiEvent {
        UiEvent::Agent(Box::new(event))
    }

    #[test]
    fn a_call_is_noted_once_with_what_happened_to_it() {
        let mut log = PermissionLog::default();
        let asked = PermissionRequest {
            id: "q".into(),
            call: "c1".into(),
            tool: "Bash".into(),
            input: b"{}".to_vec(),
            why: "no rule allows it".into(),
            suggestions: Vec::new(),
            path: None,
        };
        log.add(&event(Event::PermissionRequested(asked)));
        log.add(&event(Event::ToolStarted { call: "c1".into(), tool: "Bash".into(), input: Vec::new() }));
        assert_eq!(log.0.len(), 1);
        assert_eq!(log.0[0].fate, CallFate::Asked("no rule allows it".into()));
        let denial = Denial { call: "c1".into(), tool: "Bash".into(), input: Vec::new(), why: "no".into() };
        log.add(&event(Event::Denied(denial)));
        assert_eq!(log.0[0].fate, CallFate::Denied("no".into()));
        for number in 0..20 {
            let call = format!("d{number}");
            log.add(&event(Event::ToolStarted { call, tool: "Read".into(), input: Vec::new() }));
        }
        assert_eq!(log.0.len(), MAX_CALLS);
        assert!(log.0.iter().all(|call| call.fate == CallFate::Unasked));
    }
}
