//! `--as raw`: the file, byte for byte, rebuilt from its parsed lines.

use std::ops::ControlFlow;

use annals_store::read::stream_lines;

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let out = &mut context.out;
    let failed = stream_lines(&target.path, |line| match out.exact(line.raw()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    })?;
    failed.map_or(Ok(Outcome::Done), |error| Err(error.into()))
}
