//! The arguments of `annals team`, and the options of commands that can ask a team's engine.

use std::path::PathBuf;
use std::time::Duration;

const TEAM_EXAMPLES: &str = "\
A team's sessions are in ClickHouse (26.2 or later). Machines send them with
`annals collect --to URL`, redacted; ls, show, search, usage, stats and sql
query them with --at URL. The login comes from --login-file (user name on the
first line, password on the second) or from $ANNALS_CLICKHOUSE_USER and
$ANNALS_CLICKHOUSE_PASSWORD, never from the URL.

Examples:
  # Create the tables, once
  annals team init --at clickhouse+https://db --apply

  # List machines and when each last sent
  annals team machines --at clickhouse+https://db";

const INIT_EXAMPLES: &str = "\
Examples:
  # Print the statements
  annals team init --at clickhouse+https://db

  # Run them; existing tables are kept
  annals team init --at clickhouse+https://db --apply

  # Create roles and row policies for people's logins
  annals team init --at clickhouse+https://db --rights --apply";

const MACHINES_EXAMPLES: &str = "\
Examples:
  # List machines and when each last sent
  annals team machines --at clickhouse+https://db

  # The machines of one person
  annals team machines --at clickhouse+https://db --person ann";

const ASSIGN_EXAMPLES: &str = "\
Examples:
  # Assign a machine to Ann, in the team shop
  annals team assign 190c51f0 ann shop --at clickhouse+https://db

  # Unassign it
  annals team assign 190c51f0 '' --at clickhouse+https://db";

const FORGET_EXAMPLES: &str = "\
Without --apply it only counts. Rows are gone for every reader at once, then
from the disk, and are not stored when they are sent again. Backups are not
touched. If a server of a cluster is down, it is reported (exit code 74): run
the command again later.

Examples:
  # Count the rows of a session
  annals team forget --session 190c51f0-… --at clickhouse+https://db

  # Forget what a person's machines have sent
  annals team forget --person ann --apply --at clickhouse+https://db";

const TOKEN_EXAMPLES: &str = "\
A machine sends with its token to `annals receive`; a person, a team or an
admin reads with theirs from `annals serve --from`. The engine stores only
hashes: a token is printed once.

Examples:
  # Create a token that a machine sends with
  annals team token add machine 190c51f0-… --at clickhouse+https://db

  # List tokens and owners
  annals team token list --at clickhouse+https://db";

const TOKEN_ADD_EXAMPLES: &str = "\
Examples:
  # A token for Ann to read her own sessions
  annals team token add person ann --at clickhouse+https://db

  # One for a machine, by the id that `collect --status` prints
  annals team token add machine 190c51f0-… --at clickhouse+https://db";

const TOKEN_LIST_EXAMPLES: &str = "\
Examples:
  # List valid tokens and their owners
  annals team token list --at clickhouse+https://db

  # Include revoked ones
  annals team token list --all --at clickhouse+https://db";

const TOKEN_REVOKE_EXAMPLES: &str = "\
Examples:
  # Revoke one token
  annals team token revoke 8f14e45fceea --at clickhouse+https://db

  # Revoke all of Ann's tokens
  annals team token revoke --name ann --at clickhouse+https://db";

const AUDIT_EXAMPLES: &str = "\
Examples:
  # The last changes, and who made them
  annals team audit --at clickhouse+https://db

  # All of them, for a program
  annals team audit --limit 100000 --json --at clickhouse+https://db";

const RETENTION_EXAMPLES: &str = "\
Examples:
  # Print the retention
  annals team retention --at clickhouse+https://db

  # Keep rows for a year
  annals team retention 365 --apply --at clickhouse+https://db";

const REBUILD_EXAMPLES: &str = "\
Run it after an upgrade, or with other prices: words, calls and costs are
rebuilt by this release and its price table. Readers see the old rows until it
is done. Machines can keep sending.

Examples:
  # Print how much would be read
  annals team rebuild --at clickhouse+https://db

  # Rebuild, with your own prices
  annals team rebuild --apply --prices prices.json --at clickhouse+https://db";

const TEAM_CHECK_EXAMPLES: &str = "\
Exit code 3 if lines are missing, or rows were made by another release.

Examples:
  # Check all machines
  annals team check --at clickhouse+https://db

  # Check one machine
  annals team check --at clickhouse+https://db --machine 190c51f0";

/// How a team's engine is reached.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EngineArgs {
    /// Read the engine's login from this file [default: $ANNALS_CLICKHOUSE_USER and _PASSWORD]
    #[arg(long, value_name = "FILE")]
    pub(crate) login_file: Option<PathBuf>,
    /// Trust these CA certificates, a PEM file [default: the system's]
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Use the rows of this tenant [default: rows without a tenant]
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
}

/// Whose sessions are asked for.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ScopeArgs {
    /// Only sessions of this person
    #[arg(long, value_name = "NAME")]
    pub(crate) person: Option<String>,
    /// Only sessions of this team
    #[arg(long, value_name = "NAME")]
    pub(crate) team: Option<String>,
    /// Only sessions of the machine whose id begins with this
    #[arg(long, value_name = "ID")]
    pub(crate) machine: Option<String>,
}

/// The options of a command that can ask a team's engine.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct AtArgs {
    /// Query a team's sessions: clickhouse+https://HOST:PORT/DATABASE, or https://HOST of `serve --from`
    #[arg(long, value_name = "URL")]
    pub(crate) at: Option<String>,
    /// Read the token for `serve --from` from this file [default: $ANNALS_TOKEN]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// The options of a command that is only for a team's engine.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EngineAtArgs {
    /// The engine: clickhouse+https://HOST:PORT/DATABASE
    #[arg(long, value_name = "URL", required = true)]
    pub(crate) at: String,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// What is forgotten.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ForgetArgs {
    /// Everything from the machines of this person
    #[arg(long, value_name = "NAME")]
    pub(crate) person: Option<String>,
    /// Everything from the machine with this id
    #[arg(long, value_name = "ID")]
    pub(crate) machine: Option<String>,
    /// The session with this id, on any machine
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// How long a change waits.
#[derive(Debug, clap::Args)]
pub(crate) struct WaitArgs {
    /// Give up after N seconds without progress
    #[arg(long, value_name = "N", default_value_t = annals_team::DEFAULT_PATIENCE.as_secs())]
    pub(crate) wait: u64,
}

impl WaitArgs {
    /// How long that is.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(self.wait)
    }
}

/// `annals team`
#[derive(Debug, clap::Args)]
#[command(after_help = TEAM_EXAMPLES, arg_required_else_help = true)]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    pub(crate) command: TeamCommand,
}

/// What to do with a team's engine.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum TeamCommand {
    /// Print the statements that create the tables, or run them
    #[command(after_help = INIT_EXAMPLES)]
    Init {
        #[command(flatten)]
        at: EngineAtArgs,
        /// Print or run the statements for roles and row policies instead
        #[arg(long)]
        rights: bool,
        /// Run the statements
        #[arg(long)]
        apply: bool,
    },
    /// List machines, their owners, and what they sent
    #[command(after_help = MACHINES_EXAMPLES)]
    Machines {
        #[command(flatten)]
        at: EngineAtArgs,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Assign a machine to a person and a team
    #[command(after_help = ASSIGN_EXAMPLES)]
    Assign {
        /// The machine: an id or a prefix
        #[arg(value_name = "MACHINE")]
        machine: String,
        /// The person; an empty one unassigns it
        #[arg(value_name = "PERSON")]
        person: String,
        /// The team
        #[arg(value_name = "TEAM", default_value = "")]
        team: String,
        #[command(flatten)]
        at: EngineAtArgs,
    },
    /// Delete the data of a person, machine or session
    #[command(after_help = FORGET_EXAMPLES)]
    Forget {
        #[command(flatten)]
        subject: ForgetArgs,
        /// Apply the change; without it, only count
        #[arg(long)]
        apply: bool,
        #[command(flatten)]
        wait: WaitArgs,
        #[command(flatten)]
        at: EngineAtArgs,
    },
    /// Print or set how many days rows are kept
    #[command(after_help = RETENTION_EXAMPLES)]
    Retention {
        /// The number of days, or `forever`
        #[arg(value_name = "DAYS")]
        days: Option<String>,
        /// Set the retention; without it, only print the statements
        #[arg(long, requires = "days")]
        apply: bool,
        #[command(flatten)]
        wait: WaitArgs,
        #[command(flatten)]
        at: EngineAtArgs,
    },
    /// Create, list or revoke tokens of machines and people
    #[command(after_help = TOKEN_EXAMPLES, arg_required_else_help = true)]
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// List changes of owners, tokens and retention, and deletions
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit {
        /// Show at most N, newest first
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        #[command(flatten)]
        at: EngineAtArgs,
    },
    /// Rebuild derived rows from the stored lines
    #[command(after_help = REBUILD_EXAMPLES)]
    Rebuild {
        /// Apply the change; without it, only count
        #[arg(long)]
        apply: bool,
        #[command(flatten)]
        wait: WaitArgs,
        #[command(flatten)]
        at: EngineAtArgs,
    },
    /// Check that nothing is missing
    #[command(after_help = TEAM_CHECK_EXAMPLES)]
    Check {
        #[command(flatten)]
        at: EngineAtArgs,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TokenFor {
    Machine,
    Person,
    Team,
    Admin,
}

/// Which tokens are revoked.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct RevokeArgs {
    /// The token with this id
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// All tokens of this machine, person or team
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// What to do with tokens.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token, and print it once
    #[command(after_help = TOKEN_ADD_EXAMPLES)]
    Add {
        /// Who uses it
        #[arg(value_name = "KIND", value_enum)]
        kind: TokenFor,
        /// The machine's whole id, or the name of the person, team or admin
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        at: EngineAtArgs,
    },
    /// List tokens
    #[command(after_help = TOKEN_LIST_EXAMPLES)]
    List {
        /// Include revoked tokens
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        at: EngineAtArgs,
    },
    /// Revoke tokens
    #[command(after_help = TOKEN_REVOKE_EXAMPLES)]
    Revoke {
        #[command(flatten)]
        token: RevokeArgs,
        #[command(flatten)]
        at: EngineAtArgs,
    },
}
