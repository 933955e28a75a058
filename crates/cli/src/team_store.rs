//! Copies of a team's sessions, fetched into a temporary folder: commands that read whole sessions read them there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use annals_store::DataDir;
use annals_store::find::MIN_PREFIX;
use annals_team::Engine;
use annals_team::query::{FileChoice, FileContent, Scope, TeamFile, fetch, files, owners, sessions_titled};
use annals_vault::{UnpackDir, Vault};

use crate::context::Context;
use crate::error::Fault;
use crate::stores::{CopyMarks, MachineLabel, Stores};
use crate::words;

/// More than this is not fetched at once.
const MAX_FETCHED: u64 = 8 * 1024 * 1024 * 1024;

/// Fetches everything in the scope, and lets the command read it.
pub(crate) fn fetch_all(engine: &Engine, scope: &Scope, context: &mut Context) -> Result<(), Fault> {
    let found = files(engine, scope, &FileChoice::All)?;
    fetch_files(engine, &found, context)
}

/// Fetches the sessions that an argument may mean, and lets the command read them.
pub(crate) fn fetch_session(
    engine: &Engine,
    scope: &Scope,
    argument: &str,
    context: &mut Context,
) -> Result<(), Fault> {
    let found = files_of_session(engine, scope, argument, context)?;
    fetch_files(engine, &found, context)
}

/// Fetches sessions, of each the copy with the most of it, and lets the command read them; returns the copies.
pub(crate) fn fetch_longest(
    engine: &Engine,
    scope: &Scope,
    choice: &FileChoice,
    context: &mut Context,
) -> Result<Vec<PathBuf>, Fault> {
    let mut found = files(engine, scope, choice)?;
    only_longest(&mut found);
    let FetchedFiles { folder, stores, marks, paths } = FetchedFiles::fetch(engine, &found, context)?;
    context.read_instead(Stores::of_team(stores, marks), folder);
    Ok(paths)
}

/// The files of the sessions that an argument may mean. Of several machines that have a session, the one with the most of it
/// counts.
pub(crate) fn files_of_session(
    engine: &Engine,
    scope: &Scope,
    argument: &str,
    context: &Context,
) -> Result<Vec<TeamFile>, Fault> {
    if argument.ends_with(".jsonl") || argument.contains(std::path::is_separator) {
        return Err(Fault::usage(format!("{argument}: a file on this machine, but --at asks a team"))
            .hint("name a session of the team by its id or its title"));
    }
    let mut found = match argument {
        "last" => newest(files(engine, scope, &FileChoice::All)?),
        short if short.chars().count() < MIN_PREFIX => Vec::new(),
        name => files(engine, scope, &FileChoice::Named(name.to_owned()))?,
    };
    if found.is_empty() {
        let sessions = sessions_titled(engine, scope, argument)?;
        if !sessions.is_empty() {
            found = files(engine, scope, &FileChoice::Sessions(sessions))?;
        }
    }
    let machines: BTreeSet<&String> = found.iter().map(|file| &file.machine).collect();
    if machines.len() > 1 && context.verbosity > 0 {
        context.say(format!("{} machines have it; --machine ID chooses one", machines.len()));
    }
    only_longest(&mut found);
    Ok(found)
}

/// Leaves of each session the files of the machine and store that have the most of it.
pub(crate) fn only_longest(found: &mut Vec<TeamFile>) {
    let mut longest: BTreeMap<String, (u64, (String, String))> = BTreeMap::new();
    for file in found.iter().filter(|file| file.role == "session") {
        let copy = (file.bytes, (file.machine.clone(), file.store.clone()));
        let known = longest.entry(file.session.clone()).or_insert_with(|| copy.clone());
        if copy.0 > known.0 {
            *known = copy;
        }
    }
    found.retain(|file| {
        let owner = longest.get(&file.session).map(|(_, owner)| owner);
        owner.is_none_or(|(machine, store)| *machine == file.machine && *store == file.store)
    });
}

/// The files of the session in which something happened last.
fn newest(all: Vec<TeamFile>) -> Vec<TeamFile> {
    let sessions = all.iter().filter(|file| file.role == "session");
    let Some(newest) = sessions.max_by_key(|file| file.active).map(|file| file.session.clone()) else {
        return Vec::new();
    };
    all.into_iter().filter(|file| file.session == newest).collect()
}

fn fetch_files(engine: &Engine, found: &[TeamFile], context: &mut Context) -> Result<(), Fault> {
    let FetchedFiles { folder, stores, marks, .. } = FetchedFiles::fetch(engine, found, context)?;
    context.read_instead(Stores::of_team(stores, marks), folder);
    Ok(())
}

/// Files of a team in a temporary folder, which is removed with the value.
pub(crate) struct FetchedFiles {
    folder: UnpackDir,
    /// A folder for each store.
    stores: Vec<(PathBuf, MachineLabel)>,
    /// What is known of the copies.
    marks: CopyMarks,
    /// All copies.
    pub(crate) paths: Vec<PathBuf>,
}

impl FetchedFiles {
    pub(crate) fn fetch(engine: &Engine, found: &[TeamFile], context: &Context) -> Result<Self, Fault> {
        let total: u64 = found.iter().map(|file| file.bytes).sum();
        if total > MAX_FETCHED {
            return Err(Fault::usage(format!("this would fetch {}", words::bytes(total)))
                .hint("narrow it down with --person, --team or --machine"));
        }
        // Beside the vault, not in it: a person without a vault must not get one.
        let data = DataDir::new(context.data_dir()?.path().join("team"));
        let folder = Vault::new(&data).unpack_dir(&context.source)?;
        let mut folders: BTreeMap<(&str, &str), PathBuf> = BTreeMap::new();
        for file in found {
            let next = folder.path().join(folders.len().to_string());
            folders.entry((&file.machine, &file.store)).or_insert(next);
        }
        let mut progress = context.progress("fetching", Some(total));
        let (mut withheld, mut marks, mut paths) = (0, CopyMarks::default(), Vec::new());
        fetch(engine, found, |file, content| {
            let store = folders.get(&(file.machine.as_str(), file.store.as_str()));
            let Some(path) = store.and_then(|store| below(store, &file.file)) else {
                let what = format!("{:?} of machine {}: not a path below a store", file.file, file.machine);
                return Err(Fault::damage(what));
            };
            withheld += content.withheld.len() as u64;
            if file.is_gone {
                marks.gone.insert(path.clone());
            }
            if !content.withheld.is_empty() {
                marks.withheld.insert(path.clone(), content.withheld.iter().copied().collect());
            }
            progress.advance(file.bytes, words::bytes);
            write(&path, file, &content)?;
            paths.push(path);
            Ok(())
        })?;
        drop(progress);
        if withheld > 0 {
            let lines = words::plural(withheld, "line was", "lines were");
            context.say(format!("{lines} withheld by the sender: secrets could not be removed"));
        }
        let people = owners(engine)?;
        let label = |machine: &str| MachineLabel {
            machine: machine.to_owned(),
            person: people.get(machine).map(|owner| owner.person.clone()).unwrap_or_default(),
        };
        let mut stores: Vec<(PathBuf, MachineLabel)> =
            folders.into_iter().map(|((machine, _), path)| (path, label(machine))).collect();
        if stores.is_empty() {
            stores.push((folder.path().join("0"), label("")));
        }
        for (path, _) in &stores {
            fs::create_dir_all(path.join("projects")).map_err(|error| unwritable(path, &error))?;
        }
        Ok(Self { folder, stores, marks, paths })
    }
}

/// A path below a store. The engine may hold anything: what leads elsewhere is refused.
pub(crate) fn below(store: &Path, name: &str) -> Option<PathBuf> {
    let relative = Path::new(name);
    let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && !name.is_empty() && !name.contains('\0')).then(|| store.join(relative))
}

/// Writes a file at once: somebody may be reading the one before it.
pub(crate) fn write(path: &Path, file: &TeamFile, content: &FileContent) -> Result<(), Fault> {
    let written = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        fs::write(&part, &content.bytes)?;
        // When something last happened in it is the best that is known.
        let millis = u64::try_from(file.active.unwrap_or(file.generation)).unwrap_or(0);
        File::options().append(true).open(&part)?.set_modified(UNIX_EPOCH + Duration::from_millis(millis))?;
        fs::rename(&part, path)
    };
    written().map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::of_io(error, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_a_store_are_written() {
        let store = Path::new("/store");
        assert_eq!(below(store, "projects/-x/a.jsonl"), Some(store.join("projects/-x/a.jsonl")));
        for bad in ["", "/etc/passwd", "../x", "projects/../../x", "./x", "a\0b"] {
            assert_eq!(below(store, bad), None, "{bad:?}");
        }
    }
}
