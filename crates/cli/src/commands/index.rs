//! `annals index`: brings the index up to date, once or for as long as the store changes.

use std::time::Duration;

use annals_index::Index;
use annals_index::refresh::Refreshed;
use annals_store::watch::{Subject, Watch};

use crate::args::IndexArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::{indexed, words};

/// What happens in quick succession is read at once.
const QUIET: Duration = Duration::from_millis(300);
/// How long to wait at most before looking anyway.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &IndexArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if args.rebuild {
        indexed::remove(context)?;
    }
    // Before the first look, so that nothing falls between the two.
    let watch = args.watch.then(|| Watch::new(Subject::Tree(context.store.config_dir().projects())));
    let (mut index, refreshed) = indexed::open(context)?;
    let data = context.data_dir()?;
    let mut forgotten = 0;
    if args.prune {
        forgotten = index.forget_gone(&data, &context.prices)?;
    }
    report(&refreshed, forgotten, &index, context)?;
    let Some(mut watch) = watch else { return Ok(outcome(&refreshed)) };
    loop {
        watch.wait(LONGEST_WAIT);
        std::thread::sleep(QUIET);
        let refreshed = indexed::refresh(&mut index, context, &data)?;
        if !refreshed.is_nothing() {
            report(&refreshed, 0, &index, context)?;
            std::io::Write::flush(&mut context.out)?;
        }
    }
}

fn outcome(refreshed: &Refreshed) -> Outcome {
    if refreshed.unread.is_empty() { Outcome::Done } else { Outcome::ProblemsFound }
}

fn report(
    refreshed: &Refreshed,
    forgotten: usize,
    index: &Index,
    context: &mut Context,
) -> Result<(), Fault> {
    let (path, size) = (index.path(), index.size());
    for error in &refreshed.unread {
        context.say(error.to_string());
    }
    if context.json {
        context.out.json(|object| {
            object.string("index", &path.display().to_string());
            object.number("files", refreshed.files as u64).number("bytes", refreshed.bytes);
            object.number("gone", refreshed.gone as u64).number("renamed", refreshed.renamed as u64);
            object.number("forgotten", forgotten as u64).number("unread", refreshed.unread.len() as u64);
            object.number("indexBytes", size);
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
    let counts = [(refreshed.gone, "gone"), (refreshed.renamed, "renamed"), (forgotten, "forgotten")];
    said.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")));
    context.out.line(format!("{}; the index has {}", said.join(", "), words::bytes(size)))?;
    Ok(())
}
