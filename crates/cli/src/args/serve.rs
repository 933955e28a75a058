//! The arguments of `annals serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use super::team::EngineArgs;

pub(super) const SERVE_EXAMPLES: &str = "\
The printed address has a token, a new one on every start; without it nothing
is shown. `--bind` beyond this machine needs a password and TLS, shows sessions
with their secrets replaced, and allows no changes.

Examples:
  # Browse all sessions
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
    /// Accept this host name, besides localhost and addresses
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Require the password on the first line of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Serve a team's sessions instead, also for `--at https://…`: clickhouse+https://HOST:PORT/DATABASE
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
    /// Leave TLS to a proxy in front
    #[arg(long)]
    pub(crate) behind_proxy: bool,
}
