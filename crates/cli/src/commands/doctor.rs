//! `annals doctor`: what annals works with here, and what is wrong with it. With sessions, what `annals check` says of them.

use std::fs;
use std::path::Path;

use annals_json::ObjectWriter;
use annals_policy::screen::visible;
use annals_sandbox::Sandbox;
use annals_store::Summary;
use annals_transcript::resume::Client;
use annals_ui::terminal::{Color, Span, Style, StyledLine};

use crate::args::{CheckArgs, DoctorArgs};
use crate::context::Context;
use crate::deletion::Deletions;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::one_line;
use crate::{indexed, words};

/// How many of the newest sessions say which client wrote them.
const NEWEST_SESSIONS: usize = 20;
/// Programs that commands use where they are installed.
const PROGRAMS: [(&str, &str); 3] = [
    ("bash", "commands of annals chat"),
    ("git", "the branch and status that annals chat shows the model"),
    ("less", "long output on a terminal"),
];

/// How a finding is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Good,
    Note,
    Bad,
}

impl Health {
    fn name(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Bad => "problem",
        }
    }
}

/// One line of the report.
struct Finding {
    health: Health,
    subject: &'static str,
    text: String,
}

#[derive(Default)]
struct Report(Vec<Finding>);

impl Report {
    fn add(&mut self, health: Health, subject: &'static str, text: impl Into<String>) {
        self.0.push(Finding { health, subject, text: text.into() });
    }
}

pub(crate) fn run(args: &DoctorArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if !args.sessions.is_empty() {
        let check = CheckArgs { sessions: args.sessions.clone(), all: false };
        return super::check::run(&check, context);
    }
    let report = examine(context);
    if context.json {
        write_json(&report, context)?;
    } else {
        draw(&report, context)?;
    }
    let is_bad = report.0.iter().any(|finding| finding.health == Health::Bad);
    Ok(if is_bad { Outcome::ProblemsFound } else { Outcome::Done })
}

/// Looks at everything.
fn examine(context: &Context) -> Report {
    let mut report = Report::default();
    let newest = Client::NEWEST;
    report.add(
        Health::Good,
        "annals",
        format!("{}, knows clients up to {newest}", env!("CARGO_PKG_VERSION")),
    );
    configuration(&mut report, context);
    stores(&mut report, context);
    data(&mut report, context);
    programs(&mut report, context);
    sandbox(&mut report, context);
    report
}

/// Returns what is found, for the conversation in the terminal.
pub(crate) fn lines(context: &Context) -> Vec<StyledLine> {
    let line = |finding: &Finding| {
        let color = match finding.health {
            Health::Good => Color::Green,
            Health::Note => Color::Yellow,
            Health::Bad => Color::Red,
        };
        vec![
            Span::new(format!("{:<8}", finding.health.name()), Style::color(color)),
            Span::dim(format!("{:<14}", finding.subject)),
            Span::plain(visible(&finding.text.replace('\n', " "))),
        ]
    };
    examine(context).0.iter().map(line).collect()
}

fn configuration(report: &mut Report, context: &Context) {
    let Some(path) = &context.config_file else {
        return report.add(Health::Note, "configuration", "no place for a file: no home folder");
    };
    match context.config.check() {
        Err(fault) => report.add(Health::Bad, "configuration", fault.message().to_owned()),
        Ok(()) if path.is_file() => report.add(Health::Good, "configuration", path.display().to_string()),
        Ok(()) => report.add(Health::Good, "configuration", format!("none ({})", path.display())),
    }
}

fn stores(report: &mut Report, context: &Context) {
    if let Err(fault) = context.check_stores() {
        return report.add(Health::Bad, "store", fault.message().to_owned());
    }
    let discovery = context.discover_all();
    for store in context.store.all() {
        let root = store.config_dir().path();
        if !root.is_dir() {
            report.add(Health::Note, "store", format!("{} does not exist yet", root.display()));
            continue;
        }
        let of_store = |path: &Path| path.starts_with(root);
        let sessions = discovery.sessions.iter().filter(|session| of_store(&session.path));
        let bytes: u64 = sessions.clone().map(|session| session.bytes).sum();
        let count = words::plural(sessions.count() as u64, "session", "sessions");
        report.add(Health::Good, "store", format!("{}: {count}, {}", root.display(), words::bytes(bytes)));
        let unread = discovery.problems.iter().filter(|problem| of_store(&problem.path)).count();
        if unread > 0 {
            let files = words::plural(unread as u64, "file or folder", "files and folders");
            report.add(Health::Bad, "store", format!("{files} with problems; annals check --all lists them"));
        }
    }
    let mut entries: Vec<_> = discovery.sessions.iter().collect();
    entries.sort_by_key(|session| std::cmp::Reverse(session.modified));
    let versions = entries.iter().take(NEWEST_SESSIONS).filter_map(|session| Summary::read(session).ok());
    let numbers =
        |version: &str| version.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    let newest = versions.flat_map(|summary| summary.versions).max_by_key(|version| numbers(version));
    if let Some(version) = newest {
        let is_new = numbers(&version) > numbers(Client::NEWEST.version());
        match is_new {
            true => report.add(
                Health::Note,
                "client",
                format!(
                    "{version} wrote sessions here, newer than annals knows; annals drift lists what is new"
                ),
            ),
            false => report.add(Health::Good, "client", format!("{version} wrote the newest sessions here")),
        }
    }
    for warning in Deletions::of(&discovery, context).warnings() {
        report.add(Health::Note, "deletion", warning);
    }
}

fn data(report: &mut Report, context: &Context) {
    let data = match context.data_dir() {
        Ok(data) => data,
        Err(fault) => return report.add(Health::Bad, "data", fault.message().to_owned()),
    };
    let path = data.path();
    match fs::metadata(path) {
        Ok(folder) if folder.is_dir() && !folder.permissions().readonly() => {
            report.add(Health::Good, "data", path.display().to_string());
        }
        Ok(_) => report.add(Health::Bad, "data", format!("{} is not a writable folder", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            report.add(Health::Good, "data", format!("{} (created when needed)", path.display()));
        }
        Err(error) => report.add(Health::Bad, "data", format!("{}: {error}", path.display())),
    }
    let indexed = context.each_store(indexed::exists);
    match indexed.iter().all(|is_there| *is_there) {
        true => report.add(Health::Good, "index", "present; every query updates it"),
        false => report.add(Health::Note, "index", "none yet; the first search or annals index creates it"),
    }
    match data.vault().is_dir() {
        true => report.add(Health::Good, "vault", data.vault().display().to_string()),
        false => report.add(
            Health::Note,
            "vault",
            "empty: annals archive --all keeps sessions before the client deletes them",
        ),
    }
}

fn programs(report: &mut Report, context: &Context) {
    let path = context.variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let folders: Vec<_> = path.iter().flat_map(std::env::split_paths).collect();
    for (program, used_for) in PROGRAMS {
        match folders.iter().map(|folder| folder.join(program)).find(|path| path.is_file()) {
            Some(path) => report.add(Health::Good, "program", path.display().to_string()),
            None => report.add(Health::Note, "program", format!("{program} is not installed: {used_for}")),
        }
    }
}

fn sandbox(report: &mut Report, context: &Context) {
    let found = context.program.as_deref().map(Sandbox::find);
    let (health, text) = match found {
        Some(Ok(sandbox)) => {
            (Health::Good, format!("commands of annals chat run in one: {}", sandbox.method()))
        }
        Some(Err(why)) => (Health::Note, format!("commands of annals chat run without one: {why}")),
        None => {
            (Health::Note, "commands of annals chat run without one: cannot find this program".to_owned())
        }
    };
    report.add(health, "sandbox", text);
}

fn draw(report: &Report, context: &mut Context) -> std::io::Result<()> {
    for finding in &report.0 {
        let paint = match finding.health {
            Health::Good => Paint::Green,
            Health::Note => Paint::Yellow,
            Health::Bad => Paint::Red,
        };
        let health = context.out.paint(paint, format!("{:<8}", finding.health.name()));
        let line = context.out.paint(Paint::Dim, format!("{:<14}", finding.subject));
        context.out.line(health + line + one_line(&finding.text))?;
    }
    Ok(())
}

fn write_json(report: &Report, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.string("version", env!("CARGO_PKG_VERSION")).string("newestClient", Client::NEWEST.version());
        object.array("findings", |list| {
            for finding in &report.0 {
                list.object(|object: &mut ObjectWriter<'_>| {
                    object.string("health", finding.health.name());
                    object.string("subject", finding.subject).string("text", &finding.text);
                });
            }
        });
    })
}
