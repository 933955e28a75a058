//! The arguments of `annals serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use super::team::EngineArgs;

pub(super) const SERVE_EXAMPLES: &str = "\
The address that is printed holds a token that is new with every start: without
it nothing is shown. `--bind` beyond this machine needs a password and TLS,
shows sessions with their secrets replaced, and changes nothing.

Examples:
  # Look at all sessions in the browser
  annals serve --open

  # Show redacted sessions to others, behind a proxy that does TLS
  annals serve --behind-proxy --host notes.example --password-file password.txt

  # Show a team's sessions, and answer `--at https://…`, by token
  annals serve --from clickhouse+https://db --cert cert.pem --key key.pem";

/// `annals serve`
#[derive(Debug, clap::Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    /// Open the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Answer to this name, too; others than localhost and addresses are refused
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Ask others for the password on the first line of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Show a team's sessions instead, and answer questions about them: clickhouse+https://HOST:PORT/DATABASE
    #[arg(long, value_name = "URL", conflicts_with_all = ["open", "password_file"])]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Where a server listens, and how others reach it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ListenArgs {
    /// Listen on this address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// Listen on this port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Use TLS with this certificate chain, in PEM
    #[arg(long, value_name = "FILE", requires = "key", conflicts_with = "behind_proxy")]
    pub(crate) cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// A proxy in front of it does TLS
    #[arg(long)]
    pub(crate) behind_proxy: bool,
}
