//! `annals trash`: moves sessions to the trash, lists it, or empties it.

use std::path::PathBuf;

use annals_json::ObjectWriter;
use annals_store::source::Clock;
use annals_store::trash::{EmptyPlan, TrashBatch, batches, empty, plan_empty};
use annals_store::{ConfigDir, Discovery, Store, Summary};
use annals_surgery::trash::{PromptHistory, TrashPlan, TrashPlanError, plan};
use annals_transcript::time::format_millis;

use super::undo::WIDE;
use crate::args::TrashArgs;
use crate::change::{ChangeReport, ChangeSubject, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::table::{Align, Table, one_line};
use crate::words;

pub(crate) fn run(args: &TrashArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if args.list {
        return list(args, context);
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
    if paths.len() > 1 && !context.json && !args.confirm.yes {
        for path in &paths {
            let title = Summary::read_path(path).ok();
            let title = title.as_ref().and_then(Summary::display_title).unwrap_or_default();
            let session = path.file_stem().unwrap_or_default().to_string_lossy();
            context.out.line(format!("  {session}  {}", one_line(title)))?;
        }
    }
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

fn list(args: &TrashArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let mut batches = batches(&context.data_dir()?);
    let is_of = |batch: &TrashBatch| {
        batch.entry.as_ref().is_some_and(|entry| context.store.position_of(entry).is_some())
    };
    batches.retain(|batch| args.all_stores || is_of(batch));
    if context.json {
        context.out.json(|object| {
            write_batches(object, "changes", &batches);
            write_sums(object, &batches);
        })?;
    } else if batches.is_empty() {
        let whose = if args.all_stores { String::new() } else { format!(" of {}", context.store.names()) };
        context.out.line(format!("the trash{whose} is empty"))?;
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
    let mut plan = plan_empty(&data, cutoff, now);
    let config = context.store.config_dir().clone();
    if !args.all_stores {
        plan.retain_store(&config);
    }
    let EmptyPlan { to_delete, skipped, .. } = plan;
    for left in &skipped {
        context.say(format!("{} stays in the trash: {}", left.batch.id, left.reason));
    }
    if !args.confirm.dry_run && !to_delete.is_empty() {
        let whose =
            if args.all_stores { "all stores".to_owned() } else { config.path().display().to_string() };
        let question = format!(
            "delete {} of {whose} from the trash permanently? This cannot be undone.",
            sum(&to_delete)
        );
        context.check_confirmable(args.confirm, &question)?;
        if !args.confirm.yes {
            draw(&to_delete, context)?;
        }
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
    let is_wide = context.out.width >= WIDE;
    let mut heads = vec![
        ("change", Align::Left),
        ("when", Align::Left),
        ("state", Align::Left),
        ("files", Align::Right),
        ("size", Align::Right),
        ("what", Align::Left),
    ];
    heads.extend([("title", Align::Left), ("store", Align::Left)].into_iter().filter(|_| is_wide));
    let mut table = Table::new(&heads).paint(1, Paint::Dim);
    for batch in batches {
        let entry = batch.entry.as_ref();
        let subject = entry.map(ChangeSubject::of);
        let what = subject.as_ref().zip(entry).map(|(subject, entry)| subject.named(&entry.what));
        let mut row = vec![
            batch.id.clone(),
            batch.time.map(|time| words::moment(time, &context.zone)).unwrap_or_default(),
            entry.map_or("unknown", |entry| entry.stage.name()).to_owned(),
            words::count(batch.files),
            words::bytes(batch.bytes),
            what.unwrap_or_default(),
        ];
        if is_wide {
            row.push(subject.as_ref().and_then(|subject| subject.title.clone()).unwrap_or_default());
            row.push(subject.as_ref().map(ChangeSubject::store_name).unwrap_or_default());
        }
        table.row(row);
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
                if let Some(entry) = &batch.entry {
                    ChangeSubject::of(entry).write(object);
                }
            });
        }
    });
}

fn write_sums(object: &mut ObjectWriter<'_>, batches: &[TrashBatch]) {
    object.number("files", batches.iter().map(|batch| batch.files).sum::<u64>());
    object.number("bytes", batches.iter().map(|batch| batch.bytes).sum::<u64>());
}
