//! `annals history`: lists the prompts of history.jsonl by time, newest last.

use std::ops::ControlFlow;
use std::path::PathBuf;

use annals_json::Text;
use annals_store::history::{HistoryEntry, Paste, stream_history};
use annals_store::{ConfigDir, FileProblem};
use annals_transcript::time::format_millis;

use super::ls::{MIN_NAME, MIN_TITLE};
use crate::args::HistoryArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::short_ids::ShortIds;
use crate::table::{Align, Table, clip};
use crate::words;

/// The default limit on a terminal.
const ON_A_SCREEN: usize = 50;

/// How many characters of a prompt are kept for a table.
const MAX_SHOWN: usize = 16 * 1024;

struct HistoryPrompt {
    file: PathBuf,
    line: usize,
    millis: Option<i64>,
    /// What it is sorted by.
    order: i64,
    text: String,
    project: String,
    session: Option<String>,
    pastes: Vec<HistoryPaste>,
}

struct HistoryPaste {
    number: String,
    kind: Option<String>,
    /// `None` for an image, or if its file is gone.
    text: Option<String>,
}

pub(crate) fn run(args: &HistoryArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let usual = if context.out.is_terminal && !context.json { ON_A_SCREEN } else { usize::MAX };
    let limit = args.limit.unwrap_or(usual);
    let (text, project) = (lower(&args.text), lower(&args.project));
    let mut prompts: Vec<HistoryPrompt> = Vec::new();
    // A prompt may be hundreds of megabytes long: a table needs its beginning only.
    let kept = if context.json || text.is_some() { usize::MAX } else { MAX_SHOWN };
    let wanted = |part: &Option<String>, whole: &str| {
        part.as_ref().is_none_or(|part| whole.to_lowercase().contains(part))
    };
    let mut problems = Vec::new();
    for store in context.store.all() {
        let config = store.config_dir();
        let mut of_store: Vec<HistoryPrompt> = Vec::new();
        problems.extend(stream_history(config, |line, entry| {
            let prompt = prompt_of(line.number, &entry, config, kept);
            let mut pastes = prompt.pastes.iter().filter_map(|paste| paste.text.as_deref());
            let is_wanted = wanted(&text, &prompt.text) || pastes.any(|paste| wanted(&text, paste));
            if is_wanted && wanted(&project, &prompt.project) {
                of_store.push(prompt);
            }
            ControlFlow::Continue(())
        })?);
        give_order(&mut of_store);
        prompts.extend(of_store);
    }
    prompts.sort_by_key(|prompt| prompt.order);
    prompts.drain(..prompts.len().saturating_sub(limit));
    if context.json {
        write_json(&prompts, &problems, context)?;
    } else {
        draw(&prompts, context)?;
    }
    Ok(if prompts.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

/// Prompts are sorted by time: several clients append to one file, and a copied line may be old. A prompt without a time
/// stays behind the one before it.
fn give_order(prompts: &mut [HistoryPrompt]) {
    let mut last = i64::MIN;
    for prompt in prompts.iter_mut() {
        last = prompt.millis.unwrap_or(last);
        prompt.order = last;
    }
}

fn lower(text: &Option<String>) -> Option<String> {
    text.as_ref().map(|text| text.to_lowercase())
}

/// Reads an entry, with up to `kept` characters of its prompt.
fn prompt_of(line: usize, entry: &HistoryEntry<'_>, config: &ConfigDir, kept: usize) -> HistoryPrompt {
    let shown = |text: Text<'_>| {
        if text.raw().len() <= kept { text.to_string() } else { text.head(kept).into_owned() }
    };
    let paste = |(number, paste): (Text<'_>, Paste<'_>)| HistoryPaste {
        number: number.to_string(),
        kind: paste.kind().map(|kind| kind.to_string()),
        text: paste.text(config).ok().flatten().map(|text| text.into_owned()),
    };
    HistoryPrompt {
        file: config.history(),
        line,
        millis: entry.millis(),
        order: 0,
        text: entry.display().map(shown).unwrap_or_default(),
        project: entry.project().map(|text| text.to_string()).unwrap_or_default(),
        session: entry.session().map(|session| session.to_string()),
        pastes: entry.pastes().into_iter().map(paste).collect(),
    }
}

fn draw(prompts: &[HistoryPrompt], context: &mut Context) -> std::io::Result<()> {
    let heads =
        [("when", Align::Left), ("session", Align::Left), ("project", Align::Left), ("prompt", Align::Left)];
    let ids = ShortIds::new(&context.discover_all(), context);
    let mut table = Table::new(&heads)
        .paint(0, Paint::Dim)
        .paint(1, Paint::Cyan)
        .keys(&[0, 1])
        .at_least(2, MIN_NAME)
        .at_least(3, MIN_TITLE)
        .optional(&[2]);
    for prompt in prompts {
        let project = prompt.project.rsplit(['/', '\\']).next().unwrap_or_default();
        let when = prompt.millis.map(|ms| words::moment(ms, &context.zone)).unwrap_or_default();
        let session = prompt.session.as_deref().map(|session| ids.shown(session)).unwrap_or_default();
        table.row(vec![when, session, project.to_owned(), clip(&prompt.text)]);
    }
    table.add_stores(&context.store, prompts.iter().map(|prompt| prompt.file.as_path()));
    context.out.page();
    if table.is_empty() { context.out.line("no prompts") } else { table.draw(&mut context.out) }
}

fn write_json(
    prompts: &[HistoryPrompt],
    problems: &[FileProblem],
    context: &mut Context,
) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("prompts", |list| {
            for prompt in prompts {
                list.object(|object| {
                    object.number("line", prompt.line as u64).string("prompt", &prompt.text);
                    object.string_or_null("timestamp", prompt.millis.map(format_millis).as_deref());
                    object
                        .string("project", &prompt.project)
                        .string_or_null("session", prompt.session.as_deref());
                    context.store.write_name(&prompt.file, object);
                    object.number("pastes", prompt.pastes.len() as u64);
                    object.array("pastedContents", |list| {
                        for paste in &prompt.pastes {
                            list.object(|object| {
                                object.string("number", &paste.number);
                                object.string_or_null("type", paste.kind.as_deref());
                                object.string_or_null("content", paste.text.as_deref());
                            });
                        }
                    });
                });
            }
        });
        super::check::write_file_problems(object, problems);
    })
}
