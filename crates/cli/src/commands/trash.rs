//! `annals trash`: sessions leave the store; and the trash itself, listed or emptied.

use std::path::PathBuf;

use annals_json::ObjectWriter;
use annals_store::source::Clock;
use annals_store::trash::{Emptying, Heap, empty, emptying, heaps};
use annals_store::{ConfigDir, Discovery, Store};
use annals_surgery::trash::{Prompts, TrashPlanError, Trashing, plan};
use annals_transcript::time::format_millis;

use crate::args::TrashArgs;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::Target;
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
    let prompts = if args.history { Prompts::Go } else { Prompts::Stay };
    let trashing = plan(&paths, &discovery, prompts).map_err(fault)?;
    let mut change = match paths.as_slice() {
        [only] => Change::of(only),
        _ => Change::default(),
    };
    change.removed = Some(trashing.sessions);
    change.bytes_before = Some(trashing.bytes);
    carry_out(&trashing.plan, args.care, change, context, &sentence(&paths, &trashing))
}

/// The files of the sessions, and the store that they are in: one change is of one store.
fn find(arguments: &[String], context: &Context) -> Result<(Vec<PathBuf>, Discovery), Fault> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut store: Option<ConfigDir> = None;
    for argument in arguments {
        let target = Target::find(context, argument)?;
        target.check_readable()?;
        let path = std::path::absolute(&target.path).unwrap_or(target.path);
        let config = ConfigDir::containing(&path)
            .ok_or_else(|| Fault::usage(format!("{}: is no session of a store", path.display())))?;
        match &store {
            Some(other) if *other != config => {
                return Err(Fault::usage("these sessions are in two stores").hint("trash them one by one"));
            }
            _ => store = Some(config),
        }
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let config = store.ok_or_else(|| Fault::usage("no session is named"))?;
    Ok((paths, Store::open(config.path()).discover()))
}

fn sentence(paths: &[PathBuf], trashing: &Trashing) -> String {
    let who = match paths {
        [only] => only.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        _ => words::plural(trashing.sessions, "session", "sessions"),
    };
    let files = words::plural(trashing.files, "file", "files");
    format!("{who} is in the trash: {files}, {}", words::bytes(trashing.bytes)).replacen(
        " is in",
        if paths.len() == 1 { " is in" } else { " are in" },
        1,
    )
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
    let heaps = heaps(&context.data_dir()?);
    if context.json {
        context.out.json(|object| {
            write_heaps(object, "changes", &heaps);
            write_sums(object, &heaps);
        })?;
    } else if heaps.is_empty() {
        context.out.line("the trash is empty")?;
    } else {
        draw(&heaps, context)?;
        let all = format!("{} in all; annals trash --empty deletes it for good", sum(&heaps));
        let all = context.out.paint(Paint::Dim, all);
        context.out.line(all)?;
    }
    Ok(if heaps.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn delete(args: &TrashArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let data = context.data_dir()?;
    let now = context.source.now();
    let cutoff = args.older_than.map_or(i64::MAX, |age| now - age.0);
    let Emptying { goes, spared } = emptying(&data, cutoff, now);
    for left in &spared {
        context.say(format!("{} stays in the trash: {}", left.heap.id, left.why));
    }
    if !args.care.dry_run && !goes.is_empty() {
        if !args.care.yes && !context.can_ask() {
            return Err(Fault::usage("what is deleted from the trash is gone for good")
                .hint("say --yes where nobody can be asked; --dry-run shows what would go"));
        }
        if !args.care.yes {
            draw(&goes, context)?;
        }
        let question = format!("delete {} for good? This cannot be taken back.", sum(&goes));
        if !context.agrees(args.care, &question)? {
            return Ok(Outcome::Declined);
        }
        empty(&data, &goes)?;
    }
    if context.json {
        context.out.json(|object| {
            write_heaps(object, "changes", &goes);
            write_sums(object, &goes);
            object.boolean("deleted", !args.care.dry_run && !goes.is_empty());
        })?;
        return Ok(Outcome::Done);
    }
    match (goes.is_empty(), args.care.dry_run) {
        (true, _) => context.out.line("there is nothing to delete")?,
        (false, true) => {
            draw(&goes, context)?;
            context.out.line(format!("would delete {} for good", sum(&goes)))?;
        }
        (false, false) => context.out.line(format!("deleted {} for good", sum(&goes)))?,
    }
    Ok(Outcome::Done)
}

fn sum(heaps: &[Heap]) -> String {
    let files: u64 = heaps.iter().map(|heap| heap.files).sum();
    let bytes: u64 = heaps.iter().map(|heap| heap.bytes).sum();
    format!("{} ({})", words::plural(files, "file", "files"), words::bytes(bytes))
}

fn draw(heaps: &[Heap], context: &mut Context) -> Result<(), Fault> {
    let mut table = Table::new(&[
        ("change", Align::Left),
        ("when", Align::Left),
        ("state", Align::Left),
        ("files", Align::Right),
        ("size", Align::Right),
        ("what", Align::Left),
    ])
    .paint(1, Paint::Dim);
    for heap in heaps {
        let entry = heap.entry.as_ref();
        table.row(vec![
            heap.id.clone(),
            heap.time.map(|time| words::moment(time, &context.zone)).unwrap_or_default(),
            entry.map_or("unknown", |entry| entry.stage.name()).to_owned(),
            words::count(heap.files),
            words::bytes(heap.bytes),
            entry.map_or_else(String::new, |entry| entry.what.clone()),
        ]);
    }
    Ok(table.draw(&mut context.out)?)
}

fn write_heaps(object: &mut ObjectWriter<'_>, key: &str, heaps: &[Heap]) {
    object.array(key, |list| {
        for heap in heaps {
            list.object(|object| {
                object.string("change", &heap.id);
                object.string_or_null("what", heap.entry.as_ref().map(|entry| entry.what.as_str()));
                object.string_or_null("state", heap.entry.as_ref().map(|entry| entry.stage.name()));
                object.string_or_null("time", heap.time.map(format_millis).as_deref());
                object.number("files", heap.files).number("bytes", heap.bytes);
            });
        }
    });
}

fn write_sums(object: &mut ObjectWriter<'_>, heaps: &[Heap]) {
    object.number("files", heaps.iter().map(|heap| heap.files).sum::<u64>());
    object.number("bytes", heaps.iter().map(|heap| heap.bytes).sum::<u64>());
}
