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
    /// It ran without a question, for this reason.
    Unasked(String),
    /// The person was asked, for this reason, and answered.
    Asked {
        why: String,
        /// Empty until then.
        answer: String,
    },
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
            Event::ToolStarted { call, tool, input, because } => {
                let is_known = self.0.iter().any(|known| known.id == *call);
                if let Some(answer) = self.asked(call) {
                    answer.clone_from(because);
                } else if !is_known {
                    self.push(call, tool, input, CallFate::Unasked(because.clone()));
                }
            }
            Event::PermissionRequested(asked) => {
                let fate = CallFate::Asked { why: asked.why.clone(), answer: String::new() };
                self.push(&asked.call, &asked.tool, &asked.input, fate);
            }
            Event::Denied(denial) => match self.asked(&denial.call) {
                Some(answer) => *answer = format!("it was denied: {}", denial.why),
                None => {
                    let why = CallFate::Denied(denial.why.clone());
                    self.push(&denial.call, &denial.tool, &denial.input, why);
                }
            },
            _ => {}
        }
    }

    /// The answer of a call that was asked about.
    fn asked(&mut self, call: &str) -> Option<&mut String> {
        self.0.iter_mut().rev().filter(|known| known.id == call).find_map(|known| match &mut known.fate {
            CallFate::Asked { answer, .. } => Some(answer),
            _ => None,
        })
    }

    fn push(&mut self, id: &str, tool: &str, input: &[u8], fate: CallFate) {
        if self.0.len() == MAX_CALLS {
            self.0.pop_front();
        }
        let (id, tool, input) = (id.to_owned(), tool.to_owned(), input.to_vec());
        self.0.push_back(LoggedCall { id, tool, input, fate });
    }

    /// Returns the last calls with the reasons of then.
    pub(super) fn lines(&self, cwd: &str) -> Vec<StyledLine> {
        let line = |call: &LoggedCall| {
            let verdict = match &call.fate {
                CallFate::Asked { why, answer } if answer.is_empty() => format!("asked: {why}"),
                CallFate::Asked { why, answer } => format!("asked: {why}; {answer}"),
                CallFate::Denied(why) => format!("denied: {why}"),
                CallFate::Unasked(because) => format!("allowed: {because}"),
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

    fn started(call: &str, because: &str) -> UiEvent {
        let (call, tool, because) = (call.to_owned(), "Bash".to_owned(), because.to_owned());
        event(Event::ToolStarted { call, tool, input: b"{}".to_vec(), because })
    }

    fn asked(call: &str) -> UiEvent {
        event(Event::PermissionRequested(PermissionRequest {
            id: "q".into(),
            call: call.into(),
            tool: "Bash".into(),
            input: b"{}".to_vec(),
            why: "no rule allows it".into(),
            suggestions: Vec::new(),
            path: None,
            agent: None,
        }))
    }

    fn text(log: &PermissionLog) -> String {
        let line = |line: StyledLine| line.into_iter().map(|span| span.text).collect::<String>();
        log.lines("/w").into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_call_is_noted_once_with_what_happened_to_it() {
        let mut log = PermissionLog::default();
        log.add(&asked("c1"));
        log.add(&started("c1", "you answered: yes, always: Bash(ls)"));
        assert_eq!(log.0.len(), 1);
        assert!(text(&log).ends_with("asked: no rule allows it; you answered: yes, always: Bash(ls)"));
        log.add(&asked("c2"));
        let why = "not now".to_owned();
        log.add(&event(Event::Denied(Denial {
            call: "c2".into(),
            tool: "Bash".into(),
            input: Vec::new(),
            why,
        })));
        assert!(text(&log).ends_with("asked: no rule allows it; it was denied: not now"), "{}", text(&log));
        // The reason is that of then, whatever the mode is afterwards.
        log.add(&started("c3", "the mode is acceptEdits"));
        assert!(text(&log).ends_with("allowed: the mode is acceptEdits"), "{}", text(&log));
        for number in 0..20 {
            log.add(&started(&format!("d{number}"), "it only reads"));
        }
        assert_eq!(log.0.len(), MAX_CALLS);
    }
}
