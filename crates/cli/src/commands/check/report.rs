//! Prints what `annals check` found, as text or JSON.

use annals_json::ObjectWriter;
use annals_store::{FileProblem, Summary};
use annals_surgery::check::ClientVerdict;
use annals_transcript::problem::{Problem, ProblemKind, Severity};
use annals_transcript::resume::Client;
use annals_ui::{TerminalText, text};

use super::FileCheck;
use crate::args::CheckArgs;
use crate::context::Context;
use crate::output::{Output, Paint};
use crate::short_ids::shell_word;
use crate::table::{cut, one_line};
use crate::{json, words};

pub(super) fn draw(
    checked: &[FileCheck],
    loose: &[FileProblem],
    args: &CheckArgs,
    context: &mut Context,
) -> std::io::Result<()> {
    let (verbose, brief) = (context.verbosity > 0, context.verbosity < 0);
    let out = &mut context.out;
    out.page();
    let is_quiet = |file: &&FileCheck| (args.all || brief) && !verbose && file.check.is_fine();
    for file in checked.iter().filter(|file| !is_quiet(file)) {
        draw_heading(file, out)?;
        for verdict in &file.check.clients {
            draw_verdict(verdict, out)?;
        }
        draw_problems(&file.check.problems, context.verbosity, out)?;
        if file.check.is_repairable {
            out.line(format!("  to repair it: annals repair {}", shell_word(&file.session)))?;
        } else if file.check.has_damage() {
            out.line("  annals repair leaves it as it is: no fix is known to be right")?;
        }
        out.line("")?;
    }
    let loose: Vec<&FileProblem> =
        loose.iter().filter(|problem| !brief || problem.problem.kind.severity() > Severity::Note).collect();
    if !loose.is_empty() {
        let name = out.paint(Paint::Bold, "store");
        out.line(name)?;
        for problem in &loose {
            let severity = paint_severity(problem.problem.kind.severity(), out);
            let what = format!("{}: {}", problem.path.display(), problem.problem.message());
            out.entry(text!["  ", severity, " "], PROBLEM_INDENT, what)?;
        }
        for remedy in remedies(&loose) {
            out.entry("  ".into(), 2, remedy)?;
        }
        out.line("")?;
    }
    let healthy = checked.iter().filter(|file| file.check.resumes()).count();
    let newest = Client::NEWEST;
    let files = words::plural(checked.len() as u64, "file resumes", "files resume");
    out.line(format!("{healthy} of {files} with {newest}"))
}

/// The width of what stands before a problem.
const PROBLEM_INDENT: usize = 10;

/// What to do about problems of the store, by their kinds.
fn remedies(problems: &[&FileProblem]) -> Vec<&'static str> {
    let has = |kinds: &[ProblemKind]| problems.iter().any(|problem| kinds.contains(&problem.problem.kind));
    let mut found = Vec::new();
    if has(&[ProblemKind::StaleIndexEntry]) {
        found.push("sessions-index.json is a cache of Claude Code: the files are right, and changes by annals update it");
    }
    if has(&[ProblemKind::OrphanFile, ProblemKind::EmptyFile, ProblemKind::WarmUp]) {
        found.push("to remove what is left over: annals gc");
    }
    found
}

/// The title, and below it the id and the file.
fn draw_heading(file: &FileCheck, out: &mut Output) -> std::io::Result<()> {
    let path = file.path.display().to_string();
    let summary = Summary::read_path(&file.path).ok();
    let title = summary.as_ref().and_then(Summary::display_title).map(one_line);
    match title {
        Some(title) => {
            let title = cut(&title, out.table_width.unwrap_or(usize::MAX), out.unicode);
            let title = out.paint(Paint::Bold, title);
            out.line(title)?;
            let id = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let id = out.paint(Paint::Cyan, one_line(&id));
            out.line(text!["  ", id])?;
            let path = out.paint(Paint::Dim, path);
            out.line(text!["  ", path])
        }
        None => {
            let path = out.paint(Paint::Bold, path);
            out.line(path)
        }
    }
}

fn draw_verdict(verdict: &ClientVerdict, out: &mut Output) -> std::io::Result<()> {
    let version = format!("{:<8}", verdict.client.version());
    let text = match (&verdict.refused, verdict.lost) {
        (Some(why), _) => text![out.paint(Paint::Red, "refuses it:"), format!(" {why}")],
        (None, 0) => {
            text![out.paint(Paint::Green, "resumes:"), " ", messages(verdict.messages)]
        }
        (None, left) if verdict.damaged == 0 => {
            let left = format!(", {left} left out: the user may have started over");
            text![out.paint(Paint::Green, "resumes:"), " ", messages(verdict.messages), left]
        }
        (None, lost) => {
            let lost = out.paint(Paint::Yellow, format!("{lost} lost"));
            text![out.paint(Paint::Green, "resumes:"), " ", messages(verdict.messages), ", ", lost]
        }
    };
    out.line(text![format!("  {version} "), text])
}

fn messages(count: usize) -> String {
    words::plural(count as u64, "message", "messages")
}

/// Prints errors and warnings one per line; notes are counted, listed with `--verbose`, and left out with `--quiet`.
fn draw_problems(problems: &[Problem], verbosity: i8, out: &mut Output) -> std::io::Result<()> {
    let mut notes: Vec<(&'static str, usize)> = Vec::new();
    for problem in problems {
        if problem.kind.severity() > Severity::Note || verbosity > 0 {
            let severity = paint_severity(problem.kind.severity(), out);
            out.entry(text!["  ", severity, " "], PROBLEM_INDENT, problem.to_string())?;
            continue;
        }
        match notes.iter_mut().find(|(name, _)| *name == problem.kind.name()) {
            Some((_, count)) => *count += 1,
            None => notes.push((problem.kind.name(), 1)),
        }
    }
    if notes.is_empty() || verbosity < 0 {
        return Ok(());
    }
    let list: Vec<_> = notes.iter().map(|(name, count)| format!("{count} {name}")).collect();
    out.painted_note(Some(Paint::Dim), format!("  notes: {} (-v shows them)", list.join(", ")))
}

fn paint_severity(severity: Severity, out: &Output) -> TerminalText {
    let paint = match severity {
        Severity::Error => Paint::Red,
        Severity::Warning => Paint::Yellow,
        Severity::Note => Paint::Dim,
    };
    out.paint(paint, format!("{:<7}", severity.name()))
}

pub(super) fn write_json(
    checked: &[FileCheck],
    loose: &[FileProblem],
    all: bool,
    context: &mut Context,
) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("sessions", |list| {
            for file in checked {
                list.object(|object| {
                    object.string("file", &file.path.display().to_string());
                    context.store.write_name(&file.path, object);
                    object.array("clients", |list| {
                        for verdict in &file.check.clients {
                            list.object(|object| {
                                object.string("version", verdict.client.version());
                                object.boolean("resumes", verdict.refused.is_none());
                                object
                                    .number("messages", verdict.messages as u64)
                                    .number("lost", verdict.lost as u64);
                                object.string_if("refused", verdict.refused.as_deref());
                            });
                        }
                    });
                    object.array("problems", |list| {
                        for problem in &file.check.problems {
                            list.object(|object| json::problem(object, problem));
                        }
                    });
                });
            }
        });
        if all {
            object.object("store", |object| write_file_problems(object, loose));
        }
    })
}

/// `"problems"`: problems with their files.
pub(crate) fn write_file_problems(object: &mut ObjectWriter<'_>, problems: &[FileProblem]) {
    object.array("problems", |list| {
        for problem in problems {
            list.object(|object| {
                object.string("file", &problem.path.display().to_string());
                json::problem(object, &problem.problem);
            });
        }
    });
}
