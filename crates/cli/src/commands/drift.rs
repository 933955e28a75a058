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
struct Drifted {
    count: u64,
    files: BTreeSet<PathBuf>,
    versions: BTreeSet<String>,
    line: usize,
    example: String,
}

#[derive(Debug, Default)]
struct Survey {
    records: u64,
    found: BTreeMap<(NoveltyKind, String), Drifted>,
}

pub(crate) fn run(args: &DriftArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let paths = paths(args, context)?;
    let surveys = parallel::map(&paths, |path| {
        read_file(path).map(|bytes| {
            let mut survey = Survey::default();
            survey.add_file(path, &bytes);
            survey
        })
    });
    let mut all = Survey::default();
    for survey in surveys {
        match survey {
            Ok(survey) => all.merge(survey),
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

impl Survey {
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
                    let drifted =
                        self.found.entry((novelty.kind, novelty.place)).or_insert_with(|| Drifted {
                            count: 0,
                            files: BTreeSet::new(),
                            versions: BTreeSet::new(),
                            line: line.number,
                            example: outline(novelty.value),
                        });
                    drifted.count += 1;
                    drifted.files.insert(path.to_path_buf());
                    drifted.versions.insert(version.clone());
                }
            });
        }
    }

    fn merge(&mut self, other: Self) {
        self.records += other.records;
        for (place, drifted) in other.found {
            match self.found.entry(place) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(drifted);
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    let own = entry.get_mut();
                    // The example stays that of the first file by name.
                    if drifted.files.first() < own.files.first() {
                        (own.line, own.example) = (drifted.line, drifted.example);
                    }
                    own.count += drifted.count;
                    own.files.extend(drifted.files);
                    own.versions.extend(drifted.versions);
                }
            }
        }
    }
}

fn draw(survey: &Survey, files: u64, context: &mut Context) -> std::io::Result<()> {
    let looked_at = format!(
        "{} in {}",
        words::plural(survey.records, "record", "records"),
        words::plural(files, "file", "files")
    );
    if survey.found.is_empty() {
        return context.out.line(format!("annals recognises everything: {looked_at}"));
    }
    for ((kind, place), drifted) in &survey.found {
        let versions: Vec<&str> = drifted.versions.iter().map(String::as_str).collect();
        let times = words::plural(drifted.count, "time", "times");
        let places = words::plural(drifted.files.len() as u64, "file", "files");
        let head = format!("{} {}", kind.name(), one_line(place));
        let head = context.out.paint(Paint::Cyan, &head);
        context.out.line(head)?;
        context.out.line(format!("  {times} in {places}, client {}", one_line(&versions.join(", "))))?;
        if let Some(first) = drifted.files.first() {
            context.out.line(format!("  {}:{}", one_line(&first.display().to_string()), drifted.line))?;
        }
        context.out.line(format!("  {}", one_line(&drifted.example)))?;
    }
    context.out.line("")?;
    let count = words::plural(survey.found.len() as u64, "thing", "things");
    context.out.line(format!("{count} that annals does not recognise: {looked_at}"))?;
    context.out.line("nothing of it is lost; the examples hold no text of yours and can go into a bug report")
}

fn write_json(survey: &Survey, files: u64, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.number("records", survey.records).number("files", files);
        object.array("unrecognised", |list| {
            for ((kind, place), drifted) in &survey.found {
                list.object(|object| write_row(*kind, place, drifted, object));
            }
        });
    })
}

fn write_row(kind: NoveltyKind, place: &str, drifted: &Drifted, object: &mut ObjectWriter<'_>) {
    object.string("kind", kind.name()).string("place", place).number("count", drifted.count);
    json::names(object, "versions", drifted.versions.iter().map(String::as_str));
    object.number("files", drifted.files.len() as u64);
    let first = drifted.files.first().map(|path| path.display().to_string());
    object.string("file", &first.unwrap_or_default()).number("line", drifted.line as u64);
    object.raw("example", drifted.example.as_bytes());
}
