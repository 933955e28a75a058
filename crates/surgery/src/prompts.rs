//! Removes the prompts of sessions from `history.jsonl`, and puts them back.

use std::collections::HashSet;

use annals_json::Value;
use annals_store::history::HistoryEntry;
use annals_store::{ConfigDir, SessionKey};
use annals_transcript::line::lines;

/// A history without the prompts of some sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrunedHistory {
    pub(crate) rest: Vec<u8>,
    /// How many prompts were removed.
    pub(crate) prompts: usize,
    /// Long pastes that only the removed prompts name.
    pub(crate) pastes: Vec<String>,
}

/// Removes the prompts of sessions.
pub(crate) fn without_prompts(history: &[u8], is_theirs: impl Fn(&SessionKey) -> bool) -> PrunedHistory {
    let mut pruned = PrunedHistory::default();
    let (mut gone, mut left) = (HashSet::new(), HashSet::new());
    for line in lines(history) {
        let (session, pastes) = read(line.body());
        if session.is_some_and(|session| is_theirs(&session)) {
            pruned.prompts += 1;
            gone.extend(pastes);
        } else {
            left.extend(pastes);
            pruned.rest.extend_from_slice(line.raw());
        }
    }
    pruned.pastes = gone.difference(&left).cloned().collect();
    pruned.pastes.sort();
    pruned
}

/// A history with the prompts of a session put back as they are in `old`, and the long pastes that they name.
///
/// As far as both agree otherwise, each prompt returns to its place; the rest come before the new lines.
pub(crate) fn with_prompts(history: &[u8], old: &[u8], session: &SessionKey) -> (Vec<u8>, Vec<String>) {
    let present: HashSet<&[u8]> = lines(history).map(|line| line.body()).collect();
    let mut now = lines(history).peekable();
    let (mut out, mut pastes) = (Vec::new(), Vec::new());
    let mut is_same = true;
    for line in lines(old) {
        let (owner, named) = read(line.body());
        if owner.as_ref() == Some(session) {
            end_line(&mut out);
            out.extend_from_slice(line.raw());
            pastes.extend(named);
        } else if is_same && present.contains(line.body()) {
            match now.next_if(|current| current.body() == line.body()) {
                Some(current) => {
                    end_line(&mut out);
                    out.extend_from_slice(current.raw());
                }
                None => is_same = false,
            }
        }
    }
    for line in now {
        end_line(&mut out);
        out.extend_from_slice(line.raw());
    }
    pastes.sort();
    pastes.dedup();
    (out, pastes)
}

/// The last line may lack its line break.
fn end_line(out: &mut Vec<u8>) {
    if out.last().is_some_and(|&byte| byte != b'\n') {
        out.push(b'\n');
    }
}

fn read(body: &[u8]) -> (Option<SessionKey>, Vec<String>) {
    let Some(fields) = Value::parse(body).ok().and_then(Value::fields) else { return (None, Vec::new()) };
    let entry = HistoryEntry::new(fields);
    let session = entry.session().map(|id| SessionKey::new(id.decode()));
    let hash = |text: annals_json::Text<'_>| text.to_string();
    // A name from a file must not lead to another folder.
    let is_plain = |hash: &String| !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let pastes = entry.pastes().into_iter().filter_map(|(_, paste)| paste.content_hash().map(hash));
    (session, pastes.filter(is_plain).collect())
}

/// The prompts of a session, and the long pastes that they name.
pub(crate) fn prompts_of(history: &[u8], session: &SessionKey) -> (Vec<u8>, Vec<String>) {
    let (mut prompts, mut pastes) = (Vec::new(), Vec::new());
    for line in lines(history) {
        let (owner, named) = read(line.body());
        if owner.as_ref() == Some(session) {
            prompts.extend_from_slice(line.body());
            prompts.push(b'\n');
            pastes.extend(named);
        }
    }
    pastes.sort();
    pastes.dedup();
    (prompts, pastes)
}

/// The long pastes that any prompt names.
pub(crate) fn pastes_named(history: &[u8]) -> HashSet<String> {
    lines(history).flat_map(|line| read(line.body()).1).collect()
}

pub(crate) fn files_of<'p>(
    pastes: &'p [String],
    config: &'p ConfigDir,
) -> impl Iterator<Item = std::path::PathBuf> + 'p {
    pastes.iter().map(|hash| config.paste(hash)).filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(session: &str, text: &str, paste: &str) -> String {
        format!(
            r#"{{"display":"{text}","pastedContents":{{"1":{{"contentHash":"{paste}"}}}},"sessionId":"{session}"}}"#
        ) + "\n"
    }

    #[test]
    fn prompts_go_and_come_back_to_their_places() {
        let all =
            [line("a", "1", "p"), line("b", "2", "q"), line("a", "3", "q"), "torn\n".to_owned()].concat();
        let pruned = without_prompts(all.as_bytes(), |session| session == "a");
        assert_eq!(pruned.rest, [line("b", "2", "q"), "torn\n".to_owned()].concat().as_bytes());
        assert_eq!((pruned.prompts, pruned.pastes.as_slice()), (2, ["p".to_owned()].as_slice()));
        let (back, pastes) = with_prompts(&pruned.rest, all.as_bytes(), &"a".into());
        assert_eq!(back, all.as_bytes());
        assert_eq!(pastes, ["p", "q"]);
        let later = [pruned.rest.as_slice(), line("c", "4", "r").as_bytes()].concat();
        let (back, _) = with_prompts(&later, all.as_bytes(), &"a".into());
        assert_eq!(back, [all.as_bytes(), line("c", "4", "r").as_bytes()].concat());
        let other = line("c", "4", "r");
        let (back, _) = with_prompts(other.as_bytes(), all.as_bytes(), &"a".into());
        assert_eq!(back, [line("a", "1", "p"), line("a", "3", "q"), other].concat().as_bytes());
    }
}
