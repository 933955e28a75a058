//! Whether anything has changed in a store, told by one number: names, sizes, times and identities of all its files.
//!
//! Whoever keeps something that was made of a store keeps the glance of before with it. As long as the next one is the same,
//! nothing was written, added, removed or renamed.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use super::lean::{Visitor, visit};
use super::{Store, walk};
use crate::identity::FileIdentity;
use crate::parallel;
use crate::problem::FileProblem;

/// The folders beside the projects that count. Copies of edited files do not: they never change.
const SIDES: [&str; 3] = ["todos", "tasks", "plans"];

/// What a store looked like. Two that are the same stand for the same files; the number means nothing else, and may be
/// another one with another release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glance(u64);

impl Glance {
    /// The number, to be kept.
    pub fn as_number(self) -> i64 {
        self.0.cast_signed()
    }
}

impl Store {
    /// Looks at the store, and at folders elsewhere that count as well. No file is opened.
    pub fn glance(&self, also: &[PathBuf]) -> Glance {
        let config = self.config_dir.path();
        let root = self.config_dir.projects();
        let mut sum = Sum::default();
        sum.only(&self.config_dir.history());
        let projects = walk::folders(&root, &mut Vec::new());
        sum.add(&projects);
        // Sessions have folders of their own: spread over the threads, one large project takes as long as many small ones.
        let tops = parallel::map(&projects, |folder| {
            let mut top = Top { sum: Sum::default(), folders: Vec::new() };
            top.list(config, folder);
            top
        });
        let mut folders: Vec<PathBuf> = SIDES.iter().map(|name| config.join(name)).collect();
        folders.extend(also.iter().cloned());
        for top in tops {
            sum.join(&top.sum);
            folders.extend(top.folders);
        }
        let groups: Vec<&[PathBuf]> = folders.chunks(16).collect();
        let sums = parallel::map(&groups, |group| {
            let mut sum = Sum::default();
            group.iter().for_each(|folder| visit(config, folder, 1, &mut sum));
            sum
        });
        sums.iter().for_each(|other| sum.join(other));
        Glance(sum.0)
    }
}

/// Adds up what was found, in any order.
#[derive(Debug, Default)]
struct Sum(u64);

impl Sum {
    fn add(&mut self, fact: impl Hash) {
        let mut hasher = DefaultHasher::new();
        fact.hash(&mut hasher);
        self.0 = self.0.wrapping_add(hasher.finish());
    }

    fn join(&mut self, other: &Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    fn only(&mut self, file: &Path) {
        if let Ok(metadata) = fs::metadata(file) {
            self.add((file.as_os_str(), facts(&metadata)));
        }
    }
}

fn facts(metadata: &Metadata) -> impl Hash {
    let nanoseconds = metadata.modified().ok().map(|time| time.duration_since(std::time::UNIX_EPOCH));
    let nanoseconds = nanoseconds.and_then(Result::ok).map(|since| since.as_nanos());
    (FileIdentity::of(metadata), metadata.len(), nanoseconds)
}

impl Visitor for Sum {
    fn wants(&self, _: &OsStr) -> bool {
        true
    }

    fn file(&mut self, folder: &Path, name: &OsStr, metadata: &Metadata) {
        self.add((folder.as_os_str(), name, facts(metadata)));
    }

    fn unlisted(&mut self, problem: FileProblem) {
        // So that it is noticed when the folder can be listed, or is there, again.
        self.add((problem.path.as_os_str(), problem.problem.detail));
    }
}

/// A project's folder: its files are counted, its folders are left for later.
struct Top {
    sum: Sum,
    folders: Vec<PathBuf>,
}

impl Top {
    fn list(&mut self, root: &Path, folder: &Path) {
        let Ok(list) = fs::read_dir(folder) else { return self.sum.add((folder.as_os_str(), "unlisted")) };
        for entry in list.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() {
                if let Ok(metadata) = entry.metadata() {
                    self.sum.file(folder, &entry.file_name(), &metadata);
                }
            } else if kind.is_dir() {
                self.folders.push(entry.path());
            } else if let Ok(metadata) = fs::metadata(entry.path()) {
                self.sum.file(folder, &entry.file_name(), &metadata);
                // A link to a folder may lead anywhere: what it leads to is looked at as long as it is not in the store.
                if metadata.is_dir() && !walk::leads_back(root, &entry.path()) {
                    self.folders.push(entry.path());
                }
            }
        }
    }
}
