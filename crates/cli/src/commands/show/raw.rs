//! `--as raw`: the file, put together from its lines, byte for byte.

use std::io::Write;
use std::ops::ControlFlow;

use annals_store::read::stream_lines;

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;

pub(crate) fn run(target: &Target, context: &mut Context) -> Result<Outcome, Fault> {
    let out = &mut context.out;
    let failed = stream_lines(&target.path, |line| match out.write_all(line.raw()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    })?;
    failed.map_or(Ok(Outcome::Done), |error| Err(error.into()))
}
