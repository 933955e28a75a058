//! Copies of a team's sessions for pages, in a folder that ends with the server.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use annals_store::{Store, Summary};
use annals_team::Engine;
use annals_team::query::{FileChoice, Scope, TeamFile, fetch, files, owners};
use annals_web::{RemoteError, RemoteFiles, RemoteSession};

use crate::error::Fault;
use crate::team_store::{below, only_longest, write};
use crate::words;

/// How long a copy is shown before the engine is asked whether it still may be, and whether there is more.
const MAX_UNCHECKED: Duration = Duration::from_secs(5);
/// Copies that nobody has looked at for so long are removed.
const MAX_UNUSED: Duration = Duration::from_secs(600);
/// The most bytes of one session, and of all copies of a reader besides that one.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// The copies of one reader.
#[derive(Debug)]
pub(super) struct SessionCopies {
    folder: PathBuf,
    copies: HashMap<String, SessionCopy>,
    /// Folders that were made.
    count: u64,
}

/// A session on disk.
#[derive(Debug)]
struct SessionCopy {
    folder: PathBuf,
    /// What it was made of.
    of: Vec<TeamFile>,
    files: Vec<RemoteFiles>,
    checked: Instant,
    used: Instant,
}

impl SessionCopy {
    fn bytes(&self) -> u64 {
        self.of.iter().map(|file| file.bytes).sum()
    }
}

impl SessionCopies {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, copies: HashMap::new(), count: 0 }
    }

    /// The files of a session as the engine has them now, or had a moment ago; `None` if it has none for this reader.
    pub(super) fn open(
        &mut self,
        session: &str,
        slug: Option<&str>,
        engine: impl FnOnce() -> Result<Engine, RemoteError>,
    ) -> Result<Option<RemoteFiles>, RemoteError> {
        let is_fresh = |copy: &SessionCopy| copy.checked.elapsed() < MAX_UNCHECKED;
        if !self.copies.get(session).is_some_and(is_fresh) {
            self.update(session, &engine()?)?;
        }
        self.remove_excess(Some(session));
        let Some(copy) = self.copies.get_mut(session) else { return Ok(None) };
        copy.used = Instant::now();
        let is_wanted = |files: &&RemoteFiles| slug == Some(files.session.summary.slug.as_str());
        let found = copy.files.iter().find(is_wanted);
        Ok(found.or_else(|| copy.files.iter().max_by_key(|files| files.session.summary.bytes)).cloned())
    }

    /// The sessions that there are copies of.
    pub(super) fn sessions(&self) -> impl Iterator<Item = &String> {
        self.copies.keys()
    }

    /// Removes copies of those `asked` sessions that the machine of the copy no longer has in the engine.
    pub(super) fn remove_forgotten(&mut self, asked: &HashSet<String>, there: &HashSet<(String, String)>) {
        let is_there = |session: &String, copy: &SessionCopy| {
            copy.of.iter().all(|file| there.contains(&(session.clone(), file.machine.clone())))
        };
        let is_forgotten =
            |(session, copy): &(&String, &SessionCopy)| asked.contains(*session) && !is_there(session, copy);
        let forgotten: Vec<String> =
            self.copies.iter().filter(is_forgotten).map(|(session, _)| session.clone()).collect();
        forgotten.iter().for_each(|session| self.remove(session));
    }

    fn update(&mut self, session: &str, engine: &Engine) -> Result<(), RemoteError> {
        let choice = FileChoice::Sessions(vec![session.to_owned()]);
        let mut found = files(engine, &Scope::default(), &choice).map_err(failure)?;
        only_longest(&mut found);
        if !found.iter().any(|file| file.role == "session") {
            self.remove(session);
            return Ok(());
        }
        if let Some(copy) = self.copies.get_mut(session).filter(|copy| copy.of == found) {
            copy.checked = Instant::now();
            return Ok(());
        }
        // The same paths as before: open pages continue to use them.
        let folder = self.copies.get(session).map(|copy| copy.folder.clone()).unwrap_or_else(|| {
            self.count += 1;
            self.folder.join(self.count.to_string())
        });
        let written = fetch_files(engine, session, &folder, &found)?;
        let now = Instant::now();
        let copy = SessionCopy { folder, of: found, files: written, checked: now, used: now };
        self.copies.insert(session.to_owned(), copy);
        Ok(())
    }

    fn remove(&mut self, session: &str) {
        if let Some(copy) = self.copies.remove(session) {
            let _ = fs::remove_dir_all(copy.folder);
        }
    }

    /// Removes what nobody looks at any more, and what is too much.
    pub(super) fn remove_excess(&mut self, kept: Option<&str>) {
        let mut others: Vec<_> =
            self.copies.iter().filter(|(session, _)| kept != Some(session.as_str())).collect();
        others.sort_by_key(|(_, copy)| std::cmp::Reverse(copy.used));
        let mut bytes = 0;
        let is_over = |(session, copy): (&String, &SessionCopy)| {
            bytes += copy.bytes();
            (copy.used.elapsed() > MAX_UNUSED || bytes > MAX_BYTES).then(|| session.clone())
        };
        let over: Vec<String> = others.into_iter().filter_map(is_over).collect();
        over.iter().for_each(|session| self.remove(session));
    }
}

impl Drop for SessionCopies {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes files into a folder like that of a store, and reads what pages need to know of them.
fn fetch_files(
    engine: &Engine,
    session: &str,
    folder: &std::path::Path,
    found: &[TeamFile],
) -> Result<Vec<RemoteFiles>, RemoteError> {
    let bytes: u64 = found.iter().map(|file| file.bytes).sum();
    if bytes > MAX_BYTES {
        let why =
            format!("This session has {}: annals clone brings it to your machine.", words::bytes(bytes));
        return Err(RemoteError(why));
    }
    let mut withheld: HashMap<PathBuf, u64> = HashMap::new();
    let fetched = fetch(engine, found, |file, content| {
        let path = below(folder, &file.file)
            .ok_or_else(|| Fault::damage(format!("{:?}: not a path below a store", file.file)))?;
        *withheld.entry(path.clone()).or_default() += content.withheld.len() as u64;
        write(&path, file, &content)
    });
    fetched.map_err(|fault: Fault| RemoteError(fault.message().to_owned()))?;
    let people = owners(engine).map_err(failure)?;
    let person = found.first().and_then(|file| people.get(&file.machine));
    let person = person.map(|owner| owner.person.clone()).filter(|person| !person.is_empty());
    let store = Store::open(folder);
    let discovery = store.discover();
    let (summaries, unread) = store.summaries(&discovery);
    if !discovery.problems.is_empty() || !unread.is_empty() {
        return Err(RemoteError(
            "The server cannot read its copy of this session. Its operator needs to check it.".to_owned(),
        ));
    }
    let of_session = summaries.into_iter().filter(|summary| summary.session.as_str() == session);
    let files = |summary: Summary| {
        let agents: Vec<_> = discovery.agents_of(&summary.session).cloned().collect();
        let paths = agents.iter().map(|agent| &agent.path).chain([&summary.path]);
        let withheld = paths.filter_map(|path| withheld.get(path)).sum();
        let session = RemoteSession { sub_agents: agents.len(), person: person.clone(), summary };
        RemoteFiles { session, agents, withheld }
    };
    Ok(of_session.map(files).collect())
}

/// What a reader is told when the engine fails; the operator sees more.
pub(super) fn failure(error: annals_team::EngineError) -> RemoteError {
    let why = match error {
        annals_team::EngineError::Unavailable(_) => "The engine does not answer. Try again in a moment.",
        _ => "The engine cannot be queried. The operator of this server needs to check it.",
    };
    RemoteError(why.to_owned())
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    fn copies_of(folder: &TempDir, copied: &[(&str, &str)]) -> SessionCopies {
        let mut copies = SessionCopies::new(folder.path().join("copies"));
        for (session, machine) in copied {
            let path = copies.folder.join(session);
            fs::create_dir_all(&path).unwrap();
            let file = TeamFile { machine: (*machine).to_owned(), bytes: 1, ..TeamFile::default() };
            let now = Instant::now();
            let copy =
                SessionCopy { folder: path, of: vec![file], files: Vec::new(), checked: now, used: now };
            copies.copies.insert((*session).to_owned(), copy);
        }
        copies
    }

    fn left(copies: &SessionCopies) -> Vec<&str> {
        let mut names: Vec<&str> = copies.sessions().map(String::as_str).collect();
        names.sort_unstable();
        let on_disk = |name: &&&str| copies.folder.join(name).exists();
        assert_eq!(names.iter().filter(on_disk).count(), fs::read_dir(&copies.folder).unwrap().count());
        names
    }

    #[test]
    fn copies_of_what_was_forgotten_are_removed() {
        let folder = TempDir::new("copies");
        let mut copies = copies_of(
            &folder,
            &[("forgotten", "one"), ("there", "one"), ("of-another", "forgotten"), ("newer", "one")],
        );
        // One came while the others were asked for, and one is still there, but of another machine.
        let asked = ["forgotten", "there", "of-another"].map(str::to_owned).into();
        let there = [("there", "one"), ("of-another", "one")]
            .map(|(session, machine)| (session.to_owned(), machine.to_owned()));
        copies.remove_forgotten(&asked, &there.into());
        assert_eq!(left(&copies), ["newer", "there"]);
    }

    #[test]
    fn copies_that_are_too_much_are_removed_but_the_one_that_is_looked_at() {
        let folder = TempDir::new("copies-excess");
        let mut copies = copies_of(&folder, &[("large", "one"), ("small", "one")]);
        copies.copies.get_mut("large").unwrap().of[0].bytes = MAX_BYTES + 1;
        copies.remove_excess(Some("large"));
        assert_eq!(left(&copies), ["large", "small"]);
        copies.remove_excess(None);
        assert_eq!(left(&copies), ["small"]);
    }
}
