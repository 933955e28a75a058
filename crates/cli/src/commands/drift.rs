//! `annals drift`: what annals does not recognise in a store, by the version of the client that wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use annals_json::ObjectWriter;
use annals_store::parallel;
use annals_store::read::read_file;
use annals_transcript::drift::{NoveltyKind, novelties, outline};
use annals_transcript::line::lines;
use annals_transcript::objects::find_objects;
use annals_transcript::record::Record;

use crate::args::DriftArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::table::one_line;
use crate::{json, words};

/// What is said of a record without a version before any that has one.
const NO_VERSION: &str = "unknown";

/// How often something unknown was met, and where first.
#[derive(Debug)]
struct UnknownPart {
    count: u64,
    files: BTreeSet<PathBuf>,
    versions: BTreeSet<String>,
    line: usize,
    example: String,
}

#[derive(Debug, Default)]
struct DriftReport {
    records: u64,
    found: BTreeMap<(NoveltyKind, String), UnknownPart>,
}

pub(crate) fn run(args: &DriftArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let paths = paths(args, context)?;
    let reports = parallel::map(&paths, |path| {
        read_file(path).map(|bytes| {
            let mut report = DriftReport::default();
            report.add_file(path, &bytes);
            report
        })
    });
    let mut all = DriftReport::default();
    for report in reports {
        match report {
            Ok(report) => all.merge(report),
            Err(error) => context.note_unread([error.session_problem()]),
        }
    }
    let files = paths.len() as u64;
    if context.json {
        write_json(&all, files, context)?;
    } else {
        draw(&all, files, context)?;
    }
    Ok(if all.found.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

/// The files of the named sessions with their sub-agents, else of the whole store.
fn paths(args: &DriftArgs, context: &mut Context) -> Result<Vec<PathBuf>, Fault> {
    let discovery = context.discover_all();
    if args.sessions.is_empty() {
        let sessions = discovery.sessions.iter().map(|session| session.path.clone());
        return Ok(sessions.chain(discovery.agents.iter().map(|agent| agent.path.clone())).collect());
    }
    let mut paths = Vec::new();
    for session in &args.sessions {
        let target = ResolvedSession::find(context, session)?;
        let agents =
            discovery.agents.iter().filter(|agent| agent.path.starts_with(target.path.with_extension("")));
        paths.extend(agents.map(|agent| agent.path.clone()));
        paths.push(target.path);
    }
    Ok(paths)
}

impl DriftReport {
    fn add_file(&mut self, path: &Path, bytes: &[u8]) {
        let mut version = NO_VERSION.to_owned();
        for line in lines(bytes) {
            find_objects(&line, |fields, _| {
                self.records += 1;
                let record = Record::new(fields);
                if let Some(named) = record.envelope().version() {
                    version = named.to_string();
                }
                for novelty in novelties(&record) {
                    let part =
                        self.found.entry((novelty.kind, novelty.place)).or_insert_with(|| UnknownPart {
                            count: 0,
                            files: BTreeSet::new(),
                            versions: BTreeSet::new(),
                            line: line.number,
                            example: outline(novelty.value),
                        });
                    part.count += 1;
                    part.files.insert(path.to_path_buf());
                    part.versions.insert(version.clone());
                }
            });
        }
    }

    fn merge(&mut self, other: Self) {
        self.records += other.records;
        for (place, part) in other.found {
            match self.found.entry(place) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(part);
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    let own = entry.get_mut();
                    // The example stays that of the first file by name.
                    if part.files.first() < own.files.first() {
                        (own.line, own.example) = (part.line, part.example);
                    }
                    own.count += part.count;
                    own.files.extend(part.files);
                    own.versions.extend(part.versions);
                }
            }
        }
    }
}

fn draw(report: &DriftReport, files: u64, context: &mut Context) -> std::io::Result<()> {
    let looked_at = format!(
        "{} in {}",
        words::plural(report.records, "record", "records"),
        words::plural(files, "file", "files")
    );
    if report.found.is_empty() {
        return context.out.line(format!("annals recognises everything: {looked_at}"));
    }
    for ((kind, place), part) in &report.found {
        let versions: Vec<&str> = part.versions.iter().map(String::as_str).collect();
        let times = words::plural(part.count, "time", "times");
        let places = words::plural(part.files.len() as u64, "file", "files");
        let head = format!("{} {}", kind.name(), one_line(place));
        let head = context.out.paint(Paint::Cyan, &head);
        context.out.line(head)?;
        context.out.line(format!("  {times} in {places}, client {}", one_line(&versions.join(", "))))?;
        if let Some(first) = part.files.first() {
            context.out.line(format!("  {}:{}", one_line(&first.display().to_string()), part.line))?;
        }
        context.out.line(format!("  {}", one_line(&part.example)))?;
    }
    context.out.line("")?;
    let count = words::plural(report.found.len() as u64, "thing", "things");
    context.out.line(format!("{count} that annals does not recognise: {looked_at}"))?;
    context.out.line("none of it is lost; the examples have none of your text and can go into a bug report")
}

fn write_json(report: &DriftReport, files: u64, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.number("records", report.records).number("files", files);
        object.array("unrecognised", |list| {
            for ((kind, place), part) in &report.found {
                list.object(|object| write_row(*kind, place, part, object));
            }
        });
    })
}

fn write_row(kind: NoveltyKind, place: &str, part: &UnknownPart, object: &mut ObjectWriter<'_>) {
    object.string("kind", kind.name()).string("place", place).number("count", part.count);
    json::names(object, "versions", part.versions.iter().map(String::as_str));
    object.number("files", part.files.len() as u64);
    let first = part.files.first().map(|path| path.display().to_string());
    object.string("file", &first.unwrap_or_default()).number("line", part.line as u64);
    object.raw("example", part.example.as_bytes());
}
