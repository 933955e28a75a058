//! A session and its sub-agents in memory.

use std::path::{Path, PathBuf};

use annals_store::layout::{ConfigDir, FileRole};
use annals_store::read::{ReadError, read_file};
use annals_store::{AgentEntry, Discovery, FileBytes, SessionKey, Slug, Store};
use annals_transcript::transcript::Transcript;

/// A session's transcript and sub-agents.
#[derive(Clone, Debug)]
pub struct Session {
    /// The path of its file.
    pub path: PathBuf,
    /// Its id, from the file name.
    pub key: SessionKey,
    /// The content of its file.
    pub bytes: FileBytes,
    /// Its sub-agents.
    pub agents: Vec<AgentFile>,
    /// Its store and project; `None` for a file outside a store.
    pub home: Option<(ConfigDir, Slug)>,
}

/// A sub-agent's transcript.
#[derive(Clone, Debug)]
pub struct AgentFile {
    /// Its path and owner.
    pub entry: AgentEntry,
    /// The content of its file.
    pub bytes: FileBytes,
}

impl Session {
    /// Reads a session and its sub-agents.
    pub fn load(path: &Path) -> Result<Self, ReadError> {
        let config = ConfigDir::containing(path);
        let discovery = config.as_ref().map(|config| Store::open(config.path()).discover());
        Self::load_from(path, discovery.as_ref())
    }

    /// The same with a store that was listed already.
    pub fn load_from(path: &Path, discovery: Option<&Discovery>) -> Result<Self, ReadError> {
        let key = SessionKey::new(path.file_stem().unwrap_or_default().to_string_lossy());
        let bytes = read_file(path)?.into();
        let home = ConfigDir::containing(path).and_then(|config| match config.role(path) {
            FileRole::Session { slug, .. } => Some((config, slug)),
            _ => None,
        });
        let mut agents = Vec::new();
        for entry in discovery.iter().flat_map(|discovery| discovery.agents_of(&key)) {
            agents.push(AgentFile { bytes: read_file(&entry.path)?.into(), entry: entry.clone() });
        }
        Ok(Self { path: path.to_path_buf(), key, bytes, agents, home })
    }

    /// Parses its records.
    pub fn transcript(&self) -> Transcript<'_> {
        Transcript::parse(&self.bytes)
    }

    /// The folder that paths in the trash are relative to: the config dir, or the folder of a single file.
    pub fn root(&self) -> PathBuf {
        let folder = || self.path.parent().map(Path::to_path_buf).unwrap_or_default();
        self.home.as_ref().map_or_else(folder, |(config, _)| config.path().to_path_buf())
    }

    /// The folder beside its file.
    pub fn folder(&self) -> PathBuf {
        self.path.with_extension("")
    }
}
