//! The output of `/hooks`, `/agents`, `/memory`, `/config` and `/tasks`: what a conversation was set up with. File names and
//! texts of settings are untrusted: everything hidden in them is shown.

use annals_agent::context::{Memory, MemoryFile, MemoryKind};
use annals_agent::hooks::{HandlerConfig, HookDefinition, HookDefinitions, HookMatcher};
use annals_agent::subagent::{AgentDefinition, Toolset};
use annals_agent::tools::bash::BackgroundStatus;
use annals_policy::screen::visible;
use annals_policy::settings::SettingsHooks;
use annals_ui::terminal::{Span, Style, StyledLine};

use super::super::setup::Setup;
use super::terminal_ui::ACCENT;
use crate::configuration::ConfigValue;
use crate::context::Context;
use crate::words;

/// Characters that are shown of a command or a description.
const MAX_CHARS: usize = 200;
/// Lines of output that are shown of a command in the background.
const MAX_OUTPUT_LINES: usize = 8;

fn short(text: &str) -> String {
    visible(&text.chars().take(MAX_CHARS).collect::<String>().replace(['\n', '\t'], " "))
}

fn plain(text: &str) -> Vec<StyledLine> {
    vec![vec![Span::plain(text)]]
}

/// Returns the hooks by settings file, then those of others by whose they are.
pub(super) fn hooks<'h>(
    all: &[SettingsHooks],
    others: impl Iterator<Item = (String, &'h [HookDefinition])>,
) -> Vec<StyledLine> {
    let mut lines: Vec<StyledLine> = Vec::new();
    for of_file in all {
        let mut read = HookDefinitions::default();
        let path = of_file.path.display().to_string();
        read.add(of_file.json.value(), of_file.source, &path);
        lines.push(vec![
            Span::new(of_file.source.to_string(), Style::BOLD),
            Span::dim(format!("  {}", visible(&path))),
        ]);
        lines.extend(read.list.iter().map(hook));
        lines.extend(read.problems.iter().map(|problem| vec![Span::plain(format!("  {}", short(problem)))]));
    }
    for (owner, list) in others {
        lines.push(vec![Span::new(short(&owner), Style::BOLD)]);
        lines.extend(list.iter().map(hook));
    }
    if lines.is_empty() {
        return plain("no hooks in settings, front matter and plugins");
    }
    lines
}

fn hook(definition: &HookDefinition) -> StyledLine {
    let matcher = match &definition.matcher {
        HookMatcher::All => String::new(),
        HookMatcher::Names(names) => format!(" {}", names.join("|")),
        HookMatcher::Expression(_) => " (by regular expression)".to_owned(),
        HookMatcher::Invalid(why) => format!(" (matches nothing: {why})"),
    };
    let handler = match &definition.config {
        HandlerConfig::Command { command, arguments, .. } => {
            let words = std::iter::once(command).chain(arguments.iter().flatten());
            words.map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        HandlerConfig::Http { url, .. } => url.clone(),
        HandlerConfig::Prompt { prompt, .. } => format!("asks a model: {prompt}"),
        HandlerConfig::McpTool { server, tool, .. } => format!("calls {tool} of the MCP server {server}"),
        HandlerConfig::Unsupported(why) => format!("cannot run: {why}"),
    };
    vec![
        Span::new(format!("  {:<18}", definition.event.name()), ACCENT),
        Span::dim(format!("{} ", short(&matcher))),
        Span::plain(short(&handler)),
    ]
}

/// Returns the types of sub-agents.
pub(super) fn agents(kinds: &[AgentDefinition]) -> Vec<StyledLine> {
    let line = |kind: &AgentDefinition| {
        let tools = match &kind.tools {
            Toolset::All => "all tools".to_owned(),
            Toolset::These(names) => names.join(", "),
        };
        let model = kind.model.as_deref().unwrap_or("the model of the conversation");
        vec![
            Span::new(format!("{:<18} ", short(&kind.name)), ACCENT),
            Span::plain(format!("{} ", short(&kind.about))),
            Span::dim(format!("({}; {})", short(&tools), short(model))),
        ]
    };
    kinds.iter().map(line).collect()
}

/// Returns a line about a memory file.
pub(super) fn memory_file(file: &MemoryFile) -> StyledLine {
    let kind = match file.kind {
        MemoryKind::User => "user",
        MemoryKind::Project => "project",
        MemoryKind::Local => "local",
    };
    let import = file.parent.as_deref().map_or_else(String::new, |parent| {
        let name = parent.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!(", imported by {}", visible(&name))
    });
    vec![
        Span::new(visible(&file.path.display().to_string()), ACCENT),
        Span::dim(format!("  {kind}, {}{import}", words::bytes(file.text.len() as u64))),
    ]
}

/// Returns the memory files, and what was not read.
pub(super) fn memory(memory: &Memory) -> Vec<StyledLine> {
    let mut lines: Vec<StyledLine> = memory.files().iter().map(memory_file).collect();
    lines.extend(memory.skipped().iter().map(|skipped| vec![Span::plain(short(&skipped.to_string()))]));
    if lines.is_empty() {
        return plain("no memory files; /init writes CLAUDE.md");
    }
    lines
}

/// Returns the settings in effect, each with where it comes from, and those without effect.
pub(super) fn config(setup: &Setup, context: &Context) -> Vec<StyledLine> {
    let effective = &setup.effective;
    let line = |name: &str, value: &str, source: &str| {
        let source = if source.is_empty() { String::new() } else { format!("  {}", short(source)) };
        vec![Span::new(format!("{name:<14} "), Style::DIM), Span::plain(short(value)), Span::dim(source)]
    };
    let file = context.config_file.as_deref();
    let mut lines = vec![match file {
        Some(path) if path.is_file() => line("configuration", &path.display().to_string(), ""),
        Some(path) => line("configuration", &format!("none ({})", path.display()), ""),
        None => line("configuration", "none", ""),
    }];
    for (key, value) in context.config.iter() {
        let value = match value {
            ConfigValue::Text(text) => text.clone(),
            ConfigValue::List(list) => list.join(", "),
            ConfigValue::Table(table) => words::plural(table.len() as u64, "entry", "entries"),
        };
        lines.push(line(key.name(), &value, "the configuration file"));
    }
    for path in &setup.settings_files {
        lines.push(line("settings", &path.display().to_string(), ""));
    }
    let (mode, source) = match &effective.mode {
        Some((mode, source)) => (mode.name(), source.to_string()),
        None => ("default", String::new()),
    };
    lines.push(line("initial mode", mode, &source));
    lines.extend(effective.model.as_deref().map(|model| line("model", model, "settings")));
    lines
        .extend(effective.folders.iter().map(|(folder, source)| line("folder", folder, &source.to_string())));
    // Values may be secrets.
    lines.extend(effective.environment.keys().map(|name| line("variable", name, "settings")));
    let sandbox = match &setup.sandbox {
        Some(sandbox) => sandbox.method().to_string(),
        None => "none".to_owned(),
    };
    lines.push(line("sandbox", &sandbox, ""));
    lines.extend(setup.unsupported.iter().map(|setting| vec![Span::plain(short(&setting.to_string()))]));
    lines.push(vec![Span::dim("annals config set KEY VALUE changes the configuration file")]);
    lines
}

/// Returns the commands and sub-agents in the background, with the end of their output.
pub(super) fn tasks(tasks: &[BackgroundStatus]) -> Vec<StyledLine> {
    if tasks.is_empty() {
        return plain("nothing runs in the background");
    }
    let mut lines: Vec<StyledLine> = Vec::new();
    for task in tasks {
        lines.push(vec![
            Span::new(format!("{:<8} ", task.id), ACCENT),
            Span::new(format!("{:<10}", task.status), Style::BOLD),
            Span::plain(short(&task.command)),
            Span::dim(format!("  {}", super::tasks::facts(task))),
        ]);
        let printed: Vec<&str> = task.output.trim_end().lines().collect();
        let first = printed.len().saturating_sub(MAX_OUTPUT_LINES);
        lines.extend(printed[first..].iter().map(|line| vec![Span::dim(format!("  └ {}", short(line)))]));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[StyledLine]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn commands_in_the_background_show_the_end_of_their_output() {
        let output = (1..=20).map(|line| format!("line {line}\n")).collect();
        let task = BackgroundStatus {
            id: "bash_1".into(),
            command: "make\u{1b}[2J".into(),
            status: "running",
            output,
            printed: 160,
            elapsed: std::time::Duration::from_secs(75),
            used: None,
        };
        let agent = BackgroundStatus { used: Some((2, 1500)), output: String::new(), ..task.clone() };
        let used = texts(&tasks(&[agent]));
        assert_eq!(used, ["bash_1   running   make‹U+001B›[2J  1m 15s · 2 tool calls · 1.5k tokens"]);
        let shown = texts(&tasks(&[task]));
        assert_eq!(shown[0], "bash_1   running   make‹U+001B›[2J  1m 15s");
        assert_eq!((shown[1].as_str(), shown.len()), ("  └ line 13", 9));
        assert_eq!(texts(&tasks(&[])), ["nothing runs in the background"]);
    }

    #[test]
    fn sub_agents_are_shown_with_tools_and_model() {
        let kind = AgentDefinition {
            name: "reviewer".into(),
            about: "Reads\n\u{202e}code".into(),
            prompt: String::new(),
            tools: Toolset::These(vec!["Read".into(), "Grep".into()]),
            model: Some("haiku".into()),
            hooks: None,
        };
        assert_eq!(texts(&agents(&[kind])), ["reviewer           Reads ‹U+202E›code (Read, Grep; haiku)"]);
    }

    #[test]
    fn hooks_are_shown_with_their_file() {
        use annals_json::RawJson;
        use annals_policy::rules::SettingsSource;
        let json = r#"{"PreToolUse":[{"matcher":"Bash|Edit","hooks":[{"type":"command","command":"guard\u001b.sh"}]}]}"#;
        let Ok(value) = annals_json::Value::parse(json.as_bytes()) else { panic!() };
        let all = [SettingsHooks {
            source: SettingsSource::User,
            path: "/s.json".into(),
            json: RawJson::of(value),
        }];
        let mut read = HookDefinitions::default();
        read.add(value, SettingsSource::User, "x");
        let shown = texts(&hooks(&all, [("plugin a\u{202e}".to_owned(), read.list.as_slice())].into_iter()));
        assert_eq!(shown[0], "the user's settings  /s.json");
        assert_eq!(shown[1], "  PreToolUse         Bash|Edit guard‹U+001B›.sh");
        assert_eq!(shown[2..], ["plugin a‹U+202E›", "  PreToolUse         Bash|Edit guard‹U+001B›.sh"]);
        assert_eq!(texts(&hooks(&[], [].into_iter())), ["no hooks in settings, front matter and plugins"]);
    }
}
