//! `annals clone`: a second session that says the same.

use std::path::Path;

use annals_store::sessions_index;
use annals_store::{ConfigDir, SessionKey, Slug};
use annals_surgery::belongings::{Belonging, load};
use annals_surgery::clone::{Into, plan};
use annals_surgery::{Plan, Session};

use crate::args::{Care, CloneArgs};
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &CloneArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (session, belongings) = read(&args.session, context)?;
    let into = match &args.into {
        None => Into::SameProject,
        Some(folder) => project_of(folder, &session, context),
    };
    let cloned = plan(&session, &belongings, &into, &context.source)
        .map_err(|error| Fault::usage(error.to_string()))?;
    let new = Made { session: cloned.names.session(), path: &cloned.path, home: cloned.home.as_ref() };
    let done = format!("cloned {} as {}: {}", session.key, new.session, sizes(cloned.records, &cloned.plan));
    new.carry_out(&cloned.plan, args.care, context, &done)
}

/// Reads the session that the argument means, and all that belongs to it.
pub(super) fn read(argument: &str, context: &Context) -> Result<(Session, Vec<Belonging>), Fault> {
    let target = Target::find(context, argument)?;
    let path = std::path::absolute(&target.path).unwrap_or(target.path);
    Ok(load(&path)?)
}

fn project_of(folder: &Path, session: &Session, context: &Context) -> Into {
    let folder = context.current_dir.as_ref().map_or_else(|| folder.to_path_buf(), |here| here.join(folder));
    let real = folder.canonicalize().unwrap_or(folder);
    let config = match &session.home {
        Some((config, _)) => config.clone(),
        None => context.store.config_dir().clone(),
    };
    Into::Project { config, cwd: real.to_string_lossy().into_owned() }
}

/// How much there is, in words.
pub(super) fn sizes(records: usize, plan: &Plan) -> String {
    let (records, files) = (records as u64, plan.changes.len() as u64);
    format!("{}, {}", words::plural(records, "record", "records"), words::plural(files, "file", "files"))
}

/// A session that is to be made.
pub(super) struct Made<'m> {
    pub(super) session: &'m SessionKey,
    pub(super) path: &'m Path,
    pub(super) home: Option<&'m (ConfigDir, Slug)>,
}

impl Made<'_> {
    /// Makes it, and tells the project's index of it.
    pub(super) fn carry_out(
        &self,
        plan: &Plan,
        care: Care,
        context: &mut Context,
        done: &str,
    ) -> Result<Outcome, Fault> {
        let change = Change { bytes_before: Some(0), ..Change::of(self.path) };
        let outcome = carry_out(plan, care, change, context, done)?;
        if let (Some((config, slug)), true) = (self.home, self.path.is_file()) {
            // The index is a cache, which is often out of date: a fault here loses nothing.
            let _ = sessions_index::refresh(config, slug, self.session);
        }
        Ok(outcome)
    }
}
