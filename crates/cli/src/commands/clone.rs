//! `annals clone`: copies a session under new ids.

use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::{ConfigDir, SessionKey, Slug};
use annals_surgery::bundle::{self, Bundle, ImportIds, ImportTarget, gather};
use annals_surgery::clone::{CloneTarget, plan};
use annals_surgery::session_files::{SessionFile, load};
use annals_surgery::{Plan, Session};
use annals_team::Engine;
use annals_team::query::TeamFile;

use super::import::{fault, unreadable};
use crate::args::{CloneArgs, ConfirmArgs};
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::remote::{Question, fetch_bundle};
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::team_store::{FetchedFiles, files_of_session};
use crate::words;

pub(crate) fn run(args: &CloneArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(question) = Question::for_bundle(&args.session, &args.at) {
        let bytes = fetch_bundle(&question, context)?;
        let bundle = Bundle::read(&bytes[..]).map_err(|error| unreadable(question.at(), error))?;
        return clone_bundle(&bundle, args, context);
    }
    if let Some(engine) = args.at.open(context)? {
        let bundle = fetch(args, &engine, context)?;
        return match args.bundle {
            true => write_bundle(&bundle, context),
            false => clone_bundle(&bundle, args, context),
        };
    }
    let (session, session_files) = read(&args.session, context)?;
    let into = match &args.into {
        None => CloneTarget::SameProject,
        Some(folder) => project_of(folder, &session, context),
    };
    carry_out_clone(&session, &session_files, &into, args.confirm, context)
}

/// Fetches a session of a team, with everything that belongs to it.
fn fetch(args: &CloneArgs, engine: &Engine, context: &Context) -> Result<Bundle, Fault> {
    let found = files_of_session(engine, &args.at.scope.scope(), &args.session, context)?;
    let mut sessions: Vec<&TeamFile> = found.iter().filter(|file| file.role == "session").collect();
    sessions.sort_by(|left, right| left.session.cmp(&right.session));
    let wanted = match sessions.as_slice() {
        [one] => one.session.clone(),
        [] => return Err(Fault::nothing_found(format!("the team has no session {:?}", args.session))),
        several => {
            let fault = Fault::usage(format!("{:?} matches {} sessions", args.session, several.len()));
            return Err(several.iter().fold(fault, |fault, file| fault.hint(&file.session)));
        }
    };
    // It must stay until everything is read.
    let fetched = FetchedFiles::fetch(engine, &found, context)?;
    let is_it = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == wanted.as_str());
    let Some(path) = fetched.paths.iter().find(is_it) else {
        return Err(Fault::nothing_found(format!("the team has no lines of session {wanted}")));
    };
    let (bundle, left_out) = gather(path).map_err(|error| Fault::damage(error.to_string()))?;
    if !left_out.is_empty() {
        let files = words::plural(
            left_out.len() as u64,
            "file that no client reads is",
            "files that no client reads are",
        );
        context.say(format!("{files} left out"));
    }
    Ok(bundle)
}

/// Writes the bundle of a team's session, for `serve --from`.
fn write_bundle(bundle: &Bundle, context: &mut Context) -> Result<Outcome, Fault> {
    if context.out.is_terminal {
        return Err(Fault::usage("cannot write a bundle to a terminal"));
    }
    let mut bytes = Vec::new();
    bundle.write(&mut bytes)?;
    context.out.exact(&bytes)?;
    Ok(Outcome::Done)
}

/// Clones a session of a team into the project of a folder of this machine.
fn clone_bundle(bundle: &Bundle, args: &CloneArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let here = context.current_dir.clone().unwrap_or_default();
    let folder = here.join(args.into.as_deref().unwrap_or(&here));
    let cwd = folder.canonicalize().unwrap_or(folder).to_string_lossy().into_owned();
    let target = ImportTarget { config: context.store.config_dir().clone(), cwd: Some(cwd) };
    let name = Path::new("a session of the team");
    let discovery = context.discover();
    let mut import =
        bundle::plan(bundle, name, &target, ImportIds::New, &discovery, &context.source).map_err(fault)?;
    import.plan.what = format!("clone {} as {}", bundle.session, import.session);
    context.say("this session is redacted: its secrets were replaced before it was sent, and outputs that were not sent are missing");
    let new = CopyPlan { session: &import.session, path: &import.path, home: None };
    let size = sizes(import.records, &import.plan);
    let done = Sentence::new("clone", "cloned", format!("{} as {}: {size}", bundle.session, new.session));
    new.carry_out(&import.plan, args.confirm, context, &done)
}

fn carry_out_clone(
    session: &Session,
    session_files: &[SessionFile],
    into: &CloneTarget,
    confirm: ConfirmArgs,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let cloned = plan(session, session_files, into, &context.source)
        .map_err(|error| Fault::usage(error.to_string()))?;
    let new = CopyPlan { session: cloned.names.session(), path: &cloned.path, home: cloned.home.as_ref() };
    let size = sizes(cloned.records, &cloned.plan);
    let done = Sentence::new("clone", "cloned", format!("{} as {}: {size}", session.key, new.session));
    new.carry_out(&cloned.plan, confirm, context, &done)
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
        let would = format!("{}; the actual id will differ", done.would);
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
