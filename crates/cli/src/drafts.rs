//! Texts that a program of the person edits: each is a file of the data folder while that program is open. The file of a process
//! that was killed stays; it is removed when the next conversation starts, and before secrets are looked for.

use std::path::Path;
use std::time::{Duration, SystemTime};

use annals_store::busy::is_alive;

const PREFIX: &str = "prompt-";
const ENDING: &str = ".md";
/// Where it cannot be told whether a process runs, nobody edits a text for longer.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the name of a new file of this process.
#[cfg(feature = "tui")]
pub(crate) fn name(unique: &str) -> String {
    format!("{PREFIX}{}-{unique}{ENDING}", std::process::id())
}

/// Removes the files of processes that are gone. What cannot be removed is tried again next time.
pub(crate) fn remove_left_behind(folder: &Path) {
    let now = SystemTime::now();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(draft) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(ENDING))
        else {
            continue;
        };
        let Ok(metadata) = entry.metadata() else { continue };
        let is_old =
            metadata.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > LONGEST));
        if metadata.is_file() && is_left(draft, is_old) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether nobody edits a file any more.
fn is_left(draft: &str, is_old: bool) -> bool {
    match draft.split_once('-').and_then(|(process, _)| process.parse().ok()) {
        Some(process) if Path::new("/proc/self").exists() => !is_alive(process),
        // Earlier releases did not name the process.
        _ => is_old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_processes_that_are_gone_are_left() {
        if Path::new("/proc/self").exists() {
            let ours = format!("{}-x", std::process::id());
            assert!(!is_left(&ours, true), "it is still being edited");
            assert!(is_left("4294967294-x", false));
        }
        let unnamed = "5f1c2ab0-0000-4000-8000-000000000000";
        assert_eq!((is_left(unnamed, false), is_left(unnamed, true)), (false, true));
    }
}
