//! The arguments of `annals mcp`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::ConfirmArgs;
use super::team::AtArgs;

const MCP_EXAMPLES: &str = "\
`serve` gives agents the sessions of this machine as tools: search, reading,
file history, topics, todos, cost.

Servers are configured where the original client keeps them: for you in this
folder (local), for everyone on the project (project, .mcp.json), or for
you everywhere (user). `annals chat` starts them; those of a project only in a
trusted folder, after you have approved their definition.

Examples:
  # A program, for you in this folder
  annals mcp add --yes mem -- npx -y @modelcontextprotocol/server-memory

  # Let agents search past sessions, over standard input and output
  annals mcp serve

  # List servers; without --no-check, check that they answer
  annals mcp list --no-check";

const ADD_EXAMPLES: &str = "\
Options come before the name; after `--` everything belongs to the program.

Examples:
  # A program with a variable
  annals mcp add -e LEVEL=2 mem -- npx -y @modelcontextprotocol/server-memory

  # An address, for all folders, with a header
  annals mcp add -s user -t http -H 'X-Team: a' web https://example.com/mcp";

const ADD_JSON_EXAMPLES: &str = "\
Examples:
  # The definition as it is in the file
  annals mcp add-json files '{\"command\":\"server\",\"args\":[\"--here\"]}'

  # Share a server with the project, in .mcp.json
  annals mcp add-json -s project web '{\"type\":\"http\",\"url\":\"https://h/mcp\"}'";

const LIST_EXAMPLES: &str = "\
Each server is started, asked for its tools, and stopped. Servers of a project
that are not approved are not started.

Examples:
  # List servers, and whether they answer
  annals mcp list

  # List them without starting any
  annals mcp list --no-check";

const GET_EXAMPLES: &str = "\
Values of variables and headers are not shown.

Examples:
  # Show the definition of a server
  annals mcp get files

  # As JSON
  annals mcp get files --json";

const REMOVE_EXAMPLES: &str = "\
Examples:
  # Remove a server
  annals mcp remove files

  # Remove the one in the user scope
  annals mcp remove -s user files --yes";

const APPROVE_EXAMPLES: &str = "\
An approval is for one definition in one folder. It is kept by annals, not in
the project's files, and ends when the definition changes.

Examples:
  # Start this server of .mcp.json from now on
  annals mcp approve tickets

  # Never start it, and do not ask
  annals mcp approve tickets --refuse --yes";

const LOGIN_EXAMPLES: &str = "\
The server names its authorization server; you confirm in the browser, which
returns to a port of this machine. The token is stored in annals' data folder,
readable only by you, and renewed as long as the server allows it.

Examples:
  # Open the browser and wait
  annals mcp login tickets

  # Only print the address
  annals mcp login tickets --no-browser";

const LOGOUT_EXAMPLES: &str = "\
The token is deleted from this machine; the server may still accept it.

Examples:
  # Delete the token
  annals mcp logout tickets

  # Show what would be deleted
  annals mcp logout tickets --dry-run";

const SERVE_EXAMPLES: &str = "\
An MCP server over standard input and output, for a client to start. It reads
sessions of the current folder first, replaces secrets, and marks
what it quotes. `--http` prints an address and a token instead; ANNALS_TOKEN
sets the token. `--at` adds tools that search, read and price the sessions of
a team.

Examples:
  # The command that a client starts
  annals mcp serve

  # On this machine, for clients that are configured with an address
  annals mcp serve --http --port 7411";

const INSTALL_EXAMPLES: &str = "\
Adds `annals mcp serve` to the configuration of a client, for all folders, and
for Claude Code a skill that says when to use it. What will be written is shown
first; `annals undo` reverts it.

Examples:
  # Show what would be written for Claude Code
  annals mcp install --dry-run

  # For two clients
  annals mcp install claude-code cursor --yes";

/// `annals mcp`
#[derive(Debug, clap::Args)]
#[command(after_help = MCP_EXAMPLES, arg_required_else_help = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: McpCommand,
}

/// What to do with the servers.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum McpCommand {
    /// Serve past sessions to agents, as MCP tools
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(McpServeArgs),
    /// Register annals mcp serve with clients
    #[command(after_help = INSTALL_EXAMPLES)]
    Install(McpInstallArgs),
    /// Add a server
    #[command(after_help = ADD_EXAMPLES)]
    Add(McpAddArgs),
    /// Add a server by its definition
    #[command(after_help = ADD_JSON_EXAMPLES)]
    AddJson(McpAddJsonArgs),
    /// List servers, and whether they answer
    #[command(after_help = LIST_EXAMPLES)]
    List(McpListArgs),
    /// Show the definition of a server
    #[command(after_help = GET_EXAMPLES)]
    Get(McpGetArgs),
    /// Remove a server
    #[command(after_help = REMOVE_EXAMPLES)]
    Remove(McpRemoveArgs),
    /// Approve a server of the project
    #[command(after_help = APPROVE_EXAMPLES)]
    Approve(McpApproveArgs),
    /// Sign in to a server, in the browser
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(McpLoginArgs),
    /// Sign out of a server
    #[command(after_help = LOGOUT_EXAMPLES)]
    Logout(McpLogoutArgs),
}

/// Where a server is configured. The values have no help of their own: with it clap would print every option in long form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeChoice {
    Local,
    Project,
    User,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransportChoice {
    Stdio,
    Http,
    Sse,
}

const SERVE_AT: &str = "Add tools that query a team's sessions: \
                        clickhouse+https://HOST:PORT/DATABASE, or https://HOST of `serve --from`";

/// `annals mcp serve`
#[derive(Debug, clap::Args)]
#[command(mut_arg("at", |at| at.help(SERVE_AT)))]
pub(crate) struct McpServeArgs {
    /// Listen on this machine instead, with a token
    #[arg(long)]
    pub(crate) http: bool,
    /// Listen on this port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "http")]
    pub(crate) port: u16,
    /// The project whose sessions come first [default: this folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Add tools that rename and tag sessions
    #[arg(long)]
    pub(crate) allow_changes: bool,
    #[command(flatten)]
    pub(crate) at: AtArgs,
}

/// A client with a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientChoice {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Codex,
    Gemini,
}

/// `annals mcp install`
#[derive(Debug, clap::Args)]
pub(crate) struct McpInstallArgs {
    /// Do not add the skill for Claude Code
    #[arg(long)]
    pub(crate) no_skill: bool,
    /// Add tools that rename and tag sessions
    #[arg(long)]
    pub(crate) allow_changes: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
    /// The clients: claude-code, claude-desktop, cursor, vscode, codex, gemini
    #[arg(value_name = "CLIENT", value_enum, default_value = "claude-code", hide_possible_values = true)]
    pub(crate) clients: Vec<ClientChoice>,
}

/// `annals mcp add`
#[derive(Debug, clap::Args)]
pub(crate) struct McpAddArgs {
    /// Where it is configured: local, project or user
    #[arg(short, long, value_enum, default_value_t = ScopeChoice::Local, value_name = "SCOPE")]
    pub(crate) scope: ScopeChoice,
    /// How it is reached: stdio, http or sse
    #[arg(short, long, value_enum, default_value_t = TransportChoice::Stdio, value_name = "TRANSPORT")]
    pub(crate) transport: TransportChoice,
    /// An environment variable for the program; may be repeated
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// A header to send; may be repeated
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
    /// Its name: letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The program and its arguments, or the address
    #[arg(value_name = "COMMAND_OR_URL", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
}

/// `annals mcp add-json`
#[derive(Debug, clap::Args)]
pub(crate) struct McpAddJsonArgs {
    /// Where it is configured: local, project or user
    #[arg(short, long, value_enum, default_value_t = ScopeChoice::Local, value_name = "SCOPE")]
    pub(crate) scope: ScopeChoice,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
    /// Its name: letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The definition
    #[arg(value_name = "JSON")]
    pub(crate) definition: String,
}

/// `annals mcp list`
#[derive(Debug, clap::Args)]
pub(crate) struct McpListArgs {
    /// Do not start the servers
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Wait at most N seconds for each
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) seconds: u64,
}

/// `annals mcp get`
#[derive(Debug, clap::Args)]
pub(crate) struct McpGetArgs {
    /// The server
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// `annals mcp remove`
#[derive(Debug, clap::Args)]
pub(crate) struct McpRemoveArgs {
    /// Where it is configured [default: where it is found, if only once]
    #[arg(short, long, value_enum, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeChoice>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
    /// The server
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// `annals mcp approve`
#[derive(Debug, clap::Args)]
pub(crate) struct McpApproveArgs {
    /// Refuse it instead
    #[arg(long)]
    pub(crate) refuse: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
    /// The server
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// `annals mcp login`
#[derive(Debug, clap::Args)]
pub(crate) struct McpLoginArgs {
    /// Print the address instead of opening it
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// The server
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// `annals mcp logout`
#[derive(Debug, clap::Args)]
pub(crate) struct McpLogoutArgs {
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
    /// The server
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}
