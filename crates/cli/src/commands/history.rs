//! `annals history`: lists the prompts of history.jsonl by time, newest last.

use std::ops::ControlFlow;

use annals_json::Text;
use annals_store::history::{HistoryEntry, Paste, stream_history};
use annals_store::{ConfigDir, FileProblem};
use annals_transcript::time::format_millis;

use crate::args::HistoryArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::{Align, Table, clip};
use crate::words;

/// The default limit on a terminal.
const ON_A_SCREEN: usize = 50;

/// How many characters of a prompt are kept for a table.
const MAX_SHOWN: usize = 16 * 1024;

/// One prompt.
struct HistoryPrompt {
    line: usize,
    millis: Option<i64>,
    /// What it is sorted by.
    order: i64,
    text: String,
    project: String,
    session: Option<String>,
    pastes: Vec<HistoryPaste>,
}

/// One paste of a prompt.
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
    let config = context.store.config_dir().clone();
    // A prompt may be hundreds of megabytes long: a table needs its beginning only.
    let kept = if context.json || text.is_some() { usize::MAX } else { MAX_SHOWN };
    let problems = stream_history(context.store.config_dir(), |line, entry| {
        let prompt = prompt_of(line.number, &entry, &config, kept);
        let wanted = |part: &Option<String>, whole: &str| {
            part.as_ref().is_none_or(|part| whole.to_lowercase().contains(part))
        };
        let is_wanted = wanted(&text, &prompt.text)
            || prompt
                .pastes
                .iter()
                .filter_map(|paste| paste.text.as_deref())
                .any(|paste| wanted(&text, paste));
        if is_wanted && wanted(&project, &prompt.project) {
            prompts.push(prompt);
        }
        ControlFlow::Continue(())
    })?;
    sort_by_time(&mut prompts);
    prompts.drain(..prompts.len().saturating_sub(limit));
    if context.json {
        write_json(&prompts, &problems, context)?;
    } else {
        draw(&prompts, context)?;
    }
    Ok(if prompts.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

/// Sorts by time: several clients append to one file, and a copied line may be old. A prompt without a time stays behind the
/// one before it.
fn sort_by_time(prompts: &mut [HistoryPrompt]) {
    let mut last = i64::MIN;
    for prompt in prompts.iter_mut() {
        last = prompt.millis.unwrap_or(last);
        prompt.order = last;
    }
    prompts.sort_by_key(|prompt| prompt.order);
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
    let heads = [("when", Align::Left), ("project", Align::Left), ("prompt", Align::Left)];
    let mut table = Table::new(&heads).paint(0, Paint::Dim).paint(1, Paint::Cyan);
    for prompt in prompts {
        let project = prompt.project.rsplit(['/', '\\']).next().unwrap_or_default();
        let when = prompt.millis.map(|ms| words::moment(ms, &context.zone)).unwrap_or_default();
        table.row(vec![when, project.to_owned(), clip(&prompt.text)]);
    }
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
