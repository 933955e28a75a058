//! `annals move-project`: re-attaches sessions after a project folder was moved or renamed.

use std::path::{Component, Path, PathBuf};

use annals_store::{Discovery, project_path};
use annals_surgery::move_project::{CwdMode, MovePlan, MovePlanError, Projects, Route, plan};

use crate::args::MoveProjectArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &MoveProjectArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let discovery = context.discover();
    let cwd = if args.keep_cwd { CwdMode::Kept } else { CwdMode::Follows };
    let moving = find(args, cwd, &discovery, context).map_err(fault)?;
    let named = |key| discovery.sessions_named(key).map(|session| &session.path);
    moving.sessions.iter().flat_map(named).for_each(|path| context.name_session(path));
    let config = context.store.config_dir();
    let folder = moving.folders.iter().map(|(_, to)| to).min_by_key(|to| to.as_str().len());
    let change = ChangeReport { file: folder.map(|to| config.project(to)), ..ChangeReport::default() };
    let sessions = words::plural(moving.sessions.len() as u64, "session", "sessions");
    let lines = words::plural(moving.lines as u64, "line", "lines");
    let rest = format!(
        "{sessions} ({}) to the project of {}, {lines} changed",
        words::bytes(moving.bytes),
        args.new
    );
    let done = Sentence::new("move", "moved", rest);
    if args.confirm.dry_run && !context.json {
        draw_sessions(&moving, context)?;
    }
    carry_out(&moving.plan, args.confirm, change, context, &done)
}

fn draw_sessions(moving: &MovePlan, context: &mut Context) -> Result<(), Fault> {
    for (from, to) in &moving.folders {
        context.out.line(format!("project {from} → {to}"))?;
    }
    for session in &moving.sessions {
        context.out.line(format!("session {session}"))?;
    }
    Ok(())
}

/// Plans by the name of a folder of the store, else by the path as given, else by the path with links resolved.
fn find(
    args: &MoveProjectArgs,
    cwd: CwdMode,
    discovery: &Discovery,
    context: &Context,
) -> Result<MovePlan, MovePlanError> {
    let new = real(&args.new, context).to_string_lossy().into_owned();
    let planned = |route: Route| plan(&Projects::load(discovery, route)?, cwd);
    let project = discovery.projects.iter().find(|project| project.slug == args.old.as_str());
    if let Some(project) = project {
        let (path, _) = project_path::of_project(discovery, project);
        let old = path.as_ref().map(|path| path.path.as_str());
        return planned(Route::of_slug(project.slug.clone(), old, &new)?);
    }
    let (given, real) = (lexical(&args.old, context), real(&args.old, context));
    match Route::of_folders(&given.to_string_lossy(), &new).and_then(planned) {
        Err(MovePlanError::Nothing { .. } | MovePlanError::Same { .. }) if real != given => {
            planned(Route::of_folders(&real.to_string_lossy(), &new)?)
        }
        planned => planned,
    }
}

fn fault(error: MovePlanError) -> Fault {
    let message = error.to_string();
    match error {
        MovePlanError::Nothing { .. } => {
            Fault::nothing_found(message).hint("annals ls --all lists every session, with its folder")
        }
        MovePlanError::Session { .. } => Fault::conflict(message)
            .hint("nothing was changed; annals merge joins the two halves of a split session"),
        MovePlanError::Clash { .. } => Fault::conflict(message).hint("nothing was changed"),
        MovePlanError::Read(error) => error.into(),
        MovePlanError::NotAbsolute { .. }
        | MovePlanError::Same { .. }
        | MovePlanError::IntoItself { .. }
        | MovePlanError::Edit { .. } => Fault::usage(message),
    }
}

/// Resolves links as the client does, for as much of the path as exists.
fn real(path: &str, context: &Context) -> PathBuf {
    let path = lexical(path, context);
    for there in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (there.canonicalize(), path.strip_prefix(there)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path
}

/// Makes a path absolute, without `.` and `..`, and without reading the disk.
fn lexical(path: &str, context: &Context) -> PathBuf {
    let here = context.current_dir.clone().unwrap_or_default();
    let mut out = PathBuf::new();
    for part in here.join(Path::new(path)).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}
