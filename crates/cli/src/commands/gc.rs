//! `annals gc`: what nobody needs any more, listed, or moved to the trash.

use std::ops::ControlFlow;

use annals_json::ObjectWriter;
use annals_store::source::Clock;
use annals_surgery::apply::apply;
use annals_surgery::gc::{Collected, LitterKind, Options, plan};
use annals_transcript::time::format_millis;

use crate::args::GcArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::surgery::fault;
use crate::table::{Align, Table};
use crate::words;

pub(crate) fn run(args: &GcArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let options = Options {
        kinds: args.kind.iter().copied().collect(),
        cutoff: context.source.now().saturating_sub(args.older_than.0),
    };
    let found = plan(&context.store.discover(), &options)?;
    let goes = (args.apply || args.care.yes) && !args.care.dry_run && !found.plan.is_empty();
    if !context.json {
        draw(&found, context)?;
    }
    let mut undo = None;
    if goes {
        if !context.agrees(args.care, &format!("move {} to the trash?", sum(&found)))? {
            return Ok(Outcome::Declined);
        }
        let data = context.data_dir()?;
        let entry = apply(&found.plan, &data, &context.source, &mut |_| ControlFlow::Continue(()));
        undo = Some(entry.map_err(fault)?.id);
    }
    if context.json {
        context.out.json(|object| write(&found, undo.as_deref(), object))?;
        return Ok(Outcome::Done);
    }
    match undo {
        Some(id) => {
            context.out.line(format!("moved {} to the trash", sum(&found)))?;
            let back = context.out.paint(Paint::Dim, format!("  take it back: annals undo {id}"));
            context.out.line(back)?;
        }
        None if found.litter.is_empty() => context.out.line("there is nothing that nobody needs")?,
        None => {
            let all = format!("{} in all; annals gc --apply moves it to the trash", sum(&found));
            context.out.line(all)?;
        }
    }
    Ok(Outcome::Done)
}

fn sum(found: &Collected) -> String {
    let bytes = found.litter.iter().map(|litter| litter.bytes).sum();
    format!("{} ({})", words::plural(found.litter.len() as u64, "file", "files"), words::bytes(bytes))
}

/// Each kind that was found, how many files, and how many bytes.
fn by_kind(found: &Collected) -> Vec<(LitterKind, u64, u64)> {
    let of_kind = |kind: LitterKind| {
        let litter = found.litter.iter().filter(|litter| litter.kind == kind);
        litter.fold((kind, 0, 0), |(kind, files, bytes), litter| (kind, files + 1, bytes + litter.bytes))
    };
    LitterKind::ALL.into_iter().map(of_kind).filter(|(_, files, _)| *files > 0).collect()
}

fn draw(found: &Collected, context: &mut Context) -> Result<(), Fault> {
    let mut table = Table::new(&[
        ("kind", Align::Left),
        ("files", Align::Right),
        ("size", Align::Right),
        ("what", Align::Left),
    ]);
    for (kind, files, bytes) in by_kind(found) {
        let what = kind.explanation().to_owned();
        table.row(vec![kind.to_string(), words::count(files), words::bytes(bytes), what]);
    }
    if !table.is_empty() {
        table.draw(&mut context.out)?;
    }
    if context.verbosity > 0 {
        for litter in &found.litter {
            context.out.line(format!("  {} {}", litter.kind, litter.path.display()))?;
        }
    }
    let doubtful = found.doubtful.len() as u64;
    if context.verbosity > 0 {
        for left in &found.doubtful {
            context.out.line(format!("  left: {} {}: {}", left.kind, left.path.display(), left.why))?;
        }
    } else if doubtful > 0 && context.verbosity == 0 {
        let files = words::plural(doubtful, "file is", "files are");
        let left = format!("{files} left, since somebody may need them (--verbose says who)");
        let left = context.out.paint(Paint::Dim, left);
        context.out.line(left)?;
    }
    Ok(())
}

fn write(found: &Collected, undo: Option<&str>, object: &mut ObjectWriter<'_>) {
    object.array("kinds", |list| {
        for (kind, files, bytes) in by_kind(found) {
            list.object(|object| {
                object.string("kind", kind.name()).number("files", files).number("bytes", bytes);
            });
        }
    });
    object.array("files", |list| {
        for litter in &found.litter {
            list.object(|object| {
                object.string("kind", litter.kind.name()).string("file", &litter.path.to_string_lossy());
                object.number("bytes", litter.bytes);
                object.string_or_null("modified", litter.modified.map(format_millis).as_deref());
            });
        }
    });
    object.array("left", |list| {
        for left in &found.doubtful {
            list.object(|object| {
                object.string("kind", left.kind.name()).string("file", &left.path.to_string_lossy());
                object.string("why", &left.why);
            });
        }
    });
    object.string_if("undo", undo);
}
