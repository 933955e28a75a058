//! Opening the files of a store by their paths, for what discovery has not listed.
//!
//! A store may come from somebody else: a link in it must not choose files of its reader. Links are followed here where
//! discovery follows them, and nowhere else. What discovery has listed it has checked: [`read_file`](crate::read::read_file)
//! opens that.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::ConfigDir;
use crate::json_file::JsonFile;
use crate::platform::has_one_owner;
use crate::read::{LINK, ReadError, all_of, open_file};
use crate::scan::is_link_followed;

impl ConfigDir {
    /// Opens a regular file of the store. A link on the way, or at its end, is followed if discovery would follow it.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        let Ok(inside) = path.strip_prefix(self.path()) else { return refused("is outside the store") };
        let mut at = self.path().to_path_buf();
        for part in inside.components() {
            at.push(part);
            if fs::symlink_metadata(&at)?.is_symlink() && !is_link_followed(self, &at) {
                return refused(LINK);
            }
        }
        open_file(path)
    }

    /// Reads a whole file of the store, as [`open`](Self::open) opens it.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        self.open(path).and_then(all_of).map_err(|error| ReadError::new(path, error))
    }

    /// The same; `None` if it does not exist.
    pub fn read_if_there(&self, path: &Path) -> Result<Option<Vec<u8>>, ReadError> {
        match self.read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(ReadError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads `history.jsonl` for a change of it; `None` if it does not exist. Its owner may have linked it to a file of the same
    /// name elsewhere, as people do who keep such files in a repository: that link is followed too. A store of somebody else
    /// cannot choose another file by it.
    pub fn read_own_history(&self) -> Result<Option<Vec<u8>>, ReadError> {
        let path = self.history();
        if !self.is_linked_by_owner(&path) {
            return self.read_if_there(&path);
        }
        open_file(&path).and_then(all_of).map(Some).map_err(|error| ReadError::new(&path, error))
    }

    /// Whether a file is a link to a regular file of the same name, and store, link and target have one owner.
    fn is_linked_by_owner(&self, path: &Path) -> bool {
        let (Ok(link), Ok(target), Ok(store)) =
            (fs::symlink_metadata(path), fs::metadata(path), fs::metadata(self.path()))
        else {
            return false;
        };
        let is_named = fs::canonicalize(path).is_ok_and(|real| real.file_name() == path.file_name());
        link.is_symlink() && target.is_file() && is_named && has_one_owner(&[&link, &target, &store])
    }

    /// Reads a JSON file of the store; `None` if it does not exist.
    pub fn json_if_there(&self, path: &Path) -> Result<Option<JsonFile>, ReadError> {
        Ok(self.read_if_there(path)?.map(|bytes| JsonFile::of_bytes(path, bytes)))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn links_are_followed_within_the_store_and_to_the_same_kind_of_file() {
        let temp = TempDir::new("open");
        let elsewhere = temp.write("elsewhere/history.jsonl", "private");
        temp.write("disk/projects/-w/sessions-index.json", "own");
        temp.write("store/todos/a-agent-a.json", "own");
        let root = temp.path().join("store");
        let config = ConfigDir::new(&root);
        let link = |target: &Path, name: &str| symlink(target, root.join(name)).unwrap();
        // The owner of the store may have put its projects on another disk.
        link(&temp.path().join("disk/projects"), "projects");
        link(&root.join("projects/-w"), "projects/-same");
        link(&root.join("todos/a-agent-a.json"), "todos/b-agent-b.json");
        link(&elsewhere, "history.jsonl");
        link(&temp.path().join("elsewhere"), "paste-cache");
        link(&root.join("todos/a-agent-a.json"), "stats-cache.json");
        link(&temp.path().join("elsewhere"), "projects/-stolen");
        let read = |name: &str| config.read_if_there(&root.join(name));
        let followed =
            ["projects/-w/sessions-index.json", "projects/-same/sessions-index.json", "todos/b-agent-b.json"];
        for name in followed {
            assert_eq!(read(name).unwrap().as_deref(), Some(&b"own"[..]), "{name}");
        }
        let refused = [
            "history.jsonl",
            "paste-cache/history.jsonl",
            "stats-cache.json",
            "projects/-stolen/history.jsonl",
        ];
        for name in refused {
            let error = read(name).unwrap_err().to_string();
            assert!(error.ends_with(LINK), "{name}: {error}");
        }
        // To change it, its owner's link to a file of the same name is followed, and no other.
        assert_eq!(config.read_own_history().unwrap().as_deref(), Some(&b"private"[..]));
        fs::remove_file(root.join("history.jsonl")).unwrap();
        assert_eq!(config.read_own_history().unwrap(), None);
        link(&temp.write("elsewhere/key", "private"), "history.jsonl");
        assert!(config.read_own_history().unwrap_err().to_string().ends_with(LINK));
        assert_eq!(read("plans/none.md").unwrap(), None);
        assert!(config.read(&elsewhere).is_err());
    }
}
