//! Prints what `annals check` found, as text or JSON.

use annals_json::ObjectWriter;
use annals_store::FileProblem;
use annals_transcript::problem::{Problem, Severity};
use annals_transcript::resume::Client;
use annals_ui::{TerminalText, text};

use super::{ClientVerdict, FileCheck};
use crate::args::CheckArgs;
use crate::context::Context;
use crate::output::{Output, Paint};
use crate::{json, words};

pub(super) fn draw(
    checked: &[FileCheck],
    loose: &[FileProblem],
    args: &CheckArgs,
    context: &mut Context,
) -> std::io::Result<()> {
    let verbose = context.verbosity > 0;
    let out = &mut context.out;
    out.page();
    let is_quiet = |file: &&FileCheck| {
        let serious = file.problems.iter().any(|problem| problem.kind.severity() >= Severity::Warning);
        args.all && !verbose && !serious && file.is_whole()
    };
    for file in checked.iter().filter(|file| !is_quiet(file)) {
        let name = out.paint(Paint::Bold, file.path.display().to_string());
        out.line(name)?;
        for verdict in &file.clients {
            draw_verdict(verdict, out)?;
        }
        draw_problems(&file.problems, verbose, out)?;
        if file.is_repairable {
            out.line(format!("  to repair it: annals repair {}", file.session))?;
        } else if file.has_damage() {
            out.line("  annals repair leaves it as it is: no fix is known to be right")?;
        }
        out.line("")?;
    }
    if !loose.is_empty() {
        let name = out.paint(Paint::Bold, "store");
        out.line(name)?;
        for problem in loose {
            let severity = paint_severity(problem.problem.kind.severity(), out);
            let what = format!(" {}: {}", problem.path.display(), problem.problem.message());
            out.line(text!["  ", severity, what])?;
        }
        out.line("")?;
    }
    let healthy = checked.iter().filter(|file| file.resumes()).count();
    let newest = Client::NEWEST;
    let files = words::plural(checked.len() as u64, "file resumes", "files resume");
    out.line(format!("{healthy} of {files} with {newest}"))
}

fn draw_verdict(verdict: &ClientVerdict, out: &mut Output) -> std::io::Result<()> {
    let version = format!("{:<8}", verdict.client.version());
    let text = match (&verdict.refused, verdict.lost) {
        (Some(why), _) => text![out.paint(Paint::Red, "refuses it:"), format!(" {why}")],
        (None, 0) => {
            text![out.paint(Paint::Green, "resumes:"), " ", messages(verdict.messages)]
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

/// Prints errors and warnings one per line; notes are counted, unless `--verbose`.
fn draw_problems(problems: &[Problem], verbose: bool, out: &mut Output) -> std::io::Result<()> {
    let mut notes: Vec<(&'static str, usize)> = Vec::new();
    for problem in problems {
        if problem.kind.severity() > Severity::Note || verbose {
            let severity = paint_severity(problem.kind.severity(), out);
            out.line(text!["  ", severity, format!(" {problem}")])?;
            continue;
        }
        match notes.iter_mut().find(|(name, _)| *name == problem.kind.name()) {
            Some((_, count)) => *count += 1,
            None => notes.push((problem.kind.name(), 1)),
        }
    }
    if notes.is_empty() {
        return Ok(());
    }
    let list: Vec<_> = notes.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let text = out.paint(Paint::Dim, format!("  notes: {} (-v shows them)", list.join(", ")));
    out.line(text)
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
                    object.array("clients", |list| {
                        for verdict in &file.clients {
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
                        for problem in &file.problems {
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
