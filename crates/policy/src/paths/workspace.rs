//! The folders of a session.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{FileKind, FileSystem, ResolvedPath, resolve};
use crate::rules::PatternBases;
use crate::trust::Trust;

/// The folders of a session, by their real paths. Copies share the list of folders, so that one that is added during a
/// conversation holds for everything that decides or runs something in it.
#[derive(Clone, Debug)]
pub struct Workspace {
    working: PathBuf,
    /// Where the next command starts.
    current: PathBuf,
    project: PathBuf,
    home: Option<PathBuf>,
    roots: Arc<Mutex<Vec<PathBuf>>>,
    trust: Trust,
    confinement: Confinement,
}

/// How the kernel limits commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confinement {
    /// Not at all.
    #[default]
    None,
    /// By whole folders: what is in the workspace is not limited.
    Folders,
    /// By single files and folders, also in the workspace.
    Paths,
}

impl Workspace {
    /// The working folder, its project and the home folder, all absolute; links are resolved. It is not trusted yet.
    pub fn new(files: &dyn FileSystem, working: &Path, project: &Path, home: Option<&Path>) -> Self {
        let real = |path: &Path| {
            resolve(files, Path::new("/"), path).map_or_else(|_| path.to_path_buf(), |resolved| resolved.real)
        };
        let (working, project) = (real(working), real(project));
        let roots = Arc::new(Mutex::new(vec![working.clone()]));
        Self {
            current: working.clone(),
            working,
            project,
            home: home.map(real),
            roots,
            trust: Trust::Untrusted,
            confinement: Confinement::None,
        }
    }

    /// Adds a folder of `--add-dir`, of the settings or of `/add-dir`, also to all copies.
    pub fn add(&self, files: &dyn FileSystem, folder: &Path) {
        if let Ok(resolved) = resolve(files, &self.working, folder) {
            self.lock().push(resolved.real);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets whether the working folder is trusted.
    pub fn set_trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// Sets how the kernel limits commands.
    pub fn set_confinement(&mut self, confinement: Confinement) {
        self.confinement = confinement;
    }

    /// How the kernel limits commands.
    pub fn confinement(&self) -> Confinement {
        self.confinement
    }

    /// Whether git, started in this real folder, uses only a trusted repository: the one of the working folder. A deeper one came
    /// with the files, whether in a `.git` or bare, which is recognised by its `HEAD`.
    pub fn trusts_git_in(&self, files: &dyn FileSystem, folder: &Path) -> bool {
        let is_there = |path: PathBuf| files.link(&path).is_some() || files.kind(&path) != FileKind::Missing;
        let below = folder.ancestors().take_while(|above| *above != self.working);
        let mut repositories = below.flat_map(|above| [above.join(".git"), above.join("HEAD")]);
        let is_inside = folder.starts_with(&self.working);
        self.trust == Trust::Trusted && is_inside && !repositories.any(is_there)
    }

    /// The working folder.
    pub fn working(&self) -> &Path {
        &self.working
    }

    /// The folder in which the next command starts: the working folder, unless an earlier command changed it.
    pub fn current(&self) -> &Path {
        &self.current
    }

    /// The same workspace with this real folder as the current one.
    pub fn at(&self, current: &Path) -> Self {
        Self { current: current.to_path_buf(), ..self.clone() }
    }

    /// The home folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The working folder and the added ones.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.lock().clone()
    }

    /// The folders that patterns are relative to.
    pub fn bases(&self) -> PatternBases {
        PatternBases { working: self.working.clone(), project: self.project.clone(), home: self.home.clone() }
    }

    /// Whether the target of the path is inside.
    pub fn holds(&self, path: &ResolvedPath) -> bool {
        self.lock().iter().any(|root| path.real.starts_with(root))
    }
}
