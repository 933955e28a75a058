//! `annals tail`: prints the last records of a session, then each new one.

mod json_lines;
mod live_view;

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use annals_store::follow::{FollowEvent, FollowStart, Follower};
use annals_store::watch::{Watch, WatchTarget};

use crate::args::{TailArgs, WatchMethod};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Output;
use crate::session::ResolvedSession;

/// The longest wait before looking anyway, in case the watch misses a change.
const MAX_WAIT: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &TailArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = ResolvedSession::find(context, &args.session)?;
    target.check_readable()?;
    // Before the first read, so that no change is missed in between.
    let mut watch = watch(args.notice_by, WatchTarget::File(target.path.clone()))?;
    let mut follower = Follower::open(&target.path, FollowStart::LastLines(args.lines))?;
    if context.json {
        let mut lines = json_lines::JsonLines::new(&target.path);
        follow(&mut follower, &mut watch, &mut context.out, |event, out| lines.show(event, out))
    } else {
        let mut view = live_view::LiveView::new(context);
        follow(&mut follower, &mut watch, &mut context.out, |event, out| view.show(event, out))
    }
}

fn watch(by: WatchMethod, subject: WatchTarget) -> Result<Watch, Fault> {
    match by {
        WatchMethod::Best => Ok(Watch::new(subject)),
        WatchMethod::Polling => Ok(Watch::polling(subject)),
        WatchMethod::Events => Watch::events(subject).map_err(|error| Fault::system(error.to_string())),
    }
}

/// Prints events as they happen, until the reader goes away.
fn follow(
    follower: &mut Follower,
    watch: &mut Watch,
    out: &mut Output,
    mut show: impl FnMut(FollowEvent<'_>, &mut Output) -> io::Result<()>,
) -> Result<Outcome, Fault> {
    loop {
        let failed = follower.poll(|event| match show(event, out).and_then(|()| out.flush()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        watch.wait(MAX_WAIT);
    }
}
