//! The arguments of `annals receive`.

use super::read::parse_bytes;
use super::serve::ListenArgs;
use super::team::EngineArgs;

const RECEIVE_EXAMPLES: &str = "\
Receives what `annals collect --to https://…` sends from machines with a token
of `annals team token add machine`, and writes it to a team's engine. It is
stateless: run any number behind a load balancer; GET /health answers. To
listen beyond this machine it needs --cert and --key, or --behind-proxy.

Examples:
  # Receive from the machines of a team
  annals receive --to clickhouse+https://db --bind :: --cert c.pem --key k.pem

  # The same behind a proxy that does TLS
  annals receive --to clickhouse+https://db --behind-proxy --port 8080";

/// `annals receive`
#[derive(Debug, clap::Args)]
#[command(after_help = RECEIVE_EXAMPLES)]
pub(crate) struct ReceiveArgs {
    /// The team's engine: clickhouse+https://HOST:PORT/DATABASE
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    /// Accept at most this many bytes per request, as sent; unpacked, four times as many
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "32M")]
    pub(crate) max_body: u64,
    /// Accept at most N requests per minute from each machine
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub(crate) rate: u32,
}
