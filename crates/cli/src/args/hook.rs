//! The arguments of `annals hook`.

const HOOK_EXAMPLES: &str = "\
For the settings of a client, under `hooks`: the client runs them and passes
the event as JSON on standard input. They never stop the client: failures are
reported on standard error, with exit code 1.

Examples:
  # Print what a new session is told
  annals hook session-start < /dev/null

  # Archive a session as it is now
  echo '{\"session_id\":\"190c5069\"}' | annals hook stop";

const SESSION_START_EXAMPLES: &str = "\
Prints recent work on this project as context for the model, secrets replaced
and marked as quoted; nothing if there is none.

Examples:
  # In settings.json, for the event SessionStart
  annals hook session-start

  # Shorter
  annals hook session-start --max-tokens 250";

const STOP_EXAMPLES: &str = "\
Archives the session that standard input names in the vault, once the client
has written its answer, so that nothing is lost when the client deletes it.

Examples:
  # In settings.json, for the event Stop or SessionEnd
  annals hook stop

  # By hand
  echo '{\"session_id\":\"190c5069\"}' | annals hook stop";

/// `annals hook`
#[derive(Debug, clap::Args)]
#[command(after_help = HOOK_EXAMPLES, arg_required_else_help = true)]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    pub(crate) command: HookCommand,
}

/// The event.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum HookCommand {
    /// Tell a new session about recent work
    #[command(after_help = SESSION_START_EXAMPLES)]
    SessionStart(HookSessionStartArgs),
    /// Archive the session
    #[command(after_help = STOP_EXAMPLES)]
    Stop,
}

/// `annals hook session-start`
#[derive(Debug, clap::Args)]
pub(crate) struct HookSessionStartArgs {
    /// The length of the text in tokens, at four bytes each
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(200..=4000))]
    pub(crate) max_tokens: u32,
}
