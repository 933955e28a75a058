//! What belongs to the second comes over: sub-agents, outputs, copies of files, lists; its prompts get the first's name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use annals_json::Value;
use annals_json::edit::{Editor, Step};
use annals_store::changes::Change;
use annals_store::layout::FileRole;
use annals_transcript::line::lines;

use super::lines::Renamed;
use super::{MergePlanError, Pair};
use crate::belongings::Belonging;
use crate::clone::{Lineage, Names, RewriteFault, Rewriting};
use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Agent;

/// The copies of files that both have under one name with different bytes: they get the next free number.
pub(super) fn renamed_copies(pair: &Pair) -> Renamed {
    let mut renamed = Renamed::new();
    if pair.is_one_name() {
        return renamed;
    }
    let mut newest: BTreeMap<&str, u32> = BTreeMap::new();
    for belonging in pair.of_first.iter().chain(&pair.of_second) {
        if let FileRole::FileHistory { hash, version, .. } = &belonging.role {
            let newest = newest.entry(hash).or_default();
            *newest = (*newest).max(*version);
        }
    }
    for belonging in &pair.of_second {
        let FileRole::FileHistory { hash, version, .. } = &belonging.role else { continue };
        let there = pair.of_first.iter().find(|other| match &other.role {
            FileRole::FileHistory { hash: other, version: of, .. } => other == hash && of == version,
            _ => false,
        });
        if there.is_some_and(|there| there.bytes != belonging.bytes)
            && let Some(newest) = newest.get_mut(hash.as_str())
        {
            *newest += 1;
            renamed.insert(format!("{hash}@v{version}"), format!("{hash}@v{newest}"));
        }
    }
    renamed
}

/// The second's sub-agents get the first's name, and go where its own are.
pub(super) fn agents(pair: &Pair, names: &Names, plan: &mut Plan) -> Result<(), MergePlanError> {
    let rewriting = Rewriting { names, lineage: Lineage::Kept, moved: None };
    for agent in &pair.second.agents {
        let fault = |fault: RewriteFault| {
            let RewriteFault { line, source } = fault;
            MergePlanError::Edit { path: agent.entry.path.clone(), line, source }
        };
        let new = rewriting.file(&agent.bytes).map_err(fault)?;
        let to = place_of_agent(pair, agent);
        let there = to.as_ref().and_then(|to| pair.first.agents.iter().find(|other| other.entry.path == *to));
        match (to, there) {
            (Some(_), Some(there)) if there.bytes == new => discard(pair, &agent.entry.path, plan),
            (Some(to), there) if there.is_some() || to.exists() => {
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

/// Where a sub-agent's file goes; none where it stays: in another project.
fn place_of_agent(pair: &Pair, agent: &Agent) -> Option<PathBuf> {
    place_beside(pair, &agent.entry.path)
}

fn place_beside(pair: &Pair, path: &Path) -> Option<PathBuf> {
    let to = match path.strip_prefix(pair.second.folder()) {
        Ok(inside) => pair.first.folder().join(inside),
        Err(_) if path.parent() == pair.second.path.parent() => {
            pair.first.path.with_file_name(path.file_name()?)
        }
        Err(_) => return None,
    };
    (to != path).then_some(to)
}

/// The edits that make one file of lines another of as many lines.
fn edit_of(path: &Path, old: &[u8], new: &[u8]) -> FileEdit {
    let mut edit = FileEdit::new(path, old).keeping_age();
    for (before, after) in lines(old).zip(lines(new)) {
        if before.body() != after.body() {
            edit.change(before.number, after.body().to_vec(), "it names the second");
        }
    }
    edit
}

/// The second's prompts in `history.jsonl` are the first's; its entry in the index goes.
pub(super) fn prompts_and_index(pair: &Pair, plan: &mut Plan) {
    let (first, second) = (pair.first.key.as_str(), pair.second.key.as_str());
    let is_second = |value: Option<Value<'_>>| value.and_then(Value::text).is_some_and(|id| id.is(second));
    let is_one_store = super::config_of(&pair.first) == super::config_of(&pair.second);
    if let Some((path, bytes)) = pair.history.as_ref().filter(|_| is_one_store && first != second) {
        let mut edit = FileEdit::new(path, bytes).keeping_age();
        for line in lines(bytes) {
            let session = Value::parse(line.body()).ok().and_then(|value| value.get("sessionId"));
            let renamed = || {
                let mut editor = Editor::new(line.body()).ok()?;
                editor.replace_string(&[Step::Key("sessionId")], first).ok()?;
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
        editor.remove_items(&[Step::Key("entries")], |place| places.contains(&place)).ok()?;
        editor.finish().ok()
    };
    if let Some(new) = Some(()).filter(|()| !places.is_empty()).and_then(|()| without()) {
        plan.replace(path, bytes, new);
    }
}

/// Every other file of the second: outputs, copies, lists, titles.
pub(super) fn side_files(pair: &Pair, renamed: &Renamed, plan: &mut Plan) -> Result<(), MergePlanError> {
    let mut lists = BTreeSet::new();
    for belonging in &pair.of_second {
        let Some(to) = place_of(pair, belonging, renamed) else { continue };
        let there = pair.of_first.iter().find(|other| other.path == to);
        if matches!(belonging.role, FileRole::Task { .. }) {
            lists.insert(to.clone());
        }
        let Some(there) = there else {
            if to.exists() {
                return Err(MergePlanError::Clash { from: belonging.path.clone(), to });
            }
            plan.changes.push(Change::Move { from: belonging.path.clone(), to });
            continue;
        };
        let is_state = matches!(belonging.role, FileRole::Todos { .. } | FileRole::Task { .. });
        match &belonging.role {
            _ if there.bytes == belonging.bytes => {}
            // The later list stands; one without items was never used.
            _ if is_state => {
                if !is_empty_list(&belonging.bytes) {
                    plan.replace(&to, &there.bytes, belonging.bytes.clone());
                }
            }
            FileRole::CustomTitleFile { .. } => {}
            FileRole::ImageCache { .. } => plan.notes.push(format!(
                "{} goes to the trash: the first has another picture of this number",
                belonging.path.display()
            )),
            _ => return Err(MergePlanError::Clash { from: belonging.path.clone(), to }),
        }
        discard(pair, &belonging.path, plan);
    }
    // Tasks are one list: of an earlier one nothing is left among the later.
    if !lists.is_empty() {
        for belonging in &pair.of_first {
            let is_task = matches!(belonging.role, FileRole::Task { .. });
            if is_task && !lists.contains(&belonging.path) {
                plan.changes.push(Change::Discard { path: belonging.path.clone() });
            }
        }
    }
    Ok(())
}

fn place_of(pair: &Pair, belonging: &Belonging, renamed: &Renamed) -> Option<PathBuf> {
    if let Some(to) = place_beside(pair, &belonging.path) {
        return Some(to);
    }
    if pair.is_one_name() {
        return None;
    }
    let config = super::config_of(&pair.first)?;
    let (first, second) = (&pair.first.key, &pair.second.key);
    let name = belonging.path.file_name()?.to_string_lossy().into_owned();
    Some(match &belonging.role {
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

/// Folders of the second's name, which go as a whole when what is left is of no use to the first.
fn folders(pair: &Pair) -> Vec<PathBuf> {
    let mut folders = vec![pair.second.folder()];
    if let Some(config) = super::config_of(&pair.second).filter(|_| !pair.is_one_name()) {
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

/// A file of the second that the first has no use for goes to the trash, alone or with its folder.
fn discard(pair: &Pair, path: &Path, plan: &mut Plan) {
    if !folders(pair).iter().any(|folder| path.starts_with(folder)) {
        plan.changes.push(Change::Discard { path: path.to_path_buf() });
    }
}

/// What is left of the second's folders goes to the trash.
pub(super) fn emptied_folders(pair: &Pair, plan: &mut Plan) {
    for folder in folders(pair).into_iter().filter(|folder| folder.exists()) {
        plan.changes.push(Change::Discard { path: folder });
    }
}
