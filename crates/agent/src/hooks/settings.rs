//! The handlers that settings name: `hooks` of a settings file. What is not understood is kept as a handler that fails to
//! start: it may be a guard.

use std::time::Duration;

use annals_json::{Value, ValueKind};
use annals_policy::rules::{Rule, RuleList, SettingsSource};

use super::event::HookEvent;
use super::matcher::HookMatcher;

/// How long a handler may take if it does not say.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
/// The same for those that a prompt waits for, and for those that a model answers.
const SHORT_TIMEOUT: Duration = Duration::from_secs(30);
/// The same for those that a text on the screen waits for.
const DISPLAY_TIMEOUT: Duration = Duration::from_secs(10);
/// The same at the end of a session.
const END_TIMEOUT: Duration = Duration::from_millis(1500);
/// The longest time, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// Whether to wait for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandMode {
    /// It is, unless it says first that it continues in the background.
    Wait,
    /// It is not; what it says is told later.
    Background,
}

/// How a handler is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandlerConfig {
    /// A command of a shell, or a program with its arguments.
    Command {
        /// The command, or the program.
        command: String,
        /// The arguments; `None` for a command of a shell.
        arguments: Option<Vec<String>>,
        shell: &'static str,
        /// Whether to wait for it.
        mode: CommandMode,
    },
    /// An address that the input is posted to.
    Http {
        url: String,
        /// More headers.
        headers: Vec<(String, String)>,
        /// Variables that headers may contain.
        variables: Vec<String>,
    },
    /// A question to a model.
    Prompt {
        /// The question; `$ARGUMENTS` is the input.
        prompt: String,
        model: Option<String>,
    },
    /// A tool of an MCP server.
    McpTool {
        server: String,
        /// The tool, as the server calls it.
        tool: String,
        /// Its input, a JSON object; `${tool_input.command}` in a text is that value of what happened.
        input: Vec<u8>,
    },
    /// A handler that cannot be run, and why.
    Unsupported(String),
}

/// A handler of settings.
#[derive(Clone, Debug)]
pub struct HookDefinition {
    pub event: HookEvent,
    /// Which values of the event.
    pub matcher: HookMatcher,
    /// Which calls.
    pub condition: Option<Rule>,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether it runs only once: for those of commands and skills.
    pub is_once: bool,
    /// How it is reached.
    pub config: HandlerConfig,
}

/// The handlers of all settings files.
#[derive(Clone, Debug, Default)]
pub struct HookDefinitions {
    /// The handlers, in their order.
    pub list: Vec<HookDefinition>,
    /// What cannot work, one line each.
    pub problems: Vec<String>,
}

impl HookDefinitions {
    /// Adds the value of `hooks` in a settings file, which problems name.
    pub fn add(&mut self, hooks: Value<'_>, source: SettingsSource, file: &str) {
        let Some(events) = hooks.fields() else {
            self.problems.push(format!("{file}: `hooks` is not an object"));
            return;
        };
        for field in events.iter() {
            let name = field.key.to_string();
            let Some(event) = HookEvent::of_name(&name) else {
                self.problems.push(format!("{file}: hooks for {name} are never called here"));
                continue;
            };
            let is_list = field.value.kind() == ValueKind::Array;
            if !is_list && !field.value.is_null() {
                self.unusable(event, HookMatcher::All, format!("{file}: `hooks.{name}` is not a list"));
            }
            for group in field.value.items().filter(|_| is_list) {
                self.group(event, group, source, file);
            }
        }
    }

    fn group(&mut self, event: HookEvent, group: Value<'_>, source: SettingsSource, file: &str) {
        let name = event.name();
        let mut matcher = HookMatcher::new(text(group, "matcher").as_deref());
        let mut broken = None;
        if let HookMatcher::Invalid(why) = &matcher {
            // A guard that is never asked would let everything pass.
            let problem = format!("{file}: the matcher of a {name} hook cannot be read: {}", why.trim());
            self.problems.push(problem.clone());
            if event.is_guard() {
                (matcher, broken) = (HookMatcher::All, Some(problem));
            }
        }
        let handlers = group.get("hooks").filter(|hooks| hooks.kind() == ValueKind::Array);
        let Some(handlers) = handlers else {
            return self.unusable(
                event,
                matcher,
                format!("{file}: a group of {name} hooks has no `hooks` list"),
            );
        };
        for handler in handlers.items() {
            let config = match &broken {
                Some(why) => HandlerConfig::Unsupported(why.clone()),
                None => config(handler),
            };
            let is_early = matches!(config, HandlerConfig::Http { .. } | HandlerConfig::Prompt { .. });
            let is_unsupported = matches!(config, HandlerConfig::Unsupported(_));
            if event == HookEvent::SessionStart && (is_early || is_unsupported) {
                let kind = text(handler, "type").unwrap_or_default();
                self.problems.push(format!("{file}: {kind:?} hooks are not called for {name}"));
                continue;
            }
            let rule = text(handler, "if").map(|rule| Rule::new(&rule, RuleList::Deny, source));
            if let Some(why) = rule.as_ref().and_then(Rule::unknown) {
                self.problems.push(format!("{file}: the condition of a {name} hook cannot be read: {why}"));
            }
            if rule.is_some() && !event.is_of_tool() {
                self.problems.push(format!("{file}: a {name} hook with a condition is never called"));
            }
            if let HandlerConfig::Unsupported(why) = &config {
                self.problems.push(format!("{file}: a {name} hook cannot be run: {why}"));
            }
            // A condition that cannot be read holds always: the handler may be a guard.
            let condition = rule.filter(|rule| rule.unknown().is_none());
            let timeout = timeout(event, handler, &config);
            let is_once = handler.get("once").and_then(Value::boolean) == Some(true);
            let matcher = matcher.clone();
            self.list.push(HookDefinition { event, matcher, condition, timeout, is_once, config });
        }
    }

    fn unusable(&mut self, event: HookEvent, matcher: HookMatcher, why: String) {
        self.problems.push(why.clone());
        let (config, timeout) = (HandlerConfig::Unsupported(why), DEFAULT_TIMEOUT);
        self.list.push(HookDefinition { event, matcher, condition: None, timeout, is_once: false, config });
    }
}

fn config(handler: Value<'_>) -> HandlerConfig {
    let missing = |key: &str| HandlerConfig::Unsupported(format!("it has no `{key}`"));
    match text(handler, "type").as_deref() {
        Some("command") => {
            let Some(command) = text(handler, "command") else { return missing("command") };
            let listed = handler.get("args").filter(|list| list.kind() == ValueKind::Array);
            let shell = match text(handler, "shell").as_deref() {
                None => "/bin/sh",
                Some("bash") => "bash",
                Some(other) => {
                    return HandlerConfig::Unsupported(format!("the shell {other:?} is not supported"));
                }
            };
            let is_background = ["async", "asyncRewake"]
                .iter()
                .any(|key| handler.get(key).and_then(Value::boolean) == Some(true));
            let mode = if is_background { CommandMode::Background } else { CommandMode::Wait };
            HandlerConfig::Command { command, arguments: listed.map(texts), shell, mode }
        }
        Some("http") => {
            let Some(url) = text(handler, "url") else { return missing("url") };
            let fields = handler.get("headers").and_then(Value::fields);
            let headers = fields.iter().flat_map(|fields| {
                let pair = |field: annals_json::Field<'_>| {
                    Some((field.key.to_string(), field.value.text()?.to_string()))
                };
                fields.iter().filter_map(pair).collect::<Vec<_>>()
            });
            let variables = handler.get("allowedEnvVars").map(texts).unwrap_or_default();
            HandlerConfig::Http { url, headers: headers.collect(), variables }
        }
        Some("mcp_tool") => match (text(handler, "server"), text(handler, "tool")) {
            (Some(server), Some(tool)) => {
                let input = handler.get("input").filter(|input| input.kind() == ValueKind::Object);
                let input = input.map_or_else(|| b"{}".to_vec(), |input| input.raw().to_vec());
                HandlerConfig::McpTool { server, tool, input }
            }
            (None, _) => missing("server"),
            (_, None) => missing("tool"),
        },
        Some("prompt") => match text(handler, "prompt") {
            Some(prompt) => HandlerConfig::Prompt { prompt, model: text(handler, "model") },
            None => missing("prompt"),
        },
        Some(other) => HandlerConfig::Unsupported(format!("handlers of type {other:?} are not supported")),
        None => missing("type"),
    }
}

fn timeout(event: HookEvent, handler: Value<'_>, config: &HandlerConfig) -> Duration {
    let seconds = handler.get("timeout").and_then(Value::number).filter(|seconds| *seconds > 0.0);
    if let Some(seconds) = seconds {
        let time = Duration::from_secs_f64(seconds.min(MAX_SECONDS));
        return if event == HookEvent::SessionEnd { time.max(END_TIMEOUT) } else { time };
    }
    match (event, config) {
        (HookEvent::SessionEnd, _) => END_TIMEOUT,
        (HookEvent::MessageDisplay, _) => DISPLAY_TIMEOUT,
        (HookEvent::UserPromptSubmit, _) | (_, HandlerConfig::Prompt { .. }) => SHORT_TIMEOUT,
        _ => DEFAULT_TIMEOUT,
    }
}

fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.get(key)?.text().map(|text| text.to_string())
}

fn texts(list: Value<'_>) -> Vec<String> {
    list.items().filter_map(|item| item.text().map(|text| text.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> HookDefinitions {
        let mut read = HookDefinitions::default();
        read.add(Value::parse(json.as_bytes()).unwrap(), SettingsSource::User, "settings.json");
        read
    }

    #[test]
    fn handlers_are_read_with_their_times() {
        let read = read(
            r#"{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a","timeout":5,"if":"Bash(git *)"},
                {"type":"http","url":"http://127.0.0.1/","headers":{"X":"$T"},"allowedEnvVars":["T"]}]}],
                "UserPromptSubmit":[{"hooks":[{"type":"command","command":"b","args":["x"],"async":true}]}],
                "SessionEnd":[{"hooks":[{"type":"command","command":"c"},{"type":"command","command":"d","timeout":9}]}]}"#,
        );
        assert!(read.problems.is_empty(), "{:?}", read.problems);
        let seconds: Vec<f64> = read.list.iter().map(|hook| hook.timeout.as_secs_f64()).collect();
        assert_eq!(seconds, [5.0, 600.0, 30.0, 1.5, 9.0]);
        assert_eq!(read.list[0].condition.as_ref().map(|rule| rule.text.as_str()), Some("Bash(git *)"));
        let (headers, variables) = (vec![("X".into(), "$T".into())], vec!["T".into()]);
        assert_eq!(
            read.list[1].config,
            HandlerConfig::Http { url: "http://127.0.0.1/".into(), headers, variables }
        );
        assert_eq!(
            read.list[2].config,
            HandlerConfig::Command {
                command: "b".into(),
                arguments: Some(vec!["x".into()]),
                shell: "/bin/sh",
                mode: CommandMode::Background
            }
        );
    }

    #[test]
    fn what_is_not_understood_is_said_and_stays_a_guard() {
        for (json, is_kept) in [
            (r#"{"PreToolUse":7}"#, true),
            (r#"{"PreToolUse":[7]}"#, true),
            (r#"{"PreToolUse":[{"hooks":[{"type":"agent","prompt":"x"}]}]}"#, true),
            (r#"{"PreToolUse":[{"hooks":[{"type":"command"}]}]}"#, true),
            (r#"{"PreToolUse":[{"matcher":"^(?!Read)","hooks":[{"type":"command","command":"x"}]}]}"#, true),
            (r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"x","if":"Bash(("}]}]}"#, true),
            (r#"{"WorktreeCreate":[{"hooks":[{"type":"command","command":"x"}]}]}"#, false),
            (r#"{"SessionStart":[{"hooks":[{"type":"http","url":"http://x/"}]}]}"#, false),
            ("7", false),
        ] {
            let read = read(json);
            assert!(!read.problems.is_empty() && read.list.len() == usize::from(is_kept), "{json}: {read:?}");
            assert!(
                read.list.iter().all(|hook| hook.matcher.matches("Bash") && hook.condition.is_none()),
                "{json}"
            );
        }
    }
}
