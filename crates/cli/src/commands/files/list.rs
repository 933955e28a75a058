//! A list of files.

use annals_index::TouchedFile;
use annals_store::source::Clock as _;
use annals_transcript::time::format_millis;

use crate::args::FilesArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::json;
use crate::output::Paint;
use crate::table::{Align, Table};
use crate::words;

/// The default limit on a terminal.
const ON_A_SCREEN: usize = 50;

pub(super) fn run(
    mut files: Vec<TouchedFile>,
    args: &FilesArgs,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    files.retain(|file| !args.changed || file.changes > 0);
    let usual = if context.out.is_terminal && !context.json { ON_A_SCREEN } else { usize::MAX };
    let total = files.len();
    files.truncate(args.limit.unwrap_or(usual));
    let outcome = if files.is_empty() { Outcome::NothingFound } else { Outcome::Done };
    if context.json {
        write_json(&files, context)?;
        return Ok(outcome);
    }
    if files.is_empty() {
        context.out.line("no files")?;
        return Ok(outcome);
    }
    let heads = [
        ("active", Align::Left),
        ("age", Align::Right),
        ("changes", Align::Right),
        ("reads", Align::Right),
        ("sessions", Align::Right),
        ("file", Align::Left),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Dim).cut_at_start(5).keys(&[5]).optional(&[0, 4, 3]);
    let now = context.source.now();
    for file in &files {
        let some = |count: u64| if count == 0 { String::new() } else { words::count(count) };
        table.row(vec![
            file.last.map(|last| words::moment(last, &context.zone)).unwrap_or_default(),
            file.last.map(|last| words::age(last, now)).unwrap_or_default(),
            some(file.changes),
            some(file.reads),
            words::count(file.sessions.len() as u64),
            file.path.clone(),
        ]);
    }
    context.out.page();
    table.draw(&mut context.out)?;
    if total > files.len() {
        context.out.line("")?;
        let more = format!("{} more: use --limit N", total - files.len());
        context.out.painted_note(Some(Paint::Dim), more)?;
    }
    if context.out.is_terminal && context.verbosity >= 0 {
        context.out.painted_note(Some(Paint::Dim), "Next: annals files PATH shows what changed in it")?;
    }
    Ok(outcome)
}

fn write_json(files: &[TouchedFile], context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("files", |list| {
            for file in files {
                list.object(|object| {
                    object.string("path", &file.path);
                    object.number("reads", file.reads).number("changes", file.changes);
                    object.string_or_null("last", file.last.map(format_millis).as_deref());
                    json::names(object, "sessions", &file.sessions);
                });
            }
        });
    })
}
