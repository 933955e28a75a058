//! Translates paths after a folder was moved. Works on text; does not access the disk.

/// The old and the new path of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderMove {
    old: String,
    new: String,
}

impl FolderMove {
    /// A move; trailing separators are ignored.
    pub fn new(old: &str, new: &str) -> Self {
        let plain = |path: &str| path.trim_end_matches(is_separator).to_owned();
        Self { old: plain(old), new: plain(new) }
    }

    /// The old path.
    pub fn old(&self) -> &str {
        &self.old
    }

    pub fn new_path(&self) -> &str {
        &self.new
    }

    /// The new path of something at or below the old folder; `None` for other paths.
    pub fn follow(&self, path: &str) -> Option<String> {
        let below = path.strip_prefix(&self.old)?;
        (below.is_empty() || below.starts_with(is_separator)).then(|| format!("{}{below}", self.new))
    }
}

/// Whether a path is absolute, on Unix or on Windows.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with(is_separator) || path.as_bytes().get(1..3).is_some_and(|after| after == b":\\")
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '/' | '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_or_below_follows() {
        let moved = FolderMove::new("/a/old/", "/b/new");
        assert_eq!(moved.follow("/a/old").as_deref(), Some("/b/new"));
        assert_eq!(moved.follow("/a/old/sub/x").as_deref(), Some("/b/new/sub/x"));
        for elsewhere in ["/a/older", "/a", "/a/old-sub", "a/old", "/x/a/old"] {
            assert_eq!(moved.follow(elsewhere), None, "{elsewhere}");
        }
        let on_windows = FolderMove::new(r"C:\me\old", r"D:\new");
        assert_eq!(on_windows.follow(r"C:\me\old\sub").as_deref(), Some(r"D:\new\sub"));
        assert!(is_absolute(r"C:\me") && is_absolute("/a") && !is_absolute("a") && !is_absolute(""));
    }
}
