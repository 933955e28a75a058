//! Gathers what belongs to a session, for a bundle.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::files::PlainName;
use annals_store::layout::{ConfigDir, FileRole};
use annals_store::read::ReadError;
use annals_store::{Discovery, FileBytes, SessionKey, Slug, Store, Summary};

use super::read::belongs;
use super::{Bundle, BundleFile};
use crate::prompts::prompts_of;
use crate::session::{AgentFile, Session};
use crate::session_files::{session_files, skipped_entries};

/// Why there is no bundle of a file.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A sub-agent's file is a part of a session; and other names are not those of sessions.
    #[error("{}: not a session file", path.display())]
    NotASession { path: PathBuf },
}

/// Gathers a session with its sub-agents and side files, its plans, its prompts in `history.jsonl` and their pastes. Also
/// returns the files that are left out: clients would not find them, or would run them.
pub fn gather(path: &Path) -> Result<(Bundle, Vec<PathBuf>), GatherError> {
    let discovery = match ConfigDir::containing(path) {
        Some(config) => Store::open(config.path()).discover(),
        None => Discovery::near(path)?,
    };
    let session = Session::load_from(path, Some(&discovery))?;
    if session.key.as_str().starts_with("agent-") {
        return Err(GatherError::NotASession { path: path.to_path_buf() });
    }
    let slug = match &session.home {
        Some((_, slug)) => slug.clone(),
        None => slug_of(path, &session.key),
    };
    let (key, names) = (session.key.clone(), HashSet::new());
    let mut builder = BundleBuilder { session: key, slug, files: Vec::new(), names, left_out: Vec::new() };
    builder.add(format!("projects/{}/{}.jsonl", builder.slug, session.key), path, session.bytes.clone());
    for agent in &session.agents {
        builder.add(builder.place(&session, &agent.entry.path), &agent.entry.path, agent.bytes.clone());
    }
    let side_files = session_files(&session, &discovery)?;
    let agents = session.agents.iter().map(|agent| agent.entry.path.as_path());
    let covered = agents.chain(side_files.iter().map(|file| file.path.as_path()));
    builder.left_out.extend(skipped_entries(&session, covered).into_iter().map(|entry| entry.path));
    for file in side_files {
        builder.add(builder.place(&session, &file.path), &file.path, file.bytes);
    }
    if let Some((config, _)) = &session.home {
        builder.add_shared(config, &session);
    }
    let BundleBuilder { session, slug, files, left_out, .. } = builder;
    if left_out.iter().any(|left| left == path) {
        return Err(GatherError::NotASession { path: path.to_path_buf() });
    }
    Ok((Bundle { session, slug, files }, left_out))
}

/// The project folder of a session that is in no store, by its working directory.
fn slug_of(path: &Path, session: &SessionKey) -> Slug {
    let project = Summary::read_path(path).ok().and_then(|summary| summary.project);
    project.map_or_else(|| Slug::new(format!("-{session}")), |project| Slug::of_path(&project.path))
}

/// A bundle that is being put together.
struct BundleBuilder {
    session: SessionKey,
    slug: Slug,
    files: Vec<BundleFile>,
    names: HashSet<String>,
    left_out: Vec<PathBuf>,
}

impl BundleBuilder {
    /// The name of a file: where it is in the store. Outside a store it is beside the session or in its folder; so is a
    /// sub-agent's file that is in the folder of another project, where nothing but its lines names the session.
    fn place(&self, session: &Session, path: &Path) -> String {
        let project = format!("projects/{}", self.slug);
        let text = |path: &Path| path.to_string_lossy().replace('\\', "/");
        let name = || path.file_name().map(|name| text(Path::new(name))).unwrap_or_default();
        let in_store = session.home.as_ref().and_then(|(config, _)| path.strip_prefix(config.path()).ok());
        match (in_store.map(text), path.strip_prefix(session.folder())) {
            (Some(place), _) if self.belongs(&place) => place,
            (_, Ok(inside)) => format!("{project}/{}/{}", session.key, text(inside)),
            (_, Err(_)) if path.parent() == session.path.parent() => format!("{project}/{}", name()),
            (Some(place), Err(_)) if !place.starts_with("projects/") => place,
            (_, Err(_)) => format!("{project}/{}/subagents/{}", session.key, name()),
        }
    }

    /// Whether an import accepts a file of this name.
    fn belongs(&self, name: &str) -> bool {
        let is_plain = name.split('/').all(|part| PlainName::new(part, "a name").is_ok());
        let role = FileRole::of_relative(Path::new(name));
        is_plain && belongs(&role, self.session.as_str(), self.slug.as_str())
    }

    /// Adds a file, unless an import would refuse it.
    fn add(&mut self, name: String, path: &Path, bytes: FileBytes) {
        let is_new = self.names.insert(name.to_lowercase());
        if is_new && self.belongs(&name) {
            self.files.push(BundleFile { path: name, bytes });
        } else {
            self.left_out.push(path.to_path_buf());
        }
    }

    /// Adds what sessions share: plans that it names, its prompts, and long pastes of them.
    fn add_shared(&mut self, config: &ConfigDir, session: &Session) {
        let lines = std::iter::once(&session.bytes).chain(session.agents.iter().map(|agent| &agent.bytes));
        let mut names: Vec<String> = lines.flat_map(|bytes| plan_names(bytes)).collect();
        let of_agent = |agent: &AgentFile| -> Vec<String> {
            names.iter().map(|name| format!("{name}-agent-{}", agent.entry.key)).collect()
        };
        let of_agents: Vec<String> = session.agents.iter().flat_map(of_agent).collect();
        names.extend(of_agents);
        names.sort();
        names.dedup();
        for name in names.iter().filter(|name| PlainName::new(name, "a plan").is_ok()) {
            self.add_if_there(config, format!("plans/{name}.md"), &config.plan(name));
        }
        let Ok(Some(history)) = config.read_if_there(&config.history()) else {
            self.left_out.extend(Some(config.history()).filter(|path| path.exists()));
            return;
        };
        let (prompts, pastes) = prompts_of(&history, &session.key);
        if prompts.is_empty() {
            return;
        }
        self.add("history.jsonl".to_owned(), &config.history(), prompts.into());
        for hash in pastes.iter().filter(|hash| PlainName::new(hash, "a paste").is_ok()) {
            self.add_if_there(config, format!("paste-cache/{hash}.txt"), &config.paste(hash));
        }
    }

    /// Adds a file of the store that nobody has listed: a link that leads out of the store is not followed.
    fn add_if_there(&mut self, config: &ConfigDir, name: String, path: &Path) {
        match config.read_if_there(path) {
            Ok(None) => {}
            Ok(Some(bytes)) => self.add(name, path, bytes.into()),
            Err(_) => self.left_out.push(path.to_path_buf()),
        }
    }
}

/// The plans that records name.
fn plan_names(bytes: &[u8]) -> Vec<String> {
    let transcript = annals_transcript::transcript::Transcript::parse(bytes);
    let name = |node| Some(transcript.fields(node).text("slug")?.to_string());
    let mut names: Vec<String> = transcript.indices().filter_map(name).collect();
    names.dedup();
    names
}
