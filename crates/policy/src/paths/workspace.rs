//! The folders that the work is about.

use std::path::{Path, PathBuf};

use super::{Files, Kind, Resolved, resolve};
use crate::rules::Bases;
use crate::trust::Trust;

/// Where a session works. Every folder is kept as the real one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    working: PathBuf,
    /// Where the next command starts.
    current: PathBuf,
    project: PathBuf,
    home: Option<PathBuf>,
    roots: Vec<PathBuf>,
    trust: Trust,
}

impl Workspace {
    /// The working folder, its project and the home folder, all absolute; links in them are followed. Nobody trusts it yet.
    pub fn new(files: &dyn Files, working: &Path, project: &Path, home: Option<&Path>) -> Self {
        let real = |path: &Path| {
            resolve(files, Path::new("/"), path).map_or_else(|_| path.to_path_buf(), |resolved| resolved.real)
        };
        let (working, project) = (real(working), real(project));
        let roots = vec![working.clone()];
        Self {
            current: working.clone(),
            working,
            project,
            home: home.map(real),
            roots,
            trust: Trust::Untrusted,
        }
    }

    /// Adds a folder of `--add-dir` or of the settings.
    pub fn add(&mut self, files: &dyn Files, folder: &Path) {
        if let Ok(resolved) = resolve(files, &self.working, folder) {
            self.roots.push(resolved.real);
        }
    }

    /// Takes what a person said of the working folder.
    pub fn set_trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// Whether git, started in this real folder, obeys only what a person trusts: the repository that it finds from the
    /// working folder. One that lies deeper came with the files, whether in a `.git` or bare, which is known by its `HEAD`.
    pub fn trusts_git_in(&self, files: &dyn Files, folder: &Path) -> bool {
        let is_there = |path: PathBuf| files.link(&path).is_some() || files.kind(&path) != Kind::Missing;
        let below = folder.ancestors().take_while(|above| *above != self.working);
        let mut repositories = below.flat_map(|above| [above.join(".git"), above.join("HEAD")]);
        let is_inside = folder.starts_with(&self.working);
        self.trust == Trust::Trusted && is_inside && !repositories.any(is_there)
    }

    /// The working folder.
    pub fn working(&self) -> &Path {
        &self.working
    }

    /// The folder in which the next command starts: the working folder, unless an earlier one went elsewhere.
    pub fn current(&self) -> &Path {
        &self.current
    }

    /// The same workspace, where the next command starts in this folder, which is real.
    pub fn at(&self, current: &Path) -> Self {
        Self { current: current.to_path_buf(), ..self.clone() }
    }

    /// The home folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The working folder and those that were added.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// What patterns are relative to.
    pub fn bases(&self) -> Bases {
        Bases { working: self.working.clone(), project: self.project.clone(), home: self.home.clone() }
    }

    /// Whether the path leads to something inside: it is the target that counts.
    pub fn holds(&self, path: &Resolved) -> bool {
        self.roots.iter().any(|root| path.real.starts_with(root))
    }
}
