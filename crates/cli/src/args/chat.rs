//! The arguments of `annals chat`.

use std::path::PathBuf;

use clap::ValueEnum;

pub(super) const CHAT_EXAMPLES: &str = "\
Examples:
  annals chat
  annals chat --continue
  annals chat --resume                                  one of this folder's sessions, from a list
  annals chat -p 'What does this project do?'
  git diff | annals chat -p 'Review this change'
  annals chat -p --continue 'And the tests?'
  annals chat -p --resume 3f2a --output-format json 'Sum it up'
  annals chat -p '/review the parser'                    a command of your own: commands/review.md
  annals chat --replay last                             the newest session as it was, without a key
  annals chat -p --allowedTools 'Bash(cargo test:*),Edit' 'Make the tests pass'

A key is taken from ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or from the command `apiKeyHelper` of your own settings.
In the terminal you are asked about what your rules do not decide; with -p nobody is asked, and it is denied. A project's
own settings and notes are obeyed only in a folder that you trust: you are asked once, and --trust says so beforehand.

Exit codes: 0 done, 1 the turn failed, 2 wrong usage, 4 somebody else writes to the session, 130 interrupted, 143 ended
by SIGTERM.";

/// `annals chat`
#[derive(Debug, clap::Args)]
#[command(after_help = CHAT_EXAMPLES)]
pub(crate) struct ChatArgs {
    /// What to say; standard input, where it is no terminal, is said behind it
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
    /// Answer once and end
    #[arg(short, long)]
    pub(crate) print: bool,
    /// What is printed
    #[arg(long, value_enum, default_value_t = ChatOutput::Text, value_name = "FORM", requires = "print")]
    pub(crate) output_format: ChatOutput,
    /// What standard input holds
    #[arg(long, value_enum, default_value_t = ChatInput::Text, value_name = "FORM", requires = "print")]
    pub(crate) input_format: ChatInput,
    /// Go on with this session: a path, an id or its beginning, a title, or `last`; in a terminal, without SESSION, one from
    /// a list. A prompt stands before --resume, or behind -- (`annals chat --resume -- PROMPT`)
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1, conflicts_with_all = ["continue", "session_id"])]
    pub(crate) resume: Option<Option<String>>,
    /// Go on with the newest session of this folder
    #[arg(short, long, conflicts_with = "session_id")]
    pub(crate) r#continue: bool,
    /// Play this session again: nothing is sent, run or written, and no key is needed
    #[arg(
        long,
        value_name = "SESSION",
        conflicts_with_all = ["prompt", "resume", "continue", "session_id", "fork_session", "trust"]
    )]
    pub(crate) replay: Option<String>,
    /// So many letters a second; 0 plays it at once [default: 1500 on a terminal, else 0]
    #[arg(long, value_name = "LETTERS", requires = "replay")]
    pub(crate) replay_speed: Option<u32>,
    /// Go on in a copy of the session
    #[arg(long)]
    pub(crate) fork_session: bool,
    /// The id of a new session, a UUID
    #[arg(long, value_name = "UUID")]
    pub(crate) session_id: Option<String>,
    /// Write nothing to the store
    #[arg(long)]
    pub(crate) no_session_persistence: bool,
    /// The model: a name, or opus, sonnet, haiku
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The model to turn to when the first has too much to do
    #[arg(long, value_name = "NAME")]
    pub(crate) fallback_model: Option<String>,
    /// So many responses at most
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_turns: Option<u64>,
    /// What may happen: rules as in settings, separated by commas or spaces
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULES", num_args = 1)]
    pub(crate) allowed_tools: Vec<String>,
    /// What must not happen
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULES", num_args = 1)]
    pub(crate) disallowed_tools: Vec<String>,
    /// default, acceptEdits, plan, dontAsk or bypassPermissions
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<String>,
    /// Instead of our own instructions to the model
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,
    /// Behind the instructions to the model
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Option<String>,
    /// A further folder that the work is about
    #[arg(long, value_name = "DIR", num_args = 1)]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Settings over those of the files: a path, or JSON
    #[arg(long, value_name = "FILE-OR-JSON")]
    pub(crate) settings: Option<String>,
    /// Trust this folder from now on: obey its settings and notes
    #[arg(long)]
    pub(crate) trust: bool,
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatOutput {
    /// The last answer
    Text,
    /// One object with the answer and what it cost
    Json,
    /// An object a line, as things happen
    StreamJson,
}

/// What standard input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatInput {
    /// Text
    Text,
    /// A message a line
    StreamJson,
}
