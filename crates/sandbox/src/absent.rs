//! Paths that a command must not create. No kernel can forbid to create one name in a folder where all others may be created; so
//! what came into being is renamed when the command has ended, before anybody uses it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::SandboxPlan;

/// What a path was before a command ran.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PathState {
    Missing,
    /// A link: it can be replaced, since it cannot be made read-only.
    Link(PathBuf),
    Other,
}

/// Looks for paths that came into being.
#[derive(Debug)]
pub struct AbsenceWatch(Vec<(PathBuf, PathState)>);

/// A path that came into being, and was renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedPath {
    pub from: PathBuf,
    /// Its new name; `None` if it could not be renamed.
    pub to: Option<PathBuf>,
}

impl AbsenceWatch {
    /// Notes what is there before a command runs.
    pub fn new(plan: &SandboxPlan) -> Self {
        let paths = plan.absent.iter().chain(&plan.read_only);
        let watched = paths.map(|path| (path.clone(), state(path)));
        Self(watched.filter(|(_, state)| *state != PathState::Other).collect())
    }

    /// Renames what came into being, or became another link, since then.
    pub fn finish(&self) -> Vec<MovedPath> {
        let changed = self.0.iter().filter(|(path, before)| {
            let now = state(path);
            now != PathState::Missing && now != *before
        });
        changed.map(|(path, _)| MovedPath { from: path.clone(), to: set_aside(path) }).collect()
    }
}

fn state(path: &Path) -> PathState {
    match fs::symlink_metadata(path) {
        Err(_) => PathState::Missing,
        Ok(metadata) if metadata.is_symlink() => PathState::Link(fs::read_link(path).unwrap_or_default()),
        Ok(_) => PathState::Other,
    }
}

/// Renames a file to an unused name in its folder.
fn set_aside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_os_string();
    (0..100).find_map(|number| {
        let mut name = name.clone();
        name.push(if number == 0 { ".set-aside".to_owned() } else { format!(".set-aside-{number}") });
        let target = path.with_file_name(name);
        let is_free = fs::symlink_metadata(&target).is_err();
        (is_free && fs::rename(path, &target).is_ok()).then_some(target)
    })
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn what_came_into_being_is_renamed_and_the_rest_stays() {
        let dir = TempDir::new("absent");
        dir.write("there", "a");
        let path = |name: &str| dir.path().join(name);
        let absent = ["there", "new", "folder", "never"].map(path).to_vec();
        let plan = SandboxPlan { absent, ..SandboxPlan::for_commands(Vec::new()) };
        let watch = AbsenceWatch::new(&plan);
        assert_eq!(watch.finish(), []);
        dir.write("new", "b");
        dir.write("folder/x", "c");
        dir.write("new.set-aside", "d");
        let moved = watch.finish();
        let names: Vec<_> = moved.iter().map(|moved| (moved.from.clone(), moved.to.clone())).collect();
        assert_eq!(
            names,
            [(path("new"), Some(path("new.set-aside-1"))), (path("folder"), Some(path("folder.set-aside")))]
        );
        assert!(path("there").exists() && path("folder.set-aside/x").exists() && !path("new").exists());
    }
}
