//! The folder of copies: each content once, the oldest that no file has any more removed first.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::log::{FileVersion, NoCopyReason};
use super::{MAX_COPIED_BYTES, MAX_FILE_BYTES};
use crate::digest::sha256;
use crate::files::{WriteError, create_folder, new_file};
use crate::scan::modified_millis;

/// The digits of a sha256.
const DIGITS: usize = 64;

/// The copies of a session.
#[derive(Debug)]
pub struct CopyFolder {
    folder: PathBuf,
    /// The size of each copy.
    sizes: HashMap<String, u64>,
    /// The copies, the oldest first.
    by_age: VecDeque<String>,
    /// How many files have a content now.
    uses: HashMap<String, usize>,
    bytes: u64,
    max_bytes: u64,
}

impl CopyFolder {
    /// Opens the folder, which is created.
    pub(super) fn open(folder: &Path) -> Result<Self, WriteError> {
        create_folder(folder)?;
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).map_err(WriteError::at(folder))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.metadata() {
                Ok(metadata) if is_digest(&name) => {
                    found.push((modified_millis(&metadata), name, metadata.len()))
                }
                // A copy that was being written.
                _ => drop(fs::remove_file(entry.path())),
            }
        }
        found.sort();
        let bytes = found.iter().map(|(_, _, bytes)| bytes).sum();
        let by_age = found.iter().map(|(_, name, _)| name.clone()).collect();
        let sizes = found.into_iter().map(|(_, name, bytes)| (name, bytes)).collect();
        let (folder, uses) = (folder.to_path_buf(), HashMap::new());
        Ok(Self { folder, sizes, by_age, uses, bytes, max_bytes: MAX_COPIED_BYTES })
    }

    /// The same with another limit.
    #[must_use]
    pub fn with_limit(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// Copies the content of a file, which then has it until it is [released](Self::release).
    pub fn put(&mut self, content: &[u8]) -> Result<FileVersion, WriteError> {
        let size = content.len() as u64;
        if size > MAX_FILE_BYTES {
            return Ok(FileVersion::NotCopied(NoCopyReason::TooLarge));
        }
        let digest = sha256(content);
        if !self.sizes.contains_key(&digest) {
            if !self.make_room(size) {
                return Ok(FileVersion::NotCopied(NoCopyReason::NoRoom));
            }
            self.write(&digest, content)?;
            self.bytes += size;
            self.sizes.insert(digest.clone(), size);
            self.by_age.push_back(digest.clone());
        }
        *self.uses.entry(digest.clone()).or_default() += 1;
        Ok(FileVersion::Copy(digest))
    }

    /// Notes that a file no longer has this content. The copy stays as long as there is room.
    pub fn release(&mut self, version: &FileVersion) {
        let FileVersion::Copy(digest) = version else { return };
        if let Some(uses) = self.uses.get_mut(digest) {
            *uses -= 1;
            if *uses == 0 {
                self.uses.remove(digest);
            }
        }
    }

    fn make_room(&mut self, size: u64) -> bool {
        let mut place = 0;
        while self.bytes + size > self.max_bytes {
            let Some(digest) = self.by_age.get(place).cloned() else { return false };
            if self.uses.contains_key(&digest) {
                place += 1;
                continue;
            }
            match fs::remove_file(self.folder.join(&digest)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return false,
                _ => {}
            }
            self.by_age.remove(place);
            self.bytes -= self.sizes.remove(&digest).unwrap_or(0);
        }
        true
    }

    fn write(&self, digest: &str, content: &[u8]) -> Result<(), WriteError> {
        let (path, part) = (self.folder.join(digest), self.folder.join(format!("{digest}.part")));
        let written = new_file(&part).and_then(|mut file| file.write_all(content));
        written.and_then(|()| fs::rename(&part, &path)).map_err(|error| {
            let _ = fs::remove_file(&part);
            WriteError::new(&path, error)
        })
    }
}

/// Whether a name is a sha256.
pub(super) fn is_digest(name: &str) -> bool {
    name.len() == DIGITS && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    fn count(temp: &TempDir) -> usize {
        fs::read_dir(temp.path().join("copies")).unwrap().count()
    }

    #[test]
    fn the_oldest_copy_that_no_file_has_goes_first() {
        let temp = TempDir::new("copies");
        let path = temp.path().join("copies");
        let mut copies = CopyFolder::open(&path).unwrap().with_limit(12);
        let [one, two, three] = [b"aaaa", b"bbbb", b"cccc"].map(|bytes| copies.put(bytes).unwrap());
        let no_room = FileVersion::NotCopied(NoCopyReason::NoRoom);
        assert_eq!(copies.put(b"dddd").unwrap(), no_room, "all are in use");
        // A content that two files have is in use until both have another.
        assert_eq!(copies.put(b"aaaa").unwrap(), one);
        copies.release(&one);
        copies.release(&three);
        copies.release(&two);
        copies.put(b"dddd").unwrap();
        assert_eq!(copies.by_age.iter().collect::<Vec<_>>()[1], &sha256(b"cccc"), "bbbb was older");
        assert_eq!(count(&temp), 3);
        drop(copies);
        // What was being written is removed, the rest is known again.
        temp.write("copies/x.part", "to");
        let copies = CopyFolder::open(&path).unwrap();
        assert_eq!((copies.bytes, count(&temp)), (12, 3));
    }

    #[test]
    fn a_large_file_is_not_copied() {
        let temp = TempDir::new("copies");
        let mut copies = CopyFolder::open(&temp.path().join("copies")).unwrap();
        let large = vec![b'x'; usize::try_from(MAX_FILE_BYTES).unwrap() + 1];
        assert_eq!(copies.put(&large).unwrap(), FileVersion::NotCopied(NoCopyReason::TooLarge));
        assert!(matches!(copies.put(&large[1..]).unwrap(), FileVersion::Copy(_)));
        assert_eq!(count(&temp), 1);
    }
}
