//! `annals tail`: the last records of a session, then each new one when it is written, until somebody stops it.

mod people;
mod programs;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use annals_store::follow::{Event, Follower, Start};
use annals_store::watch::{Subject, Watch};

use crate::args::{NoticeBy, TailArgs};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Output;
use crate::session::Target;

/// How long to wait at most before looking anyway. The watch tells of every change; this is for a watch with a fault.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &TailArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = Target::find(context, &args.session)?;
    target.check_readable()?;
    // Before the first look, so that nothing falls between the two.
    let mut watch = watch(args.notice_by, Subject::File(target.path.clone()))?;
    let mut follower = Follower::open(&target.path, Start::LastLines(args.lines))?;
    if context.json {
        let mut programs = programs::Programs::new(&target.path);
        follow(&mut follower, &mut watch, &mut context.out, |event, out| programs.show(event, out))
    } else {
        let mut people = people::People::new(context);
        follow(&mut follower, &mut watch, &mut context.out, |event, out| people.show(event, out))
    }
}

fn watch(by: NoticeBy, subject: Subject) -> Result<Watch, Fault> {
    match by {
        NoticeBy::Best => Ok(Watch::new(subject)),
        NoticeBy::Polling => Ok(Watch::polling(subject)),
        NoticeBy::Events => Watch::events(subject).map_err(|error| Fault::internal(error.to_string())),
    }
}

/// Shows what happens, each thing at once, for as long as somebody reads.
fn follow(
    follower: &mut Follower,
    watch: &mut Watch,
    out: &mut Output,
    mut show: impl FnMut(Event<'_>, &mut Output) -> io::Result<()>,
) -> Result<Outcome, Fault> {
    loop {
        let failed = follower.poll(|event| match show(event, out).and_then(|()| out.flush()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        watch.wait(LONGEST_WAIT);
    }
}
