//! Plans an import: every file of a bundle becomes one of a store, under the same ids or new ones.

use std::path::{Path, PathBuf};

use annals_json::Value;
use annals_json::edit::{Editor, PathStep};
use annals_store::changes::Change;
use annals_store::layout::FileRole;
use annals_store::{ConfigDir, Discovery, SessionKey, Slug, Source};
use annals_transcript::line::lines;
use annals_transcript::transcript::Transcript;

use super::Bundle;
use crate::clone::{ClonePlan, ClonePlanError, ForkOrigin, IdMap, moved_to};
use crate::folder_move::{FolderMove, is_absolute};
use crate::plan::Plan;
use crate::session::Session;
use crate::session_files::SessionFile;

/// Which ids the imported session gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportIds {
    /// Those that it has.
    Keep,
    /// New ones for the session, its records and its sub-agents, like a clone.
    New,
}

/// Where a session is imported to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportTarget {
    /// The store.
    pub config: ConfigDir,
    /// The working directory of the project; `None` for the one that the session had.
    pub cwd: Option<String>,
}

/// A planned import.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    /// The changes to make.
    pub plan: Plan,
    /// The session, as it will be named.
    pub session: SessionKey,
    pub path: PathBuf,
    /// How many records it has.
    pub records: usize,
    /// The working directory that its records name, if any.
    pub cwd: Option<String>,
}

/// Why a bundle cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportPlanError {
    /// The session has no records.
    #[error("the session of the bundle has no records")]
    NoRecords,
    /// The store has a session of this id.
    #[error("the store already has a session {session}: {}", path.display())]
    Exists { session: SessionKey, path: PathBuf },
    /// The store has another file of this name.
    #[error("{}: the file already exists", path.display())]
    InTheWay { path: PathBuf },
    /// A prompt is of another session.
    #[error("line {line} of the prompts in the bundle is not of this session")]
    Prompt {
        /// The line, from 1.
        line: u32,
    },
    /// The session could not be rewritten.
    #[error(transparent)]
    Rewrite(#[from] ClonePlanError),
}

/// Plans the import of a bundle. `name` stands for the bundle in errors; `discovery` is of the store that it goes to.
pub fn plan(
    bundle: &Bundle,
    name: &Path,
    target: &ImportTarget,
    ids: ImportIds,
    discovery: &Discovery,
    source: &dyn Source,
) -> Result<ImportPlan, ImportPlanError> {
    let (session, side_files) = bundle.unpack(name);
    let records = Transcript::parse(&session.bytes).nodes().len();
    if records == 0 {
        return Err(ImportPlanError::NoRecords);
    }
    if let Some(cwd) = target.cwd.as_ref().filter(|cwd| !is_absolute(cwd)) {
        return Err(ClonePlanError::NotAbsolute { cwd: cwd.clone() }.into());
    }
    if ids == ImportIds::Keep
        && let Some(known) = discovery.sessions_named(&session.key).next()
    {
        let path = known.path.clone();
        return Err(ImportPlanError::Exists { session: bundle.session.clone(), path });
    }
    let moved = target.cwd.as_ref().and_then(|cwd| moved_to(&session, cwd));
    let mut plan = match (ids, &target.cwd) {
        (ImportIds::Keep, None) => exact(bundle, &session, target),
        _ => rewritten(&session, &side_files, target, ids, moved.clone(), source)?,
    };
    add_shared(bundle, target, &mut plan.plan);
    add_prompts(bundle, target, &plan.session, moved.as_ref(), &mut plan.plan)?;
    check_free(&plan.plan)?;
    plan.plan.changes.push(Change::RefreshIndex { session: plan.path.clone() });
    plan.records = records;
    plan.cwd = target.cwd.clone().or_else(|| cwd_of(&session));
    Ok(plan)
}

/// Every byte as it is.
fn exact(bundle: &Bundle, session: &Session, target: &ImportTarget) -> ImportPlan {
    let mut plan = Plan::new(format!("import {}", session.key), target.config.path());
    for file in &bundle.files {
        let role = FileRole::of_relative(Path::new(&file.path));
        if !matches!(role, FileRole::Plan { .. } | FileRole::PasteCache { .. } | FileRole::History) {
            let path = target.config.path().join(&file.path);
            plan.changes.push(Change::Create { path, bytes: file.bytes.clone(), mode: None });
        }
    }
    let path = target.config.session(&bundle.slug, &session.key);
    ImportPlan { plan, session: session.key.clone(), path, records: 0, cwd: None }
}

/// Under new ids, or in another project.
fn rewritten(
    session: &Session,
    side_files: &[SessionFile],
    target: &ImportTarget,
    ids: ImportIds,
    moved: Option<FolderMove>,
    source: &dyn Source,
) -> Result<ImportPlan, ImportPlanError> {
    let old_slug = session.home.as_ref().map(|(_, slug)| slug.clone()).unwrap_or_else(|| Slug::new(""));
    let slug = target.cwd.as_deref().map_or_else(|| old_slug.clone(), Slug::of_path);
    let project = Some((old_slug, slug.clone()));
    let (names, what, origin) = match ids {
        ImportIds::Keep => {
            let names = IdMap::of_session(session.key.clone(), session.key.clone(), project);
            (names, format!("import {}", session.key), ForkOrigin::Keep)
        }
        ImportIds::New => {
            let names = IdMap::new(session, side_files, source).in_project(project);
            let what = format!("import {} as {}", session.key, names.session());
            (names, what, ForkOrigin::Remove)
        }
    };
    let mut clone = ClonePlan::of_names(names, (target.config.clone(), slug), moved, what);
    clone.add_lines(session, &session.bytes, origin)?;
    for agent in &session.agents {
        clone.add_agent(session, agent)?;
    }
    for file in side_files {
        clone.add_session_file(session, file);
    }
    // A sub-agent of another project stays in its folder there.
    let bundle = session.root();
    for change in &mut clone.plan.changes {
        if let Change::Create { path, .. } = change
            && let Ok(inside) = path.strip_prefix(&bundle)
        {
            *path = target.config.path().join(inside);
        }
    }
    let session = clone.names.session().clone();
    Ok(ImportPlan { plan: clone.plan, session, path: clone.path, records: 0, cwd: None })
}

/// Adds plans and pastes. Other sessions may have them too: what is there stays.
fn add_shared(bundle: &Bundle, target: &ImportTarget, plan: &mut Plan) {
    for (inside, file) in bundle.shared() {
        let path = target.config.path().join(inside);
        match target.config.read_if_there(&path) {
            Ok(None) => plan.changes.push(Change::Create { path, bytes: file.bytes.clone(), mode: None }),
            Ok(Some(bytes)) if *bytes == *file.bytes => {}
            _ => plan.notes.push(format!("{} already exists and stays as it is", path.display())),
        }
    }
}

/// Adds the prompts to those of the store.
fn add_prompts(
    bundle: &Bundle,
    target: &ImportTarget,
    session: &SessionKey,
    moved: Option<&FolderMove>,
    plan: &mut Plan,
) -> Result<(), ImportPlanError> {
    let Some(prompts) = bundle.file(Path::new("history.jsonl")) else { return Ok(()) };
    let path = target.config.history();
    let old = match target.config.read_if_there(&path) {
        Ok(old) => old,
        Err(error) => {
            plan.notes.push(format!("its prompts are not added: {error}"));
            return Ok(());
        }
    };
    let mut new = old.clone().unwrap_or_default();
    if new.last().is_some_and(|&byte| byte != b'\n') {
        new.push(b'\n');
    }
    for line in lines(prompts) {
        let prompt = prompt(line.body(), &bundle.session, session, moved);
        new.extend(prompt.ok_or(ImportPlanError::Prompt { line: line.number as u32 })?);
        new.push(b'\n');
    }
    match old {
        Some(old) => plan.replace(&path, &old, new),
        None => plan.changes.push(Change::Create { path, bytes: new.into(), mode: None }),
    }
    Ok(())
}

/// A prompt under the new id and in the new folder; `None` if it is not one of the session.
fn prompt(line: &[u8], old: &SessionKey, new: &SessionKey, moved: Option<&FolderMove>) -> Option<Vec<u8>> {
    let value = Value::parse(line).ok()?;
    let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
    if text("sessionId").as_deref() != Some(old.as_str()) {
        return None;
    }
    let mut editor = Editor::new(line).ok()?;
    if old != new {
        editor.replace_string(&[PathStep::Key("sessionId")], new.as_str()).ok()?;
    }
    if let Some(folder) = moved.zip(text("project")).and_then(|(moved, project)| moved.follow(&project)) {
        editor.replace_string(&[PathStep::Key("project")], &folder).ok()?;
    }
    editor.finish().ok()
}

/// Fails if a file that is to be made exists.
fn check_free(plan: &Plan) -> Result<(), ImportPlanError> {
    let existing = plan.changes.iter().find_map(|change| match change {
        Change::Create { path, .. } => Some(path).filter(|path| path.symlink_metadata().is_ok()),
        _ => None,
    });
    match existing {
        Some(path) => Err(ImportPlanError::InTheWay { path: path.clone() }),
        None => Ok(()),
    }
}

/// The first working directory that its records name.
fn cwd_of(session: &Session) -> Option<String> {
    let transcript = session.transcript();
    let cwd = |node| transcript.fields(node).text("cwd").map(|text| text.to_string());
    transcript.indices().find_map(cwd)
}
