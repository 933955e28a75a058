//! Rules that a person grants in a folder for good: `permissions.allow` of its `.claude/settings.local.json`, where the original
//! keeps them. The file is written with a lock and an undo entry.

use std::fs::canonicalize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_json::{ArrayWriter, Value};
use annals_policy::paths::Disk;
use annals_policy::{Trust, TrustFile};
use annals_store::DataDir;
use annals_store::changes::{Change, ChangeSet};
use annals_store::digest::sha256_bytes;
use annals_store::files::FolderLock;
use annals_store::mcp_servers::McpEdit;
use annals_store::read::read_file_if_there;

use crate::context::Context;
use crate::source::SystemSource;

/// The file, below the folder.
pub(super) const SETTINGS: &str = ".claude/settings.local.json";

/// How long another program may hold the lock of the file, in milliseconds.
const LOCK_TIMEOUT_MS: u64 = 2000;

/// Where the rules of a folder are kept.
#[derive(Clone, Debug)]
pub(super) struct FolderRules {
    folder: PathBuf,
    config_dir: PathBuf,
    data: Option<DataDir>,
    source: SystemSource,
}

impl FolderRules {
    pub(super) fn new(folder: &Path, context: &Context) -> Self {
        Self {
            folder: folder.to_path_buf(),
            config_dir: context.store.config_dir().path().to_path_buf(),
            data: context.data_dir().ok(),
            source: context.source,
        }
    }

    /// Returns whether rules that are written would have an effect: the folder is trusted.
    pub(super) fn is_possible(&self) -> bool {
        let trust = self.data.as_ref().map(|data| TrustFile::new(data).of(&Disk, &self.folder));
        matches!(trust, Some(Ok(Trust::Trusted)))
    }

    /// Adds rules that allow, and says what was done, or why nothing was.
    pub(super) fn add(&self, rules: &[String]) -> Result<String, String> {
        let data = self.data.as_ref().ok_or("no data folder to record the undo in")?;
        let path = self.folder.join(SETTINGS);
        self.check_place(&path)?;
        let settings = path.parent().unwrap_or(&self.folder);
        let lock = settings.join("settings.local.json.lock");
        let held = settings.is_dir().then(|| FolderLock::take(&lock, &self.source, LOCK_TIMEOUT_MS));
        let _lock = held.transpose().map_err(|error| error.to_string())?;
        let Some(edit) = edit(&path, rules)? else {
            return Ok(format!("{SETTINGS} has that rule already"));
        };
        let bytes = edit.after.into();
        let changes = match &edit.before {
            Some(_) => [Change::Replace { path: path.clone(), bytes }],
            None => [Change::Create { path: path.clone(), bytes, mode: None }],
        };
        let based_on: Vec<_> =
            edit.before.iter().map(|before| (path.clone(), sha256_bytes(before))).collect();
        let what = "allow tool calls in a folder";
        let set = ChangeSet { changes: &changes, what, root: &self.config_dir, based_on: &based_on };
        let applied = set.apply(data, &self.source, &mut |_| ControlFlow::Continue(()));
        applied.map_err(|error| error.to_string())?;
        Ok(format!("allowed in {SETTINGS}: {}; `annals undo` reverts that", rules.join(", ")))
    }

    /// Fails if a link leads out of the folder: somebody else's file is not written.
    fn check_place(&self, path: &Path) -> Result<(), String> {
        let existing = path.ancestors().find(|place| place.symlink_metadata().is_ok());
        let place = existing.and_then(|place| canonicalize(place).ok());
        let folder = canonicalize(&self.folder).ok();
        match (place, folder) {
            (Some(place), Some(folder)) if place.starts_with(&folder) => Ok(()),
            _ => Err(format!("{SETTINGS} is not in this folder: a link leads elsewhere")),
        }
    }
}

/// What the file will hold; `None` if it has the rules already.
fn edit(path: &Path, rules: &[String]) -> Result<Option<McpEdit>, String> {
    let before = read_file_if_there(path).map_err(|error| error.to_string())?.unwrap_or_default();
    let there = Value::parse(&before).ok().and_then(|file| file.get("permissions")?.get("allow"));
    let there: Vec<Value<'_>> = there.into_iter().flat_map(Value::items).collect();
    let is_new = |rule: &&String| !there.iter().any(|known| known.text().is_some_and(|known| known.is(rule)));
    let new: Vec<&String> = rules.iter().filter(is_new).collect();
    if new.is_empty() {
        return Ok(None);
    }
    let mut json = Vec::new();
    let mut list = ArrayWriter::begin(&mut json);
    there.iter().for_each(|known| list.item().extend_from_slice(known.raw()));
    for rule in new {
        list.string(rule);
    }
    list.end();
    McpEdit::set(path, &["permissions", "allow"], &json).map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use annals_store::journal::Journal;
    use annals_store::read::read_file;
    use annals_store::source::Clock;
    use annals_testkit::home::Home;

    use super::*;

    fn text(path: &Path) -> String {
        String::from_utf8(read_file(path).unwrap()).unwrap()
    }

    fn rules_of(home: &Home) -> FolderRules {
        let data = DataDir::new(home.data_dir());
        TrustFile::new(&data).give(&Disk, &home.work_dir(), SystemSource.now()).unwrap();
        FolderRules {
            folder: home.work_dir(),
            config_dir: home.config_dir(),
            data: Some(data),
            source: SystemSource,
        }
    }

    #[test]
    fn rules_are_added_to_what_is_there_and_can_be_undone() {
        let home = Home::new();
        let rules = rules_of(&home);
        assert!(rules.is_possible());
        let path = home.work_dir().join(SETTINGS);
        rules.add(&["Bash(git push)".to_owned()]).unwrap();
        let first = text(&path);
        assert_eq!(
            first,
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(git push)\"\n    ]\n  }\n}\n"
        );
        let done = rules.add(&["Bash(git push)".to_owned(), "Bash(ls *)".to_owned()]).unwrap();
        assert!(done.contains("annals undo"), "{done}");
        let second = text(&path);
        assert!(second.contains("\"Bash(git push)\",\n      \"Bash(ls *)\""), "{second}");
        assert!(rules.add(&["Bash(ls *)".to_owned()]).unwrap().contains("already"));
        let data = DataDir::new(home.data_dir());
        let journal = Journal::new(&data);
        let newest = journal.entries().into_iter().next().unwrap();
        journal.undo(newest).unwrap();
        assert_eq!(text(&path), first);
    }

    #[test]
    fn what_is_no_settings_file_of_the_folder_is_left_alone() {
        let home = Home::new();
        let rules = rules_of(&home);
        let path = home.work_dir().join(SETTINGS);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        for broken in ["{broken", "[]", "{\"permissions\":[]}"] {
            std::fs::write(&path, broken).unwrap();
            assert!(rules.add(&["Bash(ls)".to_owned()]).is_err(), "{broken}");
            assert_eq!(text(&path), broken);
        }
        std::fs::remove_file(&path).unwrap();
        let elsewhere = home.config_dir().join("settings.json");
        std::fs::write(&elsewhere, "{}").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(rules.add(&["Bash(ls)".to_owned()]).unwrap_err().contains("leads elsewhere"));
        assert_eq!(text(&elsewhere), "{}");
    }
}
