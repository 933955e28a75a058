//! Decides which project a file belongs to. The name of a project folder cannot be decoded, so the working directories in
//! its files decide.

use annals_json::Fields;
use annals_store::Slug;
use annals_transcript::record_lines::record_lines;

use super::MovePlanError;
use crate::folder_move::{FolderMove, is_absolute};

/// The old and the new folder of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    moved: Option<FolderMove>,
    /// A folder of the store that moves as a whole, whatever its files say.
    named: Option<Slug>,
    new: String,
}

/// Where a file belongs according to its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// It moves to this folder of the store, or is there already.
    Goes(Slug),
    /// It belongs to another project.
    Elsewhere,
    /// Its records do not tell.
    Unknown,
}

impl Route {
    /// From one folder to another; both absolute, with links resolved as the client does.
    pub fn of_folders(old: &str, new: &str) -> Result<Self, MovePlanError> {
        let moved = checked(old, new)?;
        Ok(Self { new: moved.new_path().to_owned(), moved: Some(moved), named: None })
    }

    /// From a folder of the store; `old` is the working directory of its records, if known.
    pub fn of_slug(slug: Slug, old: Option<&str>, new: &str) -> Result<Self, MovePlanError> {
        let moved = match old {
            // Records that name the new folder already need no change.
            Some(old) if FolderMove::new(old, old) != FolderMove::new(new, new) => Some(checked(old, new)?),
            _ if is_absolute(new) => None,
            _ => return Err(MovePlanError::NotAbsolute { path: new.to_owned() }),
        };
        let new = FolderMove::new(new, new).old().to_owned();
        Ok(Self { moved, named: Some(slug), new })
    }

    /// The moved folder, if the old path is known.
    pub(super) fn moved(&self) -> Option<&FolderMove> {
        self.moved.as_ref()
    }

    /// The old folder, for people.
    pub fn old_name(&self) -> String {
        let named = || self.named.as_ref().map(Slug::to_string).unwrap_or_default();
        self.moved.as_ref().map_or_else(named, |moved| moved.old().to_owned())
    }

    pub fn new_folder(&self) -> &str {
        &self.new
    }

    /// The folder of the store for the new folder.
    pub(super) fn to(&self) -> Slug {
        Slug::of_path(&self.new)
    }

    /// Whether a folder of the store has the name of the old folder.
    pub(super) fn is_old(&self, folder: &Slug) -> bool {
        match &self.named {
            Some(named) => named == folder,
            None => self.moved.as_ref().is_some_and(|moved| Slug::of_path(moved.old()) == *folder),
        }
    }

    /// Whether a folder of the store may hold files of the old folder or of one below it.
    pub(super) fn may_hold(&self, folder: &Slug) -> bool {
        let may_be_below = |path: &str| {
            let slug = Slug::of_path(path);
            // Long names are cut and end with a hash, which folders below do not share.
            let known = slug.as_str().get(..MAX_SLUG_LETTERS).unwrap_or(slug.as_str());
            folder.as_str().starts_with(known)
        };
        self.is_old(folder)
            || self
                .moved
                .as_ref()
                .is_some_and(|moved| may_be_below(moved.old()) || may_be_below(moved.new_path()))
    }

    /// Where a file belongs. A working directory that gives the name of the file's folder decides.
    pub(super) fn destination(&self, folder: &Slug, bytes: &[u8]) -> Destination {
        if self.named.is_some() && self.is_old(folder) {
            return Destination::Goes(self.to());
        }
        let Some(moved) = &self.moved else { return Destination::Elsewhere };
        let (mut last, mut by_hand) = (String::new(), Destination::Unknown);
        for line in record_lines(bytes) {
            let Some(cwd) = Fields::scan(line.body()).ok().and_then(|(fields, _)| fields.text("cwd")) else {
                continue;
            };
            if cwd.is(&last) {
                continue;
            }
            last = cwd.to_string();
            let new = moved.follow(&last).map(|new| Slug::of_path(&new));
            if Slug::of_path(&last) == *folder {
                return new.map_or(Destination::Elsewhere, Destination::Goes);
            }
            // The folder of the store was renamed by hand, and its records still name the old path.
            if new.as_ref() == Some(folder) {
                by_hand = Destination::Goes(folder.clone());
            }
        }
        by_hand
    }
}

/// Names of project folders are cut to this length before a hash is added.
const MAX_SLUG_LETTERS: usize = 200;

fn checked(old: &str, new: &str) -> Result<FolderMove, MovePlanError> {
    for path in [old, new] {
        if !is_absolute(path) {
            return Err(MovePlanError::NotAbsolute { path: path.to_owned() });
        }
    }
    let moved = FolderMove::new(old, new);
    if moved.old() == moved.new_path() {
        return Err(MovePlanError::Same { path: moved.old().to_owned() });
    }
    if moved.follow(moved.new_path()).is_some() {
        let (old, new) = (moved.old().to_owned(), moved.new_path().to_owned());
        return Err(MovePlanError::IntoItself { old, new });
    }
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(folder: &str, cwds: &[&str], expected: Destination) {
        let route = Route::of_folders("/a/old", "/b/new").unwrap();
        let lines: String = cwds.iter().map(|cwd| format!("{{\"cwd\":\"{cwd}\"}}\n")).collect();
        assert_eq!(route.destination(&folder.into(), lines.as_bytes()), expected, "{folder} {cwds:?}");
    }

    #[test]
    fn the_folder_whose_name_it_has_decides() {
        let goes = |slug: &str| Destination::Goes(slug.into());
        check("-a-old", &["/tmp", "/a/old"], goes("-b-new"));
        check("-a-old-sub", &["/a/old/sub", "/a/old"], goes("-b-new-sub"));
        // Another folder with the same name in the store.
        check("-a-old-sub", &["/a/old-sub", "/a/old"], Destination::Elsewhere);
        check("-a-old", &["/a.old", "/a/old"], Destination::Elsewhere);
        check("-a-old", &[], Destination::Unknown);
        check("-a-old", &["/tmp"], Destination::Unknown);
        check("-b-new", &["/a/old"], goes("-b-new"));
        check("-b-new", &["/b/new", "/a/old"], Destination::Elsewhere);
    }

    #[test]
    fn folders_of_the_store_are_chosen_by_their_names_first() {
        let route = Route::of_folders("/a/old", "/b/new").unwrap();
        for (folder, may) in [("-a-old", true), ("-a-old-x", true), ("-b-new", true), ("-a-ol", false)] {
            assert_eq!(route.may_hold(&folder.into()), may, "{folder}");
        }
        let long = format!("/a/{}", "b".repeat(250));
        let route = Route::of_folders(&long, "/b").unwrap();
        assert!(route.may_hold(&Slug::of_path(&format!("{long}/sub"))));
        assert!(route.is_old(&Slug::of_path(&long)) && !route.is_old(&Slug::of_path(&format!("{long}/sub"))));
    }

    #[test]
    fn bad_routes_are_refused() {
        assert!(matches!(Route::of_folders("old", "/b"), Err(MovePlanError::NotAbsolute { .. })));
        assert!(matches!(Route::of_folders("/b/", "/b"), Err(MovePlanError::Same { .. })));
        assert!(matches!(Route::of_folders("/b", "/b/c"), Err(MovePlanError::IntoItself { .. })));
        assert!(Route::of_folders("/b/c", "/b").is_ok());
        assert!(Route::of_slug("-x".into(), Some("/b"), "/b").unwrap().moved().is_none());
    }
}
