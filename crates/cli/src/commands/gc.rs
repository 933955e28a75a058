//! `annals gc`: lists leftovers that are safe to remove, or moves them to the trash.

use std::ops::ControlFlow;

use annals_json::ObjectWriter;
use annals_store::source::Clock;
use annals_surgery::apply::apply;
use annals_surgery::gc::{GcOptions, GcPlan, LeftoverKind, plan};
use annals_transcript::time::format_millis;

use crate::args::GcArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::{Align, Table};
use crate::words;

pub(crate) fn run(args: &GcArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let options = GcOptions {
        kinds: args.kind.iter().copied().collect(),
        cutoff: context.source.now().saturating_sub(args.older_than.0),
    };
    let found = plan(&context.discover(), &options)?;
    let goes = (args.apply || args.confirm.yes) && !args.confirm.dry_run && !found.plan.is_empty();
    if !context.json {
        draw(&found, context)?;
    }
    let mut undo = None;
    if goes {
        if !context.confirms(args.confirm, &format!("move {} to the trash?", sum(&found)))? {
            return Ok(Outcome::Declined);
        }
        let data = context.data_dir()?;
        let entry = apply(&found.plan, &data, &context.source, &mut |_| ControlFlow::Continue(()));
        undo = Some(entry?.id);
    }
    if context.json {
        context.out.json(|object| write(&found, undo.as_deref(), object))?;
        return Ok(Outcome::Done);
    }
    match undo {
        Some(id) => {
            context.out.line(format!("moved {} to the trash", sum(&found)))?;
            let back = context.out.paint(Paint::Dim, format!("  to revert: annals undo {id}"));
            context.out.line(back)?;
        }
        None if found.leftovers.is_empty() => context.out.line("nothing to clean up")?,
        None => {
            let all = format!("{} in total; annals gc --apply moves them to the trash", sum(&found));
            context.out.line(all)?;
        }
    }
    Ok(Outcome::Done)
}

fn sum(found: &GcPlan) -> String {
    let bytes = found.leftovers.iter().map(|leftovers| leftovers.bytes).sum();
    format!("{} ({})", words::plural(found.leftovers.len() as u64, "file", "files"), words::bytes(bytes))
}

/// Each kind that was found, how many files, and how many bytes.
fn by_kind(found: &GcPlan) -> Vec<(LeftoverKind, u64, u64)> {
    let of_kind = |kind: LeftoverKind| {
        let leftovers = found.leftovers.iter().filter(|leftovers| leftovers.kind == kind);
        leftovers
            .fold((kind, 0, 0), |(kind, files, bytes), leftovers| (kind, files + 1, bytes + leftovers.bytes))
    };
    LeftoverKind::ALL.into_iter().map(of_kind).filter(|(_, files, _)| *files > 0).collect()
}

fn draw(found: &GcPlan, context: &mut Context) -> Result<(), Fault> {
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
        for leftovers in &found.leftovers {
            context.out.line(format!("  {} {}", leftovers.kind, leftovers.path.display()))?;
        }
    }
    let skipped = found.skipped.len() as u64;
    if context.verbosity > 0 {
        for left in &found.skipped {
            context.out.line(format!("  left: {} {}: {}", left.kind, left.path.display(), left.why))?;
        }
    } else if skipped > 0 && context.verbosity == 0 {
        let files = words::plural(skipped, "file is", "files are");
        let left = format!("{files} left alone, since they may be needed (--verbose says why)");
        let left = context.out.paint(Paint::Dim, left);
        context.out.line(left)?;
    }
    Ok(())
}

fn write(found: &GcPlan, undo: Option<&str>, object: &mut ObjectWriter<'_>) {
    object.array("kinds", |list| {
        for (kind, files, bytes) in by_kind(found) {
            list.object(|object| {
                object.string("kind", kind.name()).number("files", files).number("bytes", bytes);
            });
        }
    });
    object.array("files", |list| {
        for leftovers in &found.leftovers {
            list.object(|object| {
                object
                    .string("kind", leftovers.kind.name())
                    .string("file", &leftovers.path.to_string_lossy());
                object.number("bytes", leftovers.bytes);
                object.string_or_null("modified", leftovers.modified.map(format_millis).as_deref());
            });
        }
    });
    object.array("left", |list| {
        for left in &found.skipped {
            list.object(|object| {
                object.string("kind", left.kind.name()).string("file", &left.path.to_string_lossy());
                object.string("why", &left.why);
            });
        }
    });
    object.string_if("undo", undo);
}
