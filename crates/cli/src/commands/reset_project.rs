//! `annals reset-project`: moves all sessions of a project to the trash.

use annals_store::Slug;
use annals_store::reset::{ResetPlan, apply, plan};

use crate::args::ResetProjectArgs;
use crate::change::ChangeReport;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

pub(crate) fn run(args: &ResetProjectArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let slug = find(args.project.as_deref(), context)?;
    let data = context.data_dir()?;
    let config = context.store.config_dir().clone();
    let discovery = context.discover_for(|problem| problem.path.starts_with(config.project(&slug)));
    let plan = plan(&discovery, &config, &slug);
    discovery.sessions_of(&slug).for_each(|session| context.name_session(&session.path));
    if plan.paths.is_empty() {
        return Err(Fault::nothing_found(format!("{slug}: nothing to reset")));
    }
    let sessions = words::plural(plan.sessions.len() as u64, "session", "sessions");
    let mut change = ChangeReport {
        removed: Some(plan.sessions.len() as u64),
        bytes_before: Some(plan.bytes),
        bytes_after: Some(0),
        file: Some(config.project(&slug)),
        ..ChangeReport::default()
    };
    if args.confirm.dry_run {
        if !context.json {
            draw(&plan, context)?;
        }
        change
            .report(context, &format!("would move {sessions} ({}) to the trash", words::bytes(plan.bytes)))?;
        return Ok(Outcome::Done);
    }
    let question = format!("move {sessions} of {slug} ({}) to the trash?", words::bytes(plan.bytes));
    if !context.confirms(args.confirm, &question)? {
        return Ok(Outcome::Declined);
    }
    let entry = apply(&plan, &config, &data, &context.source)?;
    change.undo = Some(entry.id);
    change.report(context, &format!("moved {sessions} ({}) to the trash", words::bytes(plan.bytes)))?;
    Ok(Outcome::Done)
}

/// A project by its folder's name, or by its working directory.
fn find(named: Option<&str>, context: &Context) -> Result<Slug, Fault> {
    let config = context.store.config_dir();
    if let Some(name) = named {
        let as_slug = Slug::new(name);
        let is_name = !name.contains(std::path::is_separator) && name != "." && name != "..";
        if is_name && config.project(&as_slug).is_dir() {
            return Ok(as_slug);
        }
    }
    let here = context.current_dir.clone().unwrap_or_default();
    let path = named.map_or(here.clone(), |name| here.join(name));
    let path = path.canonicalize().unwrap_or(path);
    let slug = Slug::of_path(&path.to_string_lossy());
    if config.project(&slug).is_dir() {
        return Ok(slug);
    }
    Err(Fault::nothing_found(format!("{}: the store has no sessions of this project", path.display()))
        .hint("annals ls shows the projects"))
}

fn draw(plan: &ResetPlan, context: &mut Context) -> Result<(), Fault> {
    for path in &plan.paths {
        context.out.line(format!("  {}", path.display()))?;
    }
    Ok(())
}
