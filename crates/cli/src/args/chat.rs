//! The arguments of `annals chat`.

use std::path::{Path, PathBuf};

use annals_policy::rules::listed;
use clap::ValueEnum;

use super::sdk::SdkArgs;

pub(super) const CHAT_EXAMPLES: &str = "\
The key comes from ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or from the
command `apiKeyHelper` in your own settings. In the terminal you are asked
about calls that no permission rule decides; with -p they are denied. A
project's own settings and notes apply only in a folder that you trust: you
are asked once, or pass --trust. `annals help permissions` has more.

Exit codes: 0 done; 1 the turn failed; 2 wrong usage; 4 another program writes
to the session; 130 interrupted; 143 ended by SIGTERM.

Examples:
  # Continue the newest session of this folder
  annals chat --continue

  # Answer once, with piped input
  git diff | annals chat -p 'Review this change'

  # Let it run tests and edit files without asking
  annals chat -p --allowedTools 'Bash(cargo test:*),Edit' 'Fix the tests'

  # Replay the newest session, without a key
  annals chat --replay last";

/// `annals chat`
#[derive(Debug, clap::Args)]
#[command(after_help = CHAT_EXAMPLES)]
pub(crate) struct ChatArgs {
    /// The prompt; piped input is appended to it
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
    /// Print the answer and exit
    #[arg(short, long)]
    pub(crate) print: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = ChatOutput::Text, value_name = "FORMAT")]
    pub(crate) output_format: ChatOutput,
    /// The format of standard input
    #[arg(long, value_enum, default_value_t = ChatInput::Text, value_name = "FORMAT")]
    pub(crate) input_format: ChatInput,
    /// Continue this session: path, id or prefix, title, or `last`; without SESSION, pick one from a list. Put the prompt
    /// before --resume, or after `--`
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1, conflicts_with = "continue")]
    pub(crate) resume: Option<Option<String>>,
    /// Continue the newest session of this folder
    #[arg(short, long)]
    pub(crate) r#continue: bool,
    /// Replay this session; send, run and write nothing
    #[arg(
        long,
        value_name = "SESSION",
        conflicts_with_all = ["prompt", "resume", "continue", "session_id", "fork_session", "trust"]
    )]
    pub(crate) replay: Option<String>,
    /// Characters per second; 0 is instant [default: 1500 on a terminal, else 0]
    #[arg(long, value_name = "N", requires = "replay")]
    pub(crate) replay_speed: Option<u32>,
    /// Continue in a copy of the session
    #[arg(long)]
    pub(crate) fork_session: bool,
    /// The id of the new session or, with --fork-session, of the copy: a UUID
    #[arg(long, value_name = "UUID")]
    pub(crate) session_id: Option<String>,
    /// Set the title of the session
    #[arg(short, long, value_name = "TITLE")]
    pub(crate) name: Option<String>,
    /// Write nothing to the store
    #[arg(long)]
    pub(crate) no_session_persistence: bool,
    /// The model: a name, or opus, sonnet, haiku
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The model to use when the first is overloaded
    #[arg(long, value_name = "NAME")]
    pub(crate) fallback_model: Option<String>,
    /// Stop after N responses
    #[arg(long, value_name = "N")]
    pub(crate) max_turns: Option<u64>,
    /// Allow these tools: rules as in settings, separated by commas or spaces
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULES", num_args = 1..)]
    pub(crate) allowed_tools: Vec<String>,
    /// Deny these tools
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULES", num_args = 1..)]
    pub(crate) disallowed_tools: Vec<String>,
    /// The permission mode: default, acceptEdits, plan, dontAsk or bypassPermissions
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<String>,
    /// Replace the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,
    /// Append to the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Option<String>,
    /// Other folders to work in
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Override the settings in files: a path, or JSON
    #[arg(long, value_name = "FILE-OR-JSON")]
    pub(crate) settings: Option<String>,
    /// Trust this folder from now on: apply its settings and notes
    #[arg(long)]
    pub(crate) trust: bool,
    /// Do not run hooks from settings, agents or commands
    #[arg(long)]
    pub(crate) ignore_hooks: bool,
    /// Ignore CLAUDE.md, hooks, skills, agents, styles and MCP servers; offer only Bash, Edit and Read
    #[arg(long)]
    pub(crate) bare: bool,
    /// Draw below the scrollback [default], or on the whole screen
    #[arg(long, value_enum, value_name = "LAYOUT", conflicts_with = "plain")]
    pub(crate) screen: Option<ChatScreenArg>,
    /// Print lines only: for screen readers and terminals without cursor movement
    #[arg(long)]
    pub(crate) plain: bool,
    /// Run commands in a sandbox [default: $ANNALS_SANDBOX, else auto]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(crate) sandbox: Option<SandboxUse>,
    #[command(flatten)]
    pub(crate) sdk: SdkArgs,
}

/// The tools that are offered with `--bare`.
const BARE_TOOLS: &str = "Bash,Edit,Read";

impl ChatArgs {
    /// Sets the options that `--bare` implies.
    pub(crate) fn imply_bare(&mut self) {
        if self.bare {
            self.ignore_hooks = true;
            self.sdk.strict_mcp_config = true;
            self.sdk.tools.get_or_insert_with(|| vec![BARE_TOOLS.to_owned()]);
        }
    }

    /// Returns whether there is no person at a terminal: `-p`, or a program that sends messages.
    pub(crate) fn is_headless(&self) -> bool {
        self.print || self.input_format == ChatInput::StreamJson
    }

    /// Takes the prompt from behind an option with several values, if there is no other: the last value that is neither a
    /// rule nor a folder. `is_folder` tells folders.
    pub(crate) fn find_prompt(&mut self, is_folder: impl Fn(&Path) -> bool) {
        for rules in [&mut self.allowed_tools, &mut self.disallowed_tools] {
            if self.prompt.is_none() && rules.len() > 1 {
                self.prompt = rules.pop_if(|last| !is_rule_list(last));
            }
        }
        if let Some(tools) = self.sdk.tools.as_mut().filter(|tools| self.prompt.is_none() && tools.len() > 1)
        {
            self.prompt = tools.pop_if(|last| !is_rule_list(last));
        }
        if self.prompt.is_none() && self.sdk.mcp_config.len() > 1 {
            let is_config = |text: &str| text.trim_start().starts_with('{') || text.ends_with(".json");
            self.prompt = self.sdk.mcp_config.pop_if(|last| !is_config(last));
        }
        if self.prompt.is_none() && self.add_dir.len() > 1 {
            let last = self.add_dir.pop_if(|last| !is_folder(last));
            self.prompt = last.map(|last| last.to_string_lossy().into_owned());
        }
    }
}

/// Returns whether a value names tools of the original client, of servers, or anything with brackets.
fn is_rule_list(value: &str) -> bool {
    let is_rule = |rule: &String| {
        let name = rule.split('(').next().unwrap_or_default();
        name.starts_with("mcp__") || rule.contains('(') && !name.is_empty() || TOOLS.contains(&name)
    };
    listed(value).iter().all(is_rule)
}

/// Tools of the original client, in all its versions.
const TOOLS: [&str; 32] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "ListMcpResourcesTool",
    "LSP",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatOutput {
    /// The last answer
    Text,
    /// One object with the answer and its cost
    Json,
    /// One object per line, as things happen
    StreamJson,
}

/// Where the chat screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatScreenArg {
    /// Below the conversation, which stays in the scrollback
    Inline,
    /// On the whole screen, with its own scrolling
    Full,
}

/// When commands run in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxUse {
    /// If one works on this system
    Auto,
    /// Always; do not start without one
    Require,
    /// Never
    Off,
}

/// The format of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatInput {
    /// Text
    Text,
    /// One message per line
    StreamJson,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        chat: ChatArgs,
    }

    fn parse(line: &[&str]) -> ChatArgs {
        let mut args =
            Line::try_parse_from([&["chat"], line].concat()).unwrap_or_else(|error| panic!("{error}")).chat;
        args.find_prompt(|path| path.starts_with("/there"));
        args
    }

    #[test]
    fn an_option_takes_several_values_and_the_prompt_may_follow() {
        let args = parse(&["fix it", "--allowedTools", "Read", "Edit,Bash(git *)", "--add-dir", "/a", "/b"]);
        assert_eq!(args.allowed_tools, ["Read", "Edit,Bash(git *)"]);
        assert_eq!((args.prompt.as_deref(), args.add_dir.len()), (Some("fix it"), 2));
        for prompt in ["fix it", "hello", "/review now", "@@a@@", "Read the file"] {
            let args = parse(&["-p", "--allowedTools", "Read", "mcp__calc__add", prompt]);
            assert_eq!((args.prompt.as_deref(), args.allowed_tools.len()), (Some(prompt), 2), "{prompt}");
            let args = parse(&["-p", "--add-dir", "/there/a", "/there/b", prompt]);
            assert_eq!((args.prompt.as_deref(), args.add_dir.len()), (Some(prompt), 2), "{prompt}");
        }
        let args = parse(&["--disallowedTools", "Bash(rm *)", "Write"]);
        assert_eq!((args.prompt, args.disallowed_tools.len()), (None, 2));
        assert_eq!(parse(&["--allowedTools", "nonsense"]).allowed_tools, ["nonsense"]);
        let args = parse(&["--allowedTools", "Read", "--", "Edit"]);
        assert_eq!((args.prompt.as_deref(), args.allowed_tools.len()), (Some("Edit"), 1));
    }
}
