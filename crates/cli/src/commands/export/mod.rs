//! `annals export`: writes sessions as files for people and other programs.

mod bundle;
mod document;
mod facts;
mod folder;
mod index_page;
mod manifest;
mod names;
mod redaction;

use std::path::Path;
use std::sync::Arc;

use crate::args::{ExportArgs, ExportFormat};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::{stderr, words};

#[cfg(all(unix, feature = "tui"))]
pub(crate) use bundle::bundle_of;
pub(crate) use document::{Document, show_page};
use folder::{ExportFolder, WriteOutcome};

pub(crate) fn run(args: &ExportArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if args.include_agents && args.form == ExportFormat::Json {
        return Err(Fault::usage("--as json has the messages of the session only")
            .hint("leave out --include-agents, or use --as html, markdown or text"));
    }
    let targets = targets(args, context)?;
    if targets.is_empty() {
        return Err(
            Fault::nothing_found("there is no session to export").hint("annals ls --all lists every session")
        );
    }
    if args.form == ExportFormat::Bundle {
        return bundle::run(args, &targets, context);
    }
    if args.to == Path::new("-") {
        return to_stdout(args, &targets, context);
    }
    to_folder(args, &targets, context)
}

/// The sessions that the arguments name, each once.
fn targets(args: &ExportArgs, context: &Context) -> Result<Vec<ResolvedSession>, Fault> {
    if !args.all && args.project.is_none() {
        let mut targets: Vec<ResolvedSession> = Vec::new();
        for argument in &args.sessions {
            let target = ResolvedSession::find_or_unpack(context, argument)?;
            if !targets.iter().any(|known| known.path == target.path) {
                targets.push(target);
            }
        }
        return Ok(targets);
    }
    Ok(context.each_store(|context| targets_of_store(args, context)).into_iter().flatten().collect())
}

/// The sessions of the store in use, all or those of a project.
fn targets_of_store(args: &ExportArgs, context: &Context) -> Vec<ResolvedSession> {
    let discovery = Arc::new(context.discover());
    let (summaries, problems) = context.store.summaries(&discovery);
    context.note_unread(problems);
    let part = args.project.as_ref().map(|project| project.to_lowercase());
    let is_wanted = |summary: &annals_store::Summary| {
        let path = summary.project.as_ref().map_or("", |project| project.path.as_str());
        let is_inside = |part: &String| {
            path.to_lowercase().contains(part) || summary.slug.as_str().to_lowercase().contains(part)
        };
        !summary.is_empty() && !summary.is_warm_up && part.as_ref().is_none_or(is_inside)
    };
    let wanted: Vec<_> =
        summaries.iter().filter(|summary| is_wanted(summary)).map(|summary| &summary.path).collect();
    let sessions = discovery.sessions.iter().filter(|session| wanted.contains(&&session.path));
    sessions.map(|session| ResolvedSession::of_entry(session, &discovery)).collect()
}

fn to_stdout(
    args: &ExportArgs,
    targets: &[ResolvedSession],
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let [target] = targets else {
        let count = targets.len();
        return Err(Fault::usage(format!("standard output takes one session, but {count} were named"))
            .hint("name a folder: --to DIR"));
    };
    if context.json && args.form != ExportFormat::Json {
        return Err(Fault::usage("this format has no JSON").hint("use --as json, or name a folder: --to DIR"));
    }
    let document = Document::of(args, target, context)?;
    match args.form {
        ExportFormat::Json if context.json => context.out.json_text(&document.into_bytes())?,
        ExportFormat::Json => context.out.exact_json(&document.into_bytes())?,
        _ if context.out.is_terminal => context.out.exact(&document.into_bytes())?,
        _ => document.pieces.iter().try_for_each(|piece| context.out.exact(piece))?,
    }
    Ok(Outcome::Done)
}

/// What an export did.
#[derive(Default)]
struct ExportReport {
    written: Vec<(String, String)>,
    unchanged: usize,
    skipped: Vec<(String, String)>,
    index: Option<String>,
    is_blocked: bool,
}

fn to_folder(
    args: &ExportArgs,
    targets: &[ResolvedSession],
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let mut folder = ExportFolder::open(args, context)?;
    let mut report = ExportReport::default();
    let mut progress = context.progress("exporting", Some(targets.len() as u64));
    for target in targets {
        let id = target.key.to_string();
        match folder.export(args, target, context) {
            Ok(WriteOutcome::Written(name)) => report.written.push((id, name)),
            Ok(WriteOutcome::Unchanged(name)) => {
                report.unchanged += 1;
                if context.verbosity > 0 {
                    stderr::say(format_args!("annals: {id}: unchanged, {name} is up to date"));
                }
            }
            Ok(WriteOutcome::Foreign(name)) => {
                report.is_blocked = true;
                let reason = format!(
                    "{name} exists, and annals did not write it or it was changed since; --force replaces it"
                );
                report.skipped.push((id, reason));
            }
            // What cannot be written will not be written for the next session either.
            Err(fault) if fault.is_of_system() => {
                // What is done is kept, if that can be noted.
                let _ = folder.save();
                return Err(fault);
            }
            Err(fault) => report.skipped.push((id, fault.message().to_owned())),
        }
        progress.advance(1, |count| count.to_string());
    }
    drop(progress);
    for (id, reason) in &report.skipped {
        context.say(format!("skipped {id}: {reason}"));
    }
    let list = folder.finish(args);
    folder.save()?;
    match list? {
        Some(WriteOutcome::Foreign(name)) => {
            report.is_blocked = true;
            context.say(format!("{name}: not written by annals, so it was left alone; --force replaces it"));
        }
        Some(WriteOutcome::Written(name) | WriteOutcome::Unchanged(name)) => report.index = Some(name),
        None => {}
    }
    finish(args, &report, context)
}

fn finish(args: &ExportArgs, report: &ExportReport, context: &mut Context) -> Result<Outcome, Fault> {
    let place = args.to.display().to_string();
    if context.json {
        context.out.json(|object| {
            object.string("to", &place);
            object.array("written", |list| {
                for (id, name) in &report.written {
                    list.object(|object| {
                        object.string("session", id).string("file", name);
                    });
                }
            });
            object.number("unchanged", report.unchanged as u64);
            object.array("skipped", |list| {
                for (id, reason) in &report.skipped {
                    list.object(|object| {
                        object.string("session", id).string("reason", reason);
                    });
                }
            });
            object.string_or_null("index", report.index.as_deref());
        })?;
    } else {
        let mut counts = vec![words::plural(report.written.len() as u64, "session", "sessions") + " written"];
        counts.extend((report.unchanged > 0).then(|| format!("{} unchanged", report.unchanged)));
        counts.extend((!report.skipped.is_empty()).then(|| format!("{} skipped", report.skipped.len())));
        context.out.line(format!("{place}: {}", counts.join(", ")))?;
        let only = match report.written.as_slice() {
            [(_, name)] => Some(name),
            _ => None,
        };
        if let Some(name) = report.index.as_ref().or(only) {
            context.out.line(format!("  {}", args.to.join(name).display()))?;
        }
    }
    let is_nothing = report.written.is_empty() && report.unchanged == 0;
    match report.is_blocked {
        true => Err(Fault::conflict("some files were left alone").hint("--force replaces them")),
        false if is_nothing => Ok(Outcome::NothingFound),
        false => Ok(Outcome::Done),
    }
}
