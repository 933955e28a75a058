//! Who still speaks of a file: before something goes, every session and sub-agent that stays is asked.
//!
//! A file is spoken of where all words that name it stand in one file of the store, in whatever place: rather too often than
//! once too seldom, since what is spoken of stays.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::parallel;
use annals_store::read::{ReadError, stream_lines};
use annals_store::{Discovery, FileRole, SessionKey};

/// A file of lines that stays, and the session that it belongs to.
struct Speaker<'d> {
    path: &'d Path,
    session: Option<&'d SessionKey>,
}

/// Of the files that are to go, those that a file which stays speaks of, with the one that does.
pub(crate) fn spoken_of(
    files: &[PathBuf],
    goes: &HashSet<&Path>,
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
    let speakers: Vec<Speaker<'_>> = sessions
        .map(|session| Speaker { path: &session.path, session: Some(&session.key) })
        .chain(agents.map(|agent| Speaker { path: &agent.path, session: agent.session.as_ref() }))
        .filter(|speaker| !goes.contains(speaker.path))
        .collect();
    let heard = parallel::map(&speakers, |speaker| words_in(speaker.path, &words));
    let mut found = BTreeMap::new();
    for (speaker, heard) in speakers.iter().zip(heard) {
        let heard = heard?;
        for (path, role, words) in &named {
            let has_own = match (role, speaker.session) {
                // A fork has copies of its own: it needs those of others only where its own are missing.
                (FileRole::FileHistory { .. }, Some(session)) => {
                    let own = discovery.config_dir.file_history_of(session);
                    path.file_name().is_some_and(|name| copies.contains(own.join(name).as_path()))
                }
                _ => false,
            };
            if !has_own && words.iter().all(|word| heard.contains(word.as_str())) {
                found.entry((*path).clone()).or_insert_with(|| speaker.path.to_path_buf());
            }
        }
    }
    Ok(found)
}

/// The words that together name a file in another session's lines; none for what no other session can need.
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

/// Those of the words that stand in a file.
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

/// A token behind an escaped character: the `n` of a line break is no part of the word.
fn unescaped(token: &str) -> Option<&str> {
    let rest = token.strip_prefix(['n', 't', 'r', 'b', 'f'])?;
    Some(rest.strip_prefix("agent-").unwrap_or(rest))
}

/// The runs of letters that names are made of.
fn tokens(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'@');
    bytes
        .split(move |byte| !is_part(byte))
        .filter(|run| !run.is_empty())
        .filter_map(|run| std::str::from_utf8(run).ok())
}

/// The files that nobody speaks of, and for those that somebody does a word on why they stay.
pub(crate) fn unspoken(
    files: Vec<PathBuf>,
    spoken: &BTreeMap<PathBuf, PathBuf>,
    notes: &mut Vec<String>,
) -> Vec<PathBuf> {
    let mut by_speaker: HashMap<&PathBuf, u64> = HashMap::new();
    let (stay, go): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| spoken.contains_key(path));
    for path in &stay {
        *by_speaker.entry(&spoken[path]).or_default() += 1;
    }
    let mut said: Vec<_> = by_speaker.into_iter().collect();
    said.sort();
    for (speaker, count) in said {
        let files = if count == 1 { "1 file stays".to_owned() } else { format!("{count} files stay") };
        notes.push(format!("{files}: {} speaks of what is in there", speaker.display()));
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
