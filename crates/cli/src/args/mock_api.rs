//! The arguments of `annals mock-api`.

use std::path::PathBuf;

pub(super) const MOCK_API_EXAMPLES: &str = "\
Examples:
  annals mock-api --script answers.json                 answers by the script until Ctrl-C
  annals mock-api --script answers.json --once          ends when every step was asked for
  annals mock-api --script answers.json --record requests.jsonl --port 8080

A script is {NAME: [STEP, ...]}. A prompt that holds @@NAME@@ walks through its steps, one a response; a step is a
list of content blocks, or an object that says what goes wrong:

  {\"hello\": [[{\"type\":\"text\",\"text\":\"Hello.\"}]],
   \"list\":  [[{\"type\":\"tool_use\",\"name\":\"Glob\",\"input\":{\"pattern\":\"*\"}}],
             [{\"type\":\"text\",\"text\":\"That is all.\"}]],
   \"busy\":  [{\"status\":529,\"times\":2,\"content\":[{\"type\":\"text\",\"text\":\"At last.\"}]}]}

Point any client at it: ANTHROPIC_BASE_URL=http://127.0.0.1:PORT ANTHROPIC_API_KEY=any. What the real API refuses is
refused here, with the same status and the place; docs/mock-api.md has all that a step can say.

Exit codes: 0 ended, 1 a request was invalid, or --once and not all steps were asked for, 2 a bad script or port.";

/// `annals mock-api`
#[derive(Debug, clap::Args)]
#[command(after_help = MOCK_API_EXAMPLES)]
pub(crate) struct MockApiArgs {
    /// What is answered, as JSON; without it every answer is a line of text
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// The port on 127.0.0.1 [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Add every request to this file, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// What {{CWD}} in the script stands for [default: this folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<PathBuf>,
    /// End when every step was asked for, or at the first request that is invalid
    #[arg(long)]
    pub(crate) once: bool,
}
