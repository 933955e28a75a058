//! The working directory of a project. A slug cannot be reversed, so the path is derived from evidence, which is returned
//! too.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_json::Fields;
use annals_transcript::objects::find_objects;
use annals_transcript::record::RecordKind;
use annals_transcript::record_lines::RecordSplitter;
use annals_transcript::{pack_fields, pack_words};

use crate::problem::FileProblem;
use crate::read::{open_file, stream_records, stream_records_of};
use crate::scan::{Discovery, Project};
use crate::slug::{MAX_UNITS, project_slug};

/// How we know the path of a project, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Evidence {
    /// A record's `cwd` has exactly this slug.
    CwdOfSlug,
    /// No `cwd` has this slug; this is the most common one.
    MostCommonCwd,
    /// No record names a `cwd`; this folder on disk has the slug.
    FolderOnDisk,
}

impl Evidence {
    /// The reason, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::CwdOfSlug => "a record names it, and its slug is the folder's name",
            Self::MostCommonCwd => "most records name it, though its slug is not the folder's name",
            Self::FolderOnDisk => "no record names a folder, but this one exists and has the slug",
        }
    }
}

/// The working directory of a project, with how we know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPath {
    /// The path, as records spell it.
    pub path: String,
    /// How we know.
    pub evidence: Evidence,
}

pack_fields! {
    ProjectPath { path, evidence }
}

pack_words! {
    Evidence { CwdOfSlug, MostCommonCwd, FolderOnDisk }
}

/// Gathers `cwd`s until one settles the question.
#[derive(Clone, Debug)]
pub struct PathCollector<'s> {
    slug: &'s str,
    settled: Option<String>,
    seen: Vec<(String, usize)>,
    places: HashMap<String, usize>,
}

impl<'s> PathCollector<'s> {
    /// A collector for the project of this slug.
    pub fn new(slug: &'s str) -> Self {
        Self { slug, settled: None, seen: Vec::new(), places: HashMap::new() }
    }

    /// Takes a `cwd`; returns whether the question is settled.
    pub fn add(&mut self, cwd: &str) -> bool {
        if self.settled.is_some() || cwd.is_empty() {
            return self.settled.is_some();
        }
        if let Some(&place) = self.places.get(cwd) {
            self.seen[place].1 += 1;
            return false;
        }
        if project_slug(cwd) == self.slug {
            self.settled = Some(cwd.to_owned());
            return true;
        }
        self.places.insert(cwd.to_owned(), self.seen.len());
        self.seen.push((cwd.to_owned(), 1));
        false
    }

    /// The path so far: the one that settled it, else the most common, the first of equals.
    pub fn path(&self) -> Option<ProjectPath> {
        if let Some(path) = &self.settled {
            return Some(ProjectPath { path: path.clone(), evidence: Evidence::CwdOfSlug });
        }
        let most = self.seen.iter().map(|(_, count)| *count).max()?;
        let (path, _) = self.seen.iter().find(|(_, count)| *count == most)?;
        Some(ProjectPath { path: path.clone(), evidence: Evidence::MostCommonCwd })
    }
}

/// How many lines of a session can name the folder of its project in reports of usage.
pub const MAX_HEAD_LINES: usize = 64;

/// The folder of a project in reports of usage, by the working directories that the first [`MAX_HEAD_LINES`] lines of its sessions
/// name, in the order of paths and lines: the first whose slug is the project's, else the first. Files, indexes and a team's engine
/// all know these, so that they give the same answer.
pub fn first_named<N: AsRef<str>>(slug: &str, named: impl IntoIterator<Item = N>) -> Option<String> {
    let mut first = None;
    for name in named {
        if project_slug(name.as_ref()) == slug {
            return Some(name.as_ref().to_owned());
        }
        if first.is_none() && !name.as_ref().is_empty() {
            first = Some(name.as_ref().to_owned());
        }
    }
    first
}

/// The working directories that the first lines of a session name, each once, in order; none if it cannot be read.
pub fn named_in_head(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let Ok(file) = open_file(path) else { return names };
    // What was read before an error counts.
    let _ = stream_records_of(SmallReads(file), RecordSplitter::new(), |line| {
        if line.number > MAX_HEAD_LINES {
            return ControlFlow::Break(());
        }
        find_objects(&line, |fields, _| {
            // What a record of a move names is where the session was.
            let is_relocated = RecordKind::of(fields.text("type")) == RecordKind::Relocated;
            let name = fields.text("cwd").filter(|cwd| !is_relocated && !cwd.is_empty());
            if let Some(name) = name.filter(|name| !names.iter().any(|known| name.is(known))) {
                names.push(name.decode().into_owned());
            }
        });
        ControlFlow::Continue(())
    });
    names
}

/// Reads little at a time: the first lines of a file are a small part of it.
struct SmallReads<R>(R);

impl<R: Read> Read for SmallReads<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(16 * 1024);
        self.0.read(&mut buffer[..length])
    }
}

/// How many lines of each session are read if no `cwd` settles it.
const MAX_LINES: usize = 200;

/// Derives the path from the project's sessions and sub-agents, then from the disk.
pub fn of_project(discovery: &Discovery, project: &Project) -> (Option<ProjectPath>, Vec<FileProblem>) {
    let mut collector = PathCollector::new(project.slug.as_str());
    let mut problems = Vec::new();
    let sessions = discovery.sessions_of(&project.slug).map(|session| &session.path);
    let agents = discovery.agents.iter().filter(|agent| agent.slug == project.slug).map(|agent| &agent.path);
    for path in sessions.chain(agents) {
        let read = stream_records(path, |line| {
            let fields = Fields::scan(line.body()).ok();
            let cwd = fields.and_then(|(fields, _)| fields.text("cwd"));
            if cwd.is_some_and(|cwd| collector.add(&cwd.decode())) || line.number >= MAX_LINES {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        problems.extend(read.err().map(|error| error.problem()));
        if collector.settled.is_some() {
            break;
        }
    }
    let path = collector.path().or_else(|| {
        let found = folders_of_slug(Path::new("/"), project.slug.as_str()).into_iter().next()?;
        Some(ProjectPath { path: found.to_string_lossy().into_owned(), evidence: Evidence::FolderOnDisk })
    });
    (path, problems)
}

/// How many folders are listed at most in search of a slug.
const MAX_LISTED: usize = 2000;

/// Returns the folders under the absolute `root` with this slug, by name. Only folders with a slug that is a prefix of it
/// are searched.
pub fn folders_of_slug(root: &Path, slug: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_path_buf()];
    let mut listed = 0;
    while let Some(folder) = waiting.pop() {
        let Some(text) = folder.to_str() else { continue };
        if project_slug(text) == slug {
            found.push(folder.clone());
        }
        listed += 1;
        if listed > MAX_LISTED {
            break;
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let inside = entries.flatten().map(|entry| entry.path());
        waiting.extend(inside.filter(|path| begins(path, slug) && path.is_dir() && !path.is_symlink()));
    }
    found.sort();
    found
}

/// Whether a folder, or something below it, can have this slug.
fn begins(path: &Path, slug: &str) -> bool {
    let Some(text) = path.to_str() else { return false };
    let own = project_slug(text);
    if own.len() > MAX_UNITS { own.get(..MAX_UNITS) == slug.get(..MAX_UNITS) } else { slug.starts_with(&own) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(slug: &str, cwds: &[&str], expected: Option<(&str, Evidence)>) {
        let mut collector = PathCollector::new(slug);
        for cwd in cwds {
            collector.add(cwd);
        }
        let found = collector.path();
        assert_eq!(found.as_ref().map(|path| (path.path.as_str(), path.evidence)), expected);
    }

    #[test]
    fn a_cwd_of_the_slug_settles_it() {
        check("-a-b", &["/a/b/sub", "/a/b/sub", "/a/b"], Some(("/a/b", Evidence::CwdOfSlug)));
        check("-a-b", &["/a.b", "/a/b"], Some(("/a.b", Evidence::CwdOfSlug)));
    }

    #[test]
    fn else_the_most_common_else_nothing() {
        check("-x", &["/a", "/b", "/b"], Some(("/b", Evidence::MostCommonCwd)));
        check("-x", &["/b", "/a"], Some(("/b", Evidence::MostCommonCwd)));
        check("-x", &["", ""], None);
    }

    #[test]
    fn of_first_lines_the_first_of_the_slug_counts_else_the_first() {
        let check = |named: &[&str], expected| assert_eq!(first_named("-a-b", named).as_deref(), expected);
        check(&["/c", "/d", "/d", "/a/b", "/a.b"], Some("/a/b"));
        check(&["", "/c", "/d", "/d"], Some("/c"));
        check(&["", ""], None);
    }

    #[test]
    fn only_first_lines_name_the_folder_of_a_session() {
        let line = |cwd: &str| format!(r#"{{"type":"user","cwd":"{cwd}"}}"#) + "\n";
        let moved = r#"{"type":"relocated","cwd":"/old"}"#.to_owned() + "\n";
        let blank = "\n".repeat(MAX_HEAD_LINES - 5);
        let text = [&moved, &line("/b"), &line("/a"), &line("/b"), &blank, &line("/last"), &line("/late")];
        let folder = annals_testkit::temp::TempDir::new("head");
        let path = folder.write("s.jsonl", text.map(String::as_str).concat());
        assert_eq!(named_in_head(&path), ["/b", "/a", "/last"]);
        assert_eq!(named_in_head(&folder.path().join("none.jsonl")), [""; 0]);
    }
}
