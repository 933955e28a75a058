//! `annals clone`: copies a session under new ids.

use std::path::Path;

use annals_store::changes::Change;
use annals_store::{ConfigDir, SessionKey, Slug};
use annals_surgery::clone::{CloneTarget, plan};
use annals_surgery::session_files::{SessionFile, load};
use annals_surgery::{Plan, Session};

use crate::args::{CloneArgs, ConfirmArgs};
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &CloneArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (session, session_files) = read(&args.session, context)?;
    let into = match &args.into {
        None => CloneTarget::SameProject,
        Some(folder) => project_of(folder, &session, context),
    };
    let cloned = plan(&session, &session_files, &into, &context.source)
        .map_err(|error| Fault::usage(error.to_string()))?;
    let new = CopyPlan { session: cloned.names.session(), path: &cloned.path, home: cloned.home.as_ref() };
    let size = sizes(cloned.records, &cloned.plan);
    let done = Sentence::new("clone", "cloned", format!("{} as {}: {size}", session.key, new.session));
    new.carry_out(&cloned.plan, args.confirm, context, &done)
}

/// Reads a session and everything that belongs to it.
pub(super) fn read(argument: &str, context: &Context) -> Result<(Session, Vec<SessionFile>), Fault> {
    let target = ResolvedSession::find_to_change(context, argument)?;
    let path = std::path::absolute(&target.path).unwrap_or(target.path);
    Ok(load(&path)?)
}

fn project_of(folder: &Path, session: &Session, context: &Context) -> CloneTarget {
    let folder = context.current_dir.as_ref().map_or_else(|| folder.to_path_buf(), |here| here.join(folder));
    let real = folder.canonicalize().unwrap_or(folder);
    let config = match &session.home {
        Some((config, _)) => config.clone(),
        None => context.store.config_dir().clone(),
    };
    CloneTarget::Project { config, cwd: real.to_string_lossy().into_owned() }
}

/// Describes how much is copied.
pub(super) fn sizes(records: usize, plan: &Plan) -> String {
    let (records, files) = (records as u64, plan.changes.len() as u64);
    format!("{}, {}", words::plural(records, "record", "records"), words::plural(files, "file", "files"))
}

/// A new session that a plan creates.
pub(super) struct CopyPlan<'m> {
    pub(super) session: &'m SessionKey,
    pub(super) path: &'m Path,
    pub(super) home: Option<&'m (ConfigDir, Slug)>,
}

impl CopyPlan<'_> {
    /// Applies the plan, and adds the session to the project's index.
    pub(super) fn carry_out(
        &self,
        plan: &Plan,
        confirm: ConfirmArgs,
        context: &mut Context,
        done: &Sentence,
    ) -> Result<Outcome, Fault> {
        let change = ChangeReport { bytes_before: Some(0), ..ChangeReport::of(self.path) };
        // Ids are random: a preview cannot know the one that the change will make.
        let would = format!("{}; the id will be another", done.would);
        let done = Sentence { done: done.done.clone(), would };
        let mut plan = plan.clone();
        if let Some((config, slug)) = self.home {
            plan.changes.push(Change::RefreshIndex { session: config.session(slug, self.session) });
        }
        let outcome = carry_out(&plan, confirm, change, context, &done)?;
        if outcome == Outcome::Done && !confirm.dry_run && !context.json && context.verbosity >= 0 {
            let id = self.session;
            let next = format!("  to resume it: claude --resume {id}, or annals chat --resume {id}");
            context.out.painted_note(Some(Paint::Dim), next)?;
        }
        Ok(outcome)
    }
}
