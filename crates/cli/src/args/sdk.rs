//! Options of `annals chat` for programs that drive it, as the original's SDKs pass them.

use std::path::PathBuf;

use clap::ValueEnum;

/// Options for programs.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Options for programs")]
pub(crate) struct SdkArgs {
    /// Offer only these tools; an empty list offers none
    #[arg(long, value_name = "TOOLS", num_args = 0..)]
    pub(crate) tools: Option<Vec<String>>,
    /// Stop when the session has cost this much, in US dollars
    #[arg(long, value_name = "USD")]
    pub(crate) max_budget_usd: Option<f64>,
    /// How hard the model tries: low, medium, high, xhigh or max
    #[arg(long, value_enum, value_name = "LEVEL", ignore_case = true)]
    pub(crate) effort: Option<EffortLevel>,
    /// Whether the model thinks: adaptive, enabled or disabled
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) thinking: Option<ThinkingMode>,
    /// The maximum number of tokens for thinking; 0 switches it off
    #[arg(long, value_name = "N")]
    pub(crate) max_thinking_tokens: Option<u64>,
    /// How thinking is shown: summarized or omitted
    #[arg(long, value_enum, value_name = "DISPLAY")]
    pub(crate) thinking_display: Option<ThinkingShown>,
    /// Ask for output that matches this JSON schema
    #[arg(long, value_name = "JSON")]
    pub(crate) json_schema: Option<String>,
    /// Add types of sub-agents: a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) agents: Option<String>,
    /// Replace the system prompt with a file
    #[arg(long, value_name = "FILE", conflicts_with = "system_prompt")]
    pub(crate) system_prompt_file: Option<PathBuf>,
    /// Append a file to the system prompt
    #[arg(long, value_name = "FILE", conflicts_with = "append_system_prompt")]
    pub(crate) append_system_prompt_file: Option<PathBuf>,
    /// Read only these settings: user, project, local
    #[arg(long, value_name = "SOURCES")]
    pub(crate) setting_sources: Option<String>,
    /// Resume the session as it was at this message
    #[arg(long, value_name = "UUID")]
    pub(crate) resume_session_at: Option<String>,
    /// Print parts of messages as they arrive
    #[arg(long)]
    pub(crate) include_partial_messages: bool,
    /// Print prompts back when they are accepted
    #[arg(long)]
    pub(crate) replay_user_messages: bool,
    /// Who decides on permissions: `stdio` asks the program
    #[arg(long, value_name = "TOOL")]
    pub(crate) permission_prompt_tool: Option<String>,
    /// MCP servers: JSON or files
    #[arg(long, value_name = "CONFIG", num_args = 1..)]
    pub(crate) mcp_config: Vec<String>,
    /// Use only the MCP servers of --mcp-config
    #[arg(long)]
    pub(crate) strict_mcp_config: bool,
    /// Skip all permission checks: `--permission-mode bypassPermissions`
    #[arg(long)]
    pub(crate) dangerously_skip_permissions: bool,
    /// Additional beta headers
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) betas: Vec<String>,
    /// Load the plugin in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) inert: InertArgs,
}

/// Options that are accepted and have no effect; each is reported.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct InertArgs {
    #[arg(long, hide = true)]
    include_hook_events: bool,
    #[arg(long, hide = true, value_name = "N")]
    task_budget: Option<String>,
    #[arg(long, hide = true, value_name = "WHICH", num_args = 0..=1)]
    resume_drops_turn: Option<Option<String>>,
    #[arg(long, hide = true)]
    session_mirror: bool,
    #[arg(long, hide = true)]
    allow_dangerously_skip_permissions: bool,
    #[arg(long, hide = true, value_name = "FILTER", num_args = 0..=1)]
    debug: Option<Option<String>>,
    #[arg(long, hide = true)]
    debug_to_stderr: bool,
}

impl InertArgs {
    /// Returns the options that were given and have no effect, each with the reason.
    pub(crate) fn given(&self) -> Vec<(&'static str, &'static str)> {
        let all = [
            (self.include_hook_events, "--include-hook-events", "hook events are not printed"),
            (self.task_budget.is_some(), "--task-budget", "task budgets are not supported"),
            (
                self.resume_drops_turn.is_some(),
                "--resume-drops-turn",
                "--resume-session-at names the last message",
            ),
            (self.session_mirror, "--session-mirror", "the session is not mirrored"),
            (
                self.allow_dangerously_skip_permissions,
                "--allow-dangerously-skip-permissions",
                "bypassPermissions is chosen at the start",
            ),
            (self.debug.is_some() || self.debug_to_stderr, "--debug", "there is no debug output"),
        ];
        all.into_iter().filter(|(is_given, ..)| *is_given).map(|(_, option, why)| (option, why)).collect()
    }
}

/// How hard the model tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortLevel {
    /// The least effort
    Low,
    /// Medium effort
    Medium,
    /// High effort
    High,
    /// More than high
    Xhigh,
    /// The most effort
    Max,
}

/// Whether the model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThinkingMode {
    /// The model decides
    Adaptive,
    /// With a budget where the model needs one
    Enabled,
    /// Off, if the model allows it
    Disabled,
}

/// What is shown of thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThinkingShown {
    /// A summary
    Summarized,
    /// Nothing
    Omitted,
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::Parser;

    use crate::args::ChatArgs;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        chat: ChatArgs,
    }

    fn parse(line: &[&str]) -> ChatArgs {
        Line::try_parse_from([&["chat"], line].concat()).unwrap_or_else(|error| panic!("{error}")).chat
    }

    #[test]
    fn the_command_line_of_the_sdk_is_understood() {
        let args = parse(
            &[
                "--output-format",
                "stream-json",
                "--verbose",
                "--system-prompt",
                "",
                "--tools",
                "Read,Bash",
                "--allowedTools",
                "Read",
                "--max-turns",
                "3",
                "--max-budget-usd",
                "0.5",
                "--model",
                "opus",
                "--betas",
                "a,b",
                "--permission-prompt-tool",
                "stdio",
                "--resume=ID",
                "--mcp-config",
                r#"{"mcpServers":{}}"#,
                "--include-partial-messages",
                "--strict-mcp-config",
                "--fork-session",
                "--resume-session-at=U",
                "--setting-sources=",
                "--plugin-dir",
                "/p",
                "--include-hook-events",
                "--thinking",
                "adaptive",
                "--effort",
                "high",
                "--json-schema",
                "{}",
                "--input-format",
                "stream-json",
            ]
            .iter()
            .filter(|word| **word != "--verbose")
            .copied()
            .collect::<Vec<_>>(),
        );
        assert_eq!(args.sdk.tools.as_deref(), Some(&["Read,Bash".to_owned()][..]));
        assert_eq!((args.resume.flatten().as_deref(), args.sdk.max_budget_usd), (Some("ID"), Some(0.5)));
        assert_eq!(args.sdk.setting_sources.as_deref(), Some(""));
        assert_eq!(args.sdk.betas, ["a", "b"]);
        assert!(args.sdk.strict_mcp_config && args.sdk.include_partial_messages);
        let told: Vec<&str> = args.sdk.inert.given().into_iter().map(|(option, _)| option).collect();
        assert_eq!((told, args.sdk.plugin_dir), (vec!["--include-hook-events"], vec![PathBuf::from("/p")]));
        assert_eq!(parse(&["--tools", ""]).sdk.tools.map(|tools| tools.join("")), Some(String::new()));
        assert_eq!(parse(&["--tools", "Read", "Edit"]).sdk.tools.map(|tools| tools.len()), Some(2));
        for line in
            [["-p", "--tools", "Read,Edit", "fix it, now"], ["-p", "--mcp-config", "{}", "fix it, now"]]
        {
            let mut args = parse(&line);
            args.find_prompt(|_| false);
            assert_eq!(args.prompt.as_deref(), Some("fix it, now"), "{line:?}");
        }
    }
}
