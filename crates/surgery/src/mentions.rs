//! Finds sessions and sub-agents that refer to files which are to be removed.
//!
//! A file is referenced if all words of its name occur anywhere in one transcript. That errs on the side of keeping files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::parallel;
use annals_store::read::{ReadError, stream_lines};
use annals_store::{Discovery, FileRole, SessionKey};

/// A transcript that stays, and its session.
struct ReferencingFile<'d> {
    path: &'d Path,
    session: Option<&'d SessionKey>,
}

/// Of the files to remove, those that a remaining transcript refers to, with that transcript.
pub(crate) fn referenced_files(
    files: &[PathBuf],
    removed: &HashSet<&Path>,
    discovery: &Discovery,
) -> Result<BTreeMap<PathBuf, PathBuf>, ReadError> {
    let named: Vec<(&PathBuf, FileRole, Vec<String>)> = files
        .iter()
        .map(|path| (path, discovery.config_dir.role(path)))
        .filter_map(|(path, role)| words_for(&role).map(|words| (path, role, words)))
        .collect();
    if named.is_empty() {
        return Ok(BTreeMap::new());
    }
    let words: HashSet<&str> =
        named.iter().flat_map(|(_, _, words)| words.iter().map(String::as_str)).collect();
    let copies: HashSet<&Path> = discovery.file_history().map(|file| file.path.as_path()).collect();
    let sessions = discovery.sessions.iter();
    let agents = discovery.agents.iter();
    let referrers: Vec<ReferencingFile<'_>> = sessions
        .map(|session| ReferencingFile { path: &session.path, session: Some(&session.key) })
        .chain(agents.map(|agent| ReferencingFile { path: &agent.path, session: agent.session.as_ref() }))
        .filter(|referrer| !removed.contains(referrer.path))
        .collect();
    let found_words = parallel::map(&referrers, |referrer| words_in(referrer.path, &words));
    let mut found = BTreeMap::new();
    for (referrer, found_words) in referrers.iter().zip(found_words) {
        let found_words = found_words?;
        for (path, role, words) in &named {
            let has_own = match (role, referrer.session) {
                // A fork has its own file copies and needs those of others only if its own are missing.
                (FileRole::FileHistory { .. }, Some(session)) => {
                    let own = discovery.config_dir.file_history_of(session);
                    path.file_name().is_some_and(|name| copies.contains(own.join(name).as_path()))
                }
                _ => false,
            };
            if !has_own && words.iter().all(|word| found_words.contains(word.as_str())) {
                found.entry((*path).clone()).or_insert_with(|| referrer.path.to_path_buf());
            }
        }
    }
    Ok(found)
}

/// The words that name a file in other transcripts; `None` if no other session can need it.
fn words_for(role: &FileRole) -> Option<Vec<String>> {
    let with_name = |session: &SessionKey, name: &str| {
        let mut words = vec![session.to_string()];
        words.extend(tokens(name.as_bytes()).map(str::to_owned));
        words
    };
    match role {
        FileRole::SubAgent { agent, .. } | FileRole::SubAgentMeta { agent, .. } => {
            Some(vec![agent.to_string()])
        }
        FileRole::ToolResult { session, name, .. }
        | FileRole::ImageCache { session, name }
        | FileRole::Workflow { session, name, .. } => Some(with_name(session, name)),
        FileRole::WorkflowJournal { session, nested, .. } => Some(with_name(session, nested)),
        FileRole::FileHistory { hash, version, .. } => Some(vec![format!("{hash}@v{version}")]),
        _ => None,
    }
}

/// Those of the words that occur in a file.
fn words_in<'w>(path: &Path, words: &HashSet<&'w str>) -> Result<HashSet<&'w str>, ReadError> {
    let mut found = HashSet::new();
    stream_lines(path, |line| {
        for token in tokens(line.raw()) {
            let forms = [Some(token), token.strip_prefix("agent-"), unescaped(token)];
            found.extend(forms.into_iter().flatten().filter_map(|form| words.get(form)));
        }
        ControlFlow::<()>::Continue(())
    })?;
    Ok(found)
}

/// A token after an escaped character: the `n` of `\n` is not part of the word.
fn unescaped(token: &str) -> Option<&str> {
    let rest = token.strip_prefix(['n', 't', 'r', 'b', 'f'])?;
    Some(rest.strip_prefix("agent-").unwrap_or(rest))
}

/// The runs of characters that names are made of.
fn tokens(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'@');
    bytes
        .split(move |byte| !is_part(byte))
        .filter(|run| !run.is_empty())
        .filter_map(|run| std::str::from_utf8(run).ok())
}

/// Removes referenced files from a list and adds a note for each transcript that refers to them.
pub(crate) fn without_referenced(
    files: Vec<PathBuf>,
    referenced: &BTreeMap<PathBuf, PathBuf>,
    notes: &mut Vec<String>,
) -> Vec<PathBuf> {
    let mut by_referrer: HashMap<&PathBuf, u64> = HashMap::new();
    let (stay, go): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| referenced.contains_key(path));
    for path in &stay {
        *by_referrer.entry(&referenced[path]).or_default() += 1;
    }
    let mut counts: Vec<_> = by_referrer.into_iter().collect();
    counts.sort();
    for (referrer, count) in counts {
        let files = if count == 1 { "1 file stays".to_owned() } else { format!("{count} files stay") };
        notes.push(format!("{files}: {} refers to them", referrer.display()));
    }
    go
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_they_stand() {
        let words: HashSet<&str> = ["a01", "00ff@v2", "toolu_9", "3f2a-1"].into();
        let line = br#"{"text":"see\na01, /x/3f2a-1/tool-results/toolu_9.txt","b":"00ff@v2"}"#;
        let file = std::env::temp_dir().join(format!("annals-mentions-{}.jsonl", std::process::id()));
        std::fs::write(&file, line).unwrap();
        let found = words_in(&file, &words).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(found, words);
        let tokens: Vec<_> = tokens(b"agent-a01.jsonl \"x@v1\"").collect();
        assert_eq!(tokens, ["agent-a01", "jsonl", "x@v1"]);
    }
}
