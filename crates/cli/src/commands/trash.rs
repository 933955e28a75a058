//! `annals trash`: moves sessions to the trash, lists it, or empties it.

use std::path::PathBuf;

use annals_json::ObjectWriter;
use annals_store::source::Clock;
use annals_store::trash::{EmptyPlan, TrashBatch, batches, empty, plan_empty};
use annals_store::{ConfigDir, Discovery, Store};
use annals_surgery::trash::{PromptHistory, TrashPlan, TrashPlanError, plan};
use annals_transcript::time::format_millis;

use crate::args::TrashArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::table::{Align, Table};
use crate::words;

pub(crate) fn run(args: &TrashArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if args.list {
        return list(context);
    }
    if args.empty {
        return delete(args, context);
    }
    let (paths, discovery) = find(&args.sessions, context)?;
    let prompts = if args.history { PromptHistory::Remove } else { PromptHistory::Keep };
    let trashing = plan(&paths, &discovery, prompts).map_err(fault)?;
    let mut change = match paths.as_slice() {
        [only] => ChangeReport::of(only),
        _ => ChangeReport::default(),
    };
    change.removed = Some(trashing.sessions);
    change.bytes_before = Some(trashing.bytes);
    carry_out(&trashing.plan, args.confirm, change, context, &sentence(&paths, &trashing))
}

/// Finds the sessions and the one store that they are in.
fn find(arguments: &[String], context: &Context) -> Result<(Vec<PathBuf>, Discovery), Fault> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut store: Option<ConfigDir> = None;
    for argument in arguments {
        let target = ResolvedSession::find(context, argument)?;
        target.check_readable()?;
        let path = std::path::absolute(&target.path).unwrap_or(target.path);
        let config = ConfigDir::containing(&path)
            .ok_or_else(|| Fault::usage(format!("{}: not a session of a store", path.display())))?;
        match &store {
            Some(other) if *other != config => {
                return Err(
                    Fault::usage("these sessions are in different stores").hint("trash them one by one")
                );
            }
            _ => store = Some(config),
        }
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let config = store.ok_or_else(|| Fault::usage("no session given"))?;
    Ok((paths, Store::open(config.path()).discover()))
}

fn sentence(paths: &[PathBuf], trashing: &TrashPlan) -> Sentence {
    let who = match paths {
        [only] => only.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        _ => words::plural(trashing.sessions, "session", "sessions"),
    };
    let files = words::plural(trashing.files, "file", "files");
    let rest = format!("{who} to the trash: {files}, {}", words::bytes(trashing.bytes));
    Sentence::new("move", "moved", rest)
}

fn fault(error: TrashPlanError) -> Fault {
    match error {
        TrashPlanError::Read(error) => error.into(),
        TrashPlanError::NotASession { .. } | TrashPlanError::Inside { .. } => {
            Fault::usage(error.to_string()).hint("nothing was changed")
        }
    }
}

fn list(context: &mut Context) -> Result<Outcome, Fault> {
    let batches = batches(&context.data_dir()?);
    if context.json {
        context.out.json(|object| {
            write_batches(object, "changes", &batches);
            write_sums(object, &batches);
        })?;
    } else if batches.is_empty() {
        context.out.line("the trash is empty")?;
    } else {
        draw(&batches, context)?;
        let all = format!("{} in total; annals trash --empty deletes it permanently", sum(&batches));
        let all = context.out.paint(Paint::Dim, all);
        context.out.line(all)?;
    }
    Ok(if batches.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn delete(args: &TrashArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let data = context.data_dir()?;
    let now = context.source.now();
    let cutoff = args.older_than.map_or(i64::MAX, |age| now - age.0);
    let EmptyPlan { to_delete, skipped } = plan_empty(&data, cutoff, now);
    for left in &skipped {
        context.say(format!("{} stays in the trash: {}", left.batch.id, left.reason));
    }
    if !args.confirm.dry_run && !to_delete.is_empty() {
        if !args.confirm.yes && !context.can_prompt() {
            return Err(Fault::usage("emptying the trash cannot be undone")
                .hint("without a terminal, confirm with --yes; --dry-run shows what would be deleted"));
        }
        if !args.confirm.yes {
            draw(&to_delete, context)?;
        }
        let question = format!("delete {} permanently? This cannot be undone.", sum(&to_delete));
        if !context.confirms(args.confirm, &question)? {
            return Ok(Outcome::Declined);
        }
        empty(&data, &to_delete)?;
    }
    if context.json {
        context.out.json(|object| {
            write_batches(object, "changes", &to_delete);
            write_sums(object, &to_delete);
            object.boolean("deleted", !args.confirm.dry_run && !to_delete.is_empty());
        })?;
        return Ok(Outcome::Done);
    }
    match (to_delete.is_empty(), args.confirm.dry_run) {
        (true, _) => context.out.line("nothing to delete")?,
        (false, true) => {
            draw(&to_delete, context)?;
            context.out.line(format!("would delete {} permanently", sum(&to_delete)))?;
        }
        (false, false) => context.out.line(format!("deleted {} permanently", sum(&to_delete)))?,
    }
    Ok(Outcome::Done)
}

fn sum(batches: &[TrashBatch]) -> String {
    let files: u64 = batches.iter().map(|batch| batch.files).sum();
    let bytes: u64 = batches.iter().map(|batch| batch.bytes).sum();
    format!("{} ({})", words::plural(files, "file", "files"), words::bytes(bytes))
}

fn draw(batches: &[TrashBatch], context: &mut Context) -> Result<(), Fault> {
    let mut table = Table::new(&[
        ("change", Align::Left),
        ("when", Align::Left),
        ("state", Align::Left),
        ("files", Align::Right),
        ("size", Align::Right),
        ("what", Align::Left),
    ])
    .paint(1, Paint::Dim);
    for batch in batches {
        let entry = batch.entry.as_ref();
        table.row(vec![
            batch.id.clone(),
            batch.time.map(|time| words::moment(time, &context.zone)).unwrap_or_default(),
            entry.map_or("unknown", |entry| entry.stage.name()).to_owned(),
            words::count(batch.files),
            words::bytes(batch.bytes),
            entry.map_or_else(String::new, |entry| entry.what.clone()),
        ]);
    }
    Ok(table.draw(&mut context.out)?)
}

fn write_batches(object: &mut ObjectWriter<'_>, key: &str, batches: &[TrashBatch]) {
    object.array(key, |list| {
        for batch in batches {
            list.object(|object| {
                object.string("change", &batch.id);
                object.string_or_null("what", batch.entry.as_ref().map(|entry| entry.what.as_str()));
                object.string_or_null("state", batch.entry.as_ref().map(|entry| entry.stage.name()));
                object.string_or_null("time", batch.time.map(format_millis).as_deref());
                object.number("files", batch.files).number("bytes", batch.bytes);
            });
        }
    });
}

fn write_sums(object: &mut ObjectWriter<'_>, batches: &[TrashBatch]) {
    object.number("files", batches.iter().map(|batch| batch.files).sum::<u64>());
    object.number("bytes", batches.iter().map(|batch| batch.bytes).sum::<u64>());
}
