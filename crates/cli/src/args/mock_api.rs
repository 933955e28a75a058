//! The arguments of `annals mock-api`.

use std::path::PathBuf;

pub(super) const MOCK_API_EXAMPLES: &str = "\
Point any client at it: ANTHROPIC_BASE_URL=http://127.0.0.1:PORT and any
ANTHROPIC_API_KEY. Requests that the real API refuses are refused with the
same status. `annals help scripts` shows what a script looks like.

Exit codes: 0 ended; 1 a request was invalid, or --once and not all steps were
requested; 2 a bad script or port.

Examples:
  # Answer from a script until Ctrl-C
  annals mock-api --script answers.json

  # Exit once every step was requested, and record the requests
  annals mock-api --script answers.json --once --record requests.jsonl";

/// `annals mock-api`
#[derive(Debug, clap::Args)]
#[command(after_help = MOCK_API_EXAMPLES)]
pub(crate) struct MockApiArgs {
    /// Answer from this JSON script; without it every answer is a line of text
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// The port on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Append every request to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Replace {{CWD}} in the script with this folder [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<PathBuf>,
    /// Exit once every step was requested, or at the first invalid request
    #[arg(long)]
    pub(crate) once: bool,
}
