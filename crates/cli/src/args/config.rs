//! The arguments of `annals config`.

const CONFIG_EXAMPLES: &str = "\
Keys:
  stores              folders to read, instead of the usual ones
  theme               auto, light, dark, light-colorblind, dark-colorblind or
                      none
  screen              of annals chat: inline, full or plain
  pictures            of annals chat: auto, none, kitty, iterm or sixel
  notifications       of annals chat: none, bell or desktop
  keymap              of the terminal viewer: default, vim, or a table of keys
  pager               a command, used where PAGER is not set
  redaction-patterns  regular expressions for secrets, besides built-in ones

Options and environment variables win over the file. Nothing is read from a
project folder.

Examples:
  # Read two stores from now on
  annals config set stores ~/.claude /srv/team/claude

  # Also redact your company's secrets
  annals config set redaction-patterns 'ACME-[0-9]{6}'";

const PATH_EXAMPLES: &str = "\
Examples:
  # Where the file is, or would be
  annals config path

  # The same for programs, and whether it exists
  annals config path --json";

const GET_EXAMPLES: &str = "\
Examples:
  # Everything that is set
  annals config get

  # One key; exit code 1 if it is not set
  annals config get stores";

const SET_KEY_EXAMPLES: &str = "\
Examples:
  # One value
  annals config set theme dark

  # A list
  annals config set stores ~/.claude /srv/team/claude";

/// `annals config`
#[derive(Debug, clap::Args)]
#[command(after_help = CONFIG_EXAMPLES, arg_required_else_help = true)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// What to do with the configuration file.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print where the file is
    #[command(after_help = PATH_EXAMPLES)]
    Path,
    /// Print a key, or all that are set
    #[command(after_help = GET_EXAMPLES)]
    Get {
        /// A key [default: all]
        #[arg(value_name = "KEY")]
        key: Option<String>,
    },
    /// Set a key; keep comments and order
    #[command(after_help = SET_KEY_EXAMPLES)]
    Set {
        /// A key
        #[arg(value_name = "KEY")]
        key: String,
        /// The value; several for a list
        #[arg(value_name = "VALUE", required = true)]
        values: Vec<String>,
    },
}
