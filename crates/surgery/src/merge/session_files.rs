//! Moves the files of the second session to the first: sub-agents, outputs, file copies, todo lists, prompts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use annals_json::Value;
use annals_json::edit::{Editor, PathStep};
use annals_store::changes::Change;
use annals_store::layout::FileRole;
use annals_transcript::line::lines;

use super::lines::CopyNames;
use super::{MergePlanError, SessionPair};
use crate::clone::{ForkOrigin, IdMap, LineRewriter, RewriteError};
use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::AgentFile;
use crate::session_files::SessionFile;

/// New version numbers for file copies that both have under one name with different bytes.
pub(super) fn renamed_copies(pair: &SessionPair) -> CopyNames {
    let mut renamed = CopyNames::new();
    if pair.share_name() {
        return renamed;
    }
    let mut newest: BTreeMap<&str, u32> = BTreeMap::new();
    for session_file in pair.of_first.iter().chain(&pair.of_second) {
        if let FileRole::FileHistory { hash, version, .. } = &session_file.role {
            let newest = newest.entry(hash).or_default();
            *newest = (*newest).max(*version);
        }
    }
    for session_file in &pair.of_second {
        let FileRole::FileHistory { hash, version, .. } = &session_file.role else { continue };
        let existing = pair.of_first.iter().find(|other| match &other.role {
            FileRole::FileHistory { hash: other, version: of, .. } => other == hash && of == version,
            _ => false,
        });
        if existing.is_some_and(|existing| existing.bytes != session_file.bytes)
            && let Some(newest) = newest.get_mut(hash.as_str())
        {
            *newest += 1;
            renamed.insert(format!("{hash}@v{version}"), format!("{hash}@v{newest}"));
        }
    }
    renamed
}

/// Renames the second's sub-agents and moves them to those of the first.
pub(super) fn agents(pair: &SessionPair, names: &IdMap, plan: &mut Plan) -> Result<(), MergePlanError> {
    let rewriter = LineRewriter { names, fork_origin: ForkOrigin::Keep, moved: None };
    for agent in &pair.second.agents {
        let fault = |fault: RewriteError| {
            let RewriteError { line, source } = fault;
            MergePlanError::Edit { path: agent.entry.path.clone(), line, source }
        };
        let new = rewriter.file(&agent.bytes).map_err(fault)?;
        let to = target_of_agent(pair, agent);
        let existing =
            to.as_ref().and_then(|to| pair.first.agents.iter().find(|other| other.entry.path == *to));
        match (to, existing) {
            (Some(_), Some(existing)) if *existing.bytes == *new => discard(pair, &agent.entry.path, plan),
            (Some(to), existing) if existing.is_some() || to.exists() => {
                return Err(MergePlanError::Clash { from: agent.entry.path.clone(), to });
            }
            (to, _) => {
                plan.edits.extend(
                    Some(edit_of(&agent.entry.path, &agent.bytes, &new)).filter(|edit| !edit.is_empty()),
                );
                if let Some(to) = to {
                    plan.changes.push(Change::Move { from: agent.entry.path.clone(), to });
                }
            }
        }
    }
    Ok(())
}

/// Where a sub-agent's file goes; `None` if it stays in another project.
fn target_of_agent(pair: &SessionPair, agent: &AgentFile) -> Option<PathBuf> {
    target_beside(pair, &agent.entry.path)
}

fn target_beside(pair: &SessionPair, path: &Path) -> Option<PathBuf> {
    let to = match path.strip_prefix(pair.second.folder()) {
        Ok(inside) => pair.first.folder().join(inside),
        Err(_) if path.parent() == pair.second.path.parent() => {
            pair.first.path.with_file_name(path.file_name()?)
        }
        Err(_) => return None,
    };
    (to != path).then_some(to)
}

/// The edits that turn one file into another with as many lines.
fn edit_of(path: &Path, old: &[u8], new: &[u8]) -> FileEdit {
    let mut edit = FileEdit::new(path, old).keeping_mtime();
    for (before, after) in lines(old).zip(lines(new)) {
        if before.body() != after.body() {
            edit.change(before.number, after.body().to_vec(), "it names the second session");
        }
    }
    edit
}

/// Assigns the second's prompts in `history.jsonl` to the first, and removes its index entry.
pub(super) fn prompts_and_index(pair: &SessionPair, plan: &mut Plan) {
    let (first, second) = (pair.first.key.as_str(), pair.second.key.as_str());
    let is_second = |value: Option<Value<'_>>| value.and_then(Value::text).is_some_and(|id| id.is(second));
    let is_one_store = super::config_of(&pair.first) == super::config_of(&pair.second);
    if let Some((path, bytes)) = pair.history.as_ref().filter(|_| is_one_store && first != second) {
        let mut edit = FileEdit::new(path, bytes).keeping_mtime();
        for line in lines(bytes) {
            let session = Value::parse(line.body()).ok().and_then(|value| value.get("sessionId"));
            let renamed = || {
                let mut editor = Editor::new(line.body()).ok()?;
                editor.replace_string(&[PathStep::Key("sessionId")], first).ok()?;
                editor.finish().ok()
            };
            if let Some(new) = Some(()).filter(|()| is_second(session)).and_then(|()| renamed()) {
                edit.change(line.number, new, "a prompt of the second");
            }
        }
        plan.edit(edit);
    }
    let Some((path, bytes)) = &pair.index else { return };
    let places: BTreeSet<usize> = Value::parse(bytes)
        .ok()
        .and_then(|index| index.get("entries"))
        .into_iter()
        .flat_map(Value::items)
        .enumerate()
        .filter(|(_, entry)| is_second(entry.get("sessionId")))
        .map(|(place, _)| place)
        .collect();
    let without = || {
        let mut editor = Editor::new(bytes).ok()?;
        editor.remove_items(&[PathStep::Key("entries")], |place| places.contains(&place)).ok()?;
        editor.finish().ok()
    };
    if let Some(new) = Some(()).filter(|()| !places.is_empty()).and_then(|()| without()) {
        plan.replace(path, bytes, new);
    }
}

/// Moves all other files of the second: outputs, copies, lists, titles.
pub(super) fn side_files(
    pair: &SessionPair,
    renamed: &CopyNames,
    plan: &mut Plan,
) -> Result<(), MergePlanError> {
    let mut lists = BTreeSet::new();
    for session_file in &pair.of_second {
        let Some(to) = target_of(pair, session_file, renamed) else { continue };
        let existing = pair.of_first.iter().find(|other| other.path == to);
        if matches!(session_file.role, FileRole::Task { .. }) {
            lists.insert(to.clone());
        }
        let Some(existing) = existing else {
            if to.exists() {
                return Err(MergePlanError::Clash { from: session_file.path.clone(), to });
            }
            plan.changes.push(Change::Move { from: session_file.path.clone(), to });
            continue;
        };
        let is_state = matches!(session_file.role, FileRole::Todos { .. } | FileRole::Task { .. });
        match &session_file.role {
            _ if existing.bytes == session_file.bytes => {}
            // The later list wins, unless it is empty.
            _ if is_state => {
                if !is_empty_list(&session_file.bytes) {
                    plan.replace(&to, &existing.bytes, session_file.bytes.clone());
                }
            }
            FileRole::CustomTitleFile { .. } => {}
            FileRole::ImageCache { .. } => plan.notes.push(format!(
                "{} goes to the trash: the first session has another image with this number",
                session_file.path.display()
            )),
            _ => return Err(MergePlanError::Clash { from: session_file.path.clone(), to }),
        }
        discard(pair, &session_file.path, plan);
    }
    // Tasks are one list: nothing of an earlier one is mixed into the later.
    if !lists.is_empty() {
        for session_file in &pair.of_first {
            let is_task = matches!(session_file.role, FileRole::Task { .. });
            if is_task && !lists.contains(&session_file.path) {
                plan.changes.push(Change::Discard { path: session_file.path.clone() });
            }
        }
    }
    Ok(())
}

fn target_of(pair: &SessionPair, session_file: &SessionFile, renamed: &CopyNames) -> Option<PathBuf> {
    if let Some(to) = target_beside(pair, &session_file.path) {
        return Some(to);
    }
    if pair.share_name() {
        return None;
    }
    let config = super::config_of(&pair.first)?;
    let (first, second) = (&pair.first.key, &pair.second.key);
    let name = session_file.path.file_name()?.to_string_lossy().into_owned();
    Some(match &session_file.role {
        FileRole::Todos { agent, .. } if agent.as_str() == second.as_str() => {
            config.todo(first, &first.as_str().into())
        }
        FileRole::Todos { agent, .. } => config.todo(first, agent),
        FileRole::Task { id, .. } => config.task(first, id),
        FileRole::FileHistory { .. } => {
            config.file_history_of(first).join(renamed.get(&name).unwrap_or(&name))
        }
        FileRole::ImageCache { name, .. } => config.image_cache(first).join(name),
        FileRole::SessionEnv { .. } => config.session_env(first).join(name),
        _ => return None,
    })
}

fn is_empty_list(bytes: &[u8]) -> bool {
    Value::parse(bytes).is_ok_and(|list| list.items().next().is_none() && list.fields().is_none())
}

/// Folders with the second's id, which go to the trash as a whole in the end.
fn folders(pair: &SessionPair) -> Vec<PathBuf> {
    let mut folders = vec![pair.second.folder()];
    if let Some(config) = super::config_of(&pair.second).filter(|_| !pair.share_name()) {
        let second = &pair.second.key;
        folders.extend([
            config.tasks().join(second.as_str()),
            config.file_history_of(second),
            config.image_cache(second),
            config.session_env(second),
        ]);
    }
    folders
}

/// Moves a file of the second to the trash, alone or with its folder.
fn discard(pair: &SessionPair, path: &Path, plan: &mut Plan) {
    if !folders(pair).iter().any(|folder| path.starts_with(folder)) {
        plan.changes.push(Change::Discard { path: path.to_path_buf() });
    }
}

/// Moves what is left of the second's folders to the trash.
pub(super) fn emptied_folders(pair: &SessionPair, plan: &mut Plan) {
    for folder in folders(pair).into_iter().filter(|folder| folder.exists()) {
        plan.changes.push(Change::Discard { path: folder });
    }
}
