//! `--as api`: the messages that a client would send on resume, and what it leaves out and why.

use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::args::ShowArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

pub(crate) fn run(
    args: &ShowArgs,
    target: &ResolvedSession,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let resumed = resume(&Transcript::parse(&bytes), args.client.unwrap_or(Client::NEWEST));
    let mut json = Vec::new();
    resumed.write_json(&mut json);
    json.push(b'\n');
    context.out.json_text(&json)?;
    Ok(if resumed.outcome.is_ok() { Outcome::Done } else { Outcome::ProblemsFound })
}
