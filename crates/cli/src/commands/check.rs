//! `annals check`: does it resume, what would each client keep and lose, and what is broken, by line and byte.

use std::io::Write;
use std::path::{Path, PathBuf};

use annals_store::FileProblem;
use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::json::ObjectWriter;
use annals_transcript::loss::losses;
use annals_transcript::problem::{Problem, Severity};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::args::CheckArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::json;
use crate::output::{Output, Paint};
use crate::session::Target;
use crate::words;

/// What was found about one file.
struct Checked {
    path: PathBuf,
    clients: Vec<Verdict>,
    problems: Vec<Problem>,
}

/// What one client would make of it.
struct Verdict {
    client: Client,
    refused: Option<String>,
    messages: usize,
    lost: usize,
}

pub(crate) fn run(args: &CheckArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let mut targets: Vec<Target> = Vec::new();
    for session in &args.sessions {
        let target = Target::find(context, session)?;
        target.check_readable()?;
        targets.push(target);
    }
    let mut loose = Vec::new();
    if args.all {
        let discovery = context.store.discover();
        targets.extend(
            discovery.sessions.iter().filter(|session| session.bytes > 0).map(|s| Target::of_path(&s.path)),
        );
        loose.extend(discovery.problems.iter().cloned());
        loose.extend(annals_store::orphans(&discovery));
    }
    let mut checked = Vec::new();
    let mut progress = context.progress("checking", Some(targets.len() as u64));
    for target in &targets {
        progress.advance(1, |count| words::plural(count, "file", "files"));
        match target.read() {
            Ok(bytes) => checked.push(check(&target.path, &bytes)),
            // With --all an unreadable file is among the store's problems already.
            Err(fault) if !args.all => return Err(fault),
            Err(_) => {}
        }
    }
    drop(progress);
    if context.json {
        write_json(&checked, &loose, args.all, context)?;
    } else {
        draw(&checked, &loose, args, context)?;
    }
    let serious = |kind: annals_transcript::problem::ProblemKind| kind.severity() >= Severity::Warning;
    let found = checked
        .iter()
        .any(|file| file.problems.iter().any(|problem| serious(problem.kind)) || !file.resumes())
        || loose.iter().any(|problem| serious(problem.problem.kind));
    Ok(if found { Outcome::ProblemsFound } else { Outcome::Done })
}

impl Checked {
    /// Whether the newest known client takes it.
    fn resumes(&self) -> bool {
        self.clients.last().is_none_or(|verdict| verdict.refused.is_none())
    }
}

fn check(path: &Path, bytes: &[u8]) -> Checked {
    let transcript = Transcript::parse(bytes);
    let graph = Graph::new(&transcript);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    let session = stem.as_deref().filter(|stem| !stem.starts_with("agent-"));
    let verdict = |&client: &Client| {
        let resumed = resume(&transcript, client);
        let lost = losses(&transcript, &graph, &resumed).len();
        match resumed.outcome {
            Ok(messages) => Verdict { client, refused: None, messages: messages.len(), lost },
            Err(refusal) => Verdict { client, refused: Some(refusal.to_string()), messages: 0, lost },
        }
    };
    Checked {
        path: path.to_path_buf(),
        // Sub-agents' files are not resumed by themselves.
        clients: session.map(|_| Client::ALL.iter().map(verdict).collect()).unwrap_or_default(),
        problems: inspect(&transcript, &graph, session),
    }
}

fn draw(
    checked: &[Checked],
    loose: &[FileProblem],
    args: &CheckArgs,
    context: &mut Context,
) -> std::io::Result<()> {
    let verbose = context.verbosity > 0;
    let out = &mut context.out;
    let is_quiet = |file: &&Checked| {
        let serious = file.problems.iter().any(|problem| problem.kind.severity() >= Severity::Warning);
        args.all && !verbose && !serious && file.resumes()
    };
    for file in checked.iter().filter(|file| !is_quiet(file)) {
        let name = out.paint(Paint::Bold, file.path.display().to_string());
        out.line(name)?;
        for verdict in &file.clients {
            draw_verdict(verdict, out)?;
        }
        draw_problems(&file.problems, verbose, out)?;
        out.line("")?;
    }
    if !loose.is_empty() {
        let name = out.paint(Paint::Bold, "the store");
        out.line(name)?;
        for problem in loose {
            let severity = paint_severity(problem.problem.kind.severity(), out);
            out.line(format!("  {severity} {}: {}", problem.path.display(), problem.problem.message()))?;
        }
        out.line("")?;
    }
    let healthy = checked.iter().filter(|file| file.resumes()).count();
    let newest = Client::NEWEST;
    let files = words::plural(checked.len() as u64, "file resumes", "files resume");
    out.line(format!("{healthy} of {files} with {newest}"))
}

fn draw_verdict(verdict: &Verdict, out: &mut Output) -> std::io::Result<()> {
    let version = format!("{:<8}", verdict.client.version());
    let text = match (&verdict.refused, verdict.lost) {
        (Some(why), _) => format!("{} {why}", out.paint(Paint::Red, "refuses it:")),
        (None, 0) => format!("{} {}", out.paint(Paint::Green, "resumes:"), messages(verdict.messages)),
        (None, lost) => {
            let lost = out.paint(Paint::Yellow, format!("{lost} lost"));
            format!("{} {}, {lost}", out.paint(Paint::Green, "resumes:"), messages(verdict.messages))
        }
    };
    out.line(format!("  {version} {text}"))
}

fn messages(count: usize) -> String {
    words::plural(count as u64, "message", "messages")
}

/// Errors and warnings line by line; notes only counted, unless everything is wanted.
fn draw_problems(problems: &[Problem], verbose: bool, out: &mut Output) -> std::io::Result<()> {
    let mut notes: Vec<(&'static str, usize)> = Vec::new();
    for problem in problems {
        if problem.kind.severity() > Severity::Note || verbose {
            let severity = paint_severity(problem.kind.severity(), out);
            out.line(format!("  {severity} {problem}"))?;
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

fn paint_severity(severity: Severity, out: &Output) -> String {
    let paint = match severity {
        Severity::Error => Paint::Red,
        Severity::Warning => Paint::Yellow,
        Severity::Note => Paint::Dim,
    };
    out.paint(paint, format!("{:<7}", severity.name()))
}

fn write_json(
    checked: &[Checked],
    loose: &[FileProblem],
    all: bool,
    context: &mut Context,
) -> std::io::Result<()> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
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
    object.end();
    out.push(b'\n');
    context.out.write_all(&out)
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
