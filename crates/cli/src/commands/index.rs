//! `annals index`: brings the index up to date, once or continuously.

use std::collections::HashSet;
use std::time::Duration;

use annals_index::refresh::RefreshReport;
use annals_index::{Index, IndexError};
use annals_store::DataDir;
use annals_store::watch::{Watch, WatchTarget};

use crate::args::IndexArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::{indexed, vault, words};

/// Changes in quick succession are read together.
const QUIET: Duration = Duration::from_millis(300);
/// The longest wait before looking anyway.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// The wait after another annals updated the index: it may have missed the last change.
const SHORT_WAIT: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &IndexArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if args.watch {
        if args.rebuild {
            indexed::remove(context)?;
        }
        return follow(args, context);
    }
    context.try_each_store(|context| once(args, context))?;
    Ok(Outcome::Done)
}

/// Brings the index of the store in use up to date.
fn once(args: &IndexArgs, context: &mut Context) -> Result<(), Fault> {
    if args.rebuild {
        indexed::remove(context)?;
    }
    let data = context.data_dir()?;
    let (index, refreshed, forgotten) = if args.prune {
        pruned(&vault::deleted_files(context)?, context, &data)?
    } else {
        let (index, refreshed) = indexed::open(context)?;
        (index, refreshed, 0)
    };
    report(&refreshed, forgotten, &index, context)
}

/// Brings the index up to date, and removes files that are gone and not in the vault.
fn pruned(
    kept: &HashSet<String>,
    context: &Context,
    data: &DataDir,
) -> Result<(Index, RefreshReport, usize), IndexError> {
    let (mut index, refreshed) = indexed::open_to_change(context, data)?;
    let forgotten = index.forget_gone(kept, data, &context.prices)?;
    Ok((index, refreshed, forgotten))
}

/// Brings the index up to date whenever the store changes. It is opened each time, since others may change or rebuild it.
fn follow(args: &IndexArgs, context: &mut Context) -> Result<Outcome, Fault> {
    // Before the first pass, so that no change is missed in between.
    let mut watch = Watch::new(WatchTarget::Tree(context.store.config_dir().projects()));
    let data = context.data_dir()?;
    let (mut is_first, mut is_to_prune) = (true, args.prune);
    loop {
        let looked = if is_to_prune {
            pruned(&vault::deleted_files(context)?, context, &data)
        } else {
            indexed::open_to_change(context, &data).map(|(index, refreshed)| (index, refreshed, 0))
        };
        let wait = match looked {
            Ok((index, refreshed, forgotten)) => {
                if is_first || !refreshed.is_unchanged() {
                    report(&refreshed, forgotten, &index, context)?;
                    context.out.flush()?;
                }
                context.report_unread();
                (is_first, is_to_prune) = (false, false);
                MAX_WAIT
            }
            Err(IndexError::Busy { .. } | IndexError::Replaced { .. }) => SHORT_WAIT,
            Err(error) => return Err(error.into()),
        };
        watch.wait(wait);
        std::thread::sleep(QUIET);
    }
}

fn report(
    refreshed: &RefreshReport,
    forgotten: usize,
    index: &Index,
    context: &mut Context,
) -> Result<(), Fault> {
    let (path, size) = (index.path(), index.size());
    if context.json {
        context.out.json(|object| {
            object.string("index", &path.display().to_string());
            context.store.write_name(context.store.config_dir().path(), object);
            object.number("files", refreshed.files as u64).number("bytes", refreshed.bytes);
            object.number("gone", refreshed.gone as u64).number("renamed", refreshed.renamed as u64);
            object.number("forgotten", forgotten as u64).number("unread", refreshed.missing().count() as u64);
            object.number("restarted", refreshed.restarted as u64).number("indexBytes", size);
        })?;
        return Ok(());
    }
    let mut said = vec![match refreshed.files {
        0 => "nothing new".to_owned(),
        files => {
            let files = words::plural(files as u64, "file", "files");
            format!("read {files}, {}", words::bytes(refreshed.bytes))
        }
    }];
    let counts = [
        (refreshed.restarted, "read again because it was shortened or rewritten"),
        (refreshed.gone, "gone"),
        (refreshed.renamed, "renamed"),
        (forgotten, "removed"),
    ];
    said.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")));
    let store = context.store.label_of(context.store.config_dir().path());
    let store = if store.is_empty() { store } else { format!("{store}: ") };
    context.out.line(format!("{store}{}; the index is {}", said.join(", "), words::bytes(size)))?;
    Ok(())
}
