//! The stores that a command reads, and the one of them that it works on.
//!
//! Commands about one session work on its store: [`ResolvedSession::find`](crate::session::ResolvedSession::find) looks in
//! all of them and selects that one. Commands that read everything go through [`Context::each_store`] or
//! [`Context::discover_all`]. A command that changes a store which its arguments do not name needs
//! [`Context::check_one_store`].

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use annals_json::ObjectWriter;
use annals_store::journal::JournalEntry;
use annals_store::{ConfigDir, Store};

use crate::context::Context;
use crate::error::Fault;
use crate::table::one_line;

/// The stores that are read, each once. It stands for the one in use, which is the first until another is selected.
#[derive(Debug)]
pub(crate) struct Stores {
    all: Vec<Store>,
    in_use: Cell<usize>,
    /// Whether somebody named them, by an option, a variable or the configuration file.
    are_named: bool,
    home: Option<PathBuf>,
    /// Whose each of them is, if they are copies of a team's.
    machines: Vec<MachineLabel>,
    /// What is known of the copies.
    marks: CopyMarks,
}

/// What is known of copies of a team's files.
#[derive(Clone, Debug, Default)]
pub(crate) struct CopyMarks {
    /// Those that are no longer on their machines.
    pub(crate) gone: HashSet<PathBuf>,
    /// The lines that their machines withheld, because secrets could not be removed.
    pub(crate) withheld: HashMap<PathBuf, HashSet<u64>>,
}

/// The machine that a store is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MachineLabel {
    pub(crate) machine: String,
    /// Empty if nobody said.
    pub(crate) person: String,
}

impl MachineLabel {
    /// Writes `machine` and `person`.
    pub(crate) fn write(&self, object: &mut ObjectWriter<'_>) {
        let person = Some(self.person.as_str()).filter(|person| !person.is_empty());
        object.string("machine", &self.machine).string_or_null("person", person);
    }
}

impl Deref for Stores {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.all[self.in_use.get()]
    }
}

impl Stores {
    /// Opens these folders, of which there must be one; a folder that is named twice is read once.
    fn open(folders: Vec<PathBuf>) -> Self {
        let mut known: Vec<PathBuf> = Vec::new();
        let mut all = Vec::new();
        for folder in folders {
            let real = real(&folder);
            if !known.contains(&real) {
                known.push(real);
                all.push(Store::open(folder));
            }
        }
        Self {
            all,
            in_use: Cell::new(0),
            are_named: false,
            home: None,
            machines: Vec::new(),
            marks: CopyMarks::default(),
        }
    }

    /// Those that were named, else the client's usual places, as far as they exist.
    pub(crate) fn choose(named: Vec<PathBuf>, usual: Vec<PathBuf>) -> Result<Self, Fault> {
        if !named.is_empty() {
            return Ok(Self { are_named: true, ..Self::open(named) });
        }
        let mut there: Vec<PathBuf> = usual.iter().filter(|folder| is_store(folder)).cloned().collect();
        if there.is_empty() {
            there.extend(usual.into_iter().next());
        }
        if there.is_empty() {
            return Err(Fault::usage("no store to read: no home folder")
                .hint("use --config-dir DIR, or set CLAUDE_CONFIG_DIR"));
        }
        Ok(Self::open(there))
    }

    /// The copies of a team's stores.
    pub(crate) fn of_team(stores: Vec<(PathBuf, MachineLabel)>, marks: CopyMarks) -> Self {
        let (folders, machines): (Vec<_>, Vec<_>) = stores.into_iter().unzip();
        Self { machines, marks, are_named: true, ..Self::open(folders) }
    }

    /// Whether they are copies of a team's.
    pub(crate) fn are_of_team(&self) -> bool {
        !self.machines.is_empty()
    }

    /// Whether a file is a copy of one that is no longer on its machine.
    pub(crate) fn is_gone(&self, file: &Path) -> bool {
        self.marks.gone.contains(file)
    }

    /// Whether a line of a copy was withheld by its machine.
    pub(crate) fn is_withheld(&self, file: &Path, line: u64) -> bool {
        self.marks.withheld.get(file).is_some_and(|lines| lines.contains(&line))
    }

    /// The machine that a file came from, if it is a copy of a team's.
    pub(crate) fn machine_of(&self, file: &Path) -> Option<&MachineLabel> {
        self.machines.get(self.position_of_file(file)?)
    }

    /// The path of a file as it is printed: that of a copy is the one that it has below the config dir of its machine.
    pub(crate) fn display_path(&self, file: &Path) -> PathBuf {
        let store = self.position_of_file(file).filter(|_| !self.machines.is_empty()).map(|at| &self.all[at]);
        let inside = store.and_then(|store| file.strip_prefix(store.config_dir().path()).ok());
        inside.unwrap_or(file).to_path_buf()
    }

    /// Shortens names of folders in the home folder.
    pub(crate) fn with_home(self, home: Option<PathBuf>) -> Self {
        Self { home, ..self }
    }

    /// All of them, the first named first.
    pub(crate) fn all(&self) -> &[Store] {
        &self.all
    }

    /// Whether there is more than one.
    pub(crate) fn are_several(&self) -> bool {
        self.all.len() > 1
    }

    pub(crate) fn in_use(&self) -> usize {
        self.in_use.get()
    }

    /// Which of them a change is of.
    pub(crate) fn position_of(&self, entry: &JournalEntry) -> Option<usize> {
        self.all.iter().position(|store| entry.is_of(store.config_dir()))
    }

    /// The store that a file belongs to by its path.
    fn position_of_file(&self, file: &Path) -> Option<usize> {
        let folders = || self.all.iter().map(|store| store.config_dir().path()).enumerate();
        // A store may be inside another.
        let deepest = |(_, folder): &(usize, PathBuf)| folder.components().count();
        let as_named = folders().map(|(at, folder)| (at, folder.to_path_buf()));
        let as_named = as_named.filter(|(_, folder)| file.starts_with(folder)).max_by_key(deepest);
        let found = as_named.or_else(|| {
            let file = real(file);
            let resolved = folders().map(|(at, folder)| (at, real(folder)));
            resolved.filter(|(_, folder)| file.starts_with(folder)).max_by_key(deepest)
        });
        found.map(|(at, _)| at)
    }

    /// Whether a file belongs to the store in use.
    pub(crate) fn is_in_use_for(&self, file: &Path) -> bool {
        !self.are_several() || self.position_of_file(file) == Some(self.in_use.get())
    }

    /// The store of a file, where there are several and it has to be said.
    pub(crate) fn name_of(&self, file: &Path) -> Option<String> {
        let position = self.position_of_file(file).filter(|_| self.are_several())?;
        Some(self.all[position].config_dir().path().display().to_string())
    }

    /// The same for people: shorter, where it is in the home folder.
    pub(crate) fn label_of(&self, file: &Path) -> String {
        if let Some(MachineLabel { machine, person }) = self.machine_of(file) {
            let id: String = machine.chars().take(8).collect();
            return if person.is_empty() { id } else { format!("{person} {id}") };
        }
        let Some(name) = self.name_of(file) else { return String::new() };
        let inside = self.home.as_ref().and_then(|home| Path::new(&name).strip_prefix(home).ok());
        inside.map_or_else(|| name.clone(), |inside| Path::new("~").join(inside).display().to_string())
    }

    /// Writes `store` for a row about a file, where there are several.
    pub(crate) fn write_name(&self, file: &Path, object: &mut ObjectWriter<'_>) {
        if let Some(label) = self.machine_of(file) {
            return label.write(object);
        }
        object.string_if("store", self.name_of(file).as_deref());
    }

    /// The folders of all stores, for a sentence.
    pub(crate) fn names(&self) -> String {
        if self.are_of_team() {
            return "what the team has sent".to_owned();
        }
        let names = self.all.iter().map(|store| store.config_dir().path().display().to_string());
        names.collect::<Vec<_>>().join(", ")
    }

    /// Makes the store of a file the one in use; a file of no store changes nothing.
    pub(crate) fn select_for(&self, file: &Path) {
        if let Some(position) = self.position_of_file(file) {
            self.in_use.set(position);
        }
    }

    /// Makes this one the store in use.
    pub(crate) fn select(&self, position: usize) {
        self.in_use.set(position.min(self.all.len() - 1));
    }
}

/// Splits a variable that may name several folders. A folder with a comma in its name is itself, if it exists.
pub(crate) fn split_list(value: &Path) -> Vec<PathBuf> {
    match value.to_str() {
        Some(text) if text.contains(',') && !value.exists() => {
            text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(PathBuf::from).collect()
        }
        _ => vec![value.to_path_buf()],
    }
}

/// Whether the client has been there: another program may have a folder of that name.
fn is_store(folder: &Path) -> bool {
    folder.join("projects").is_dir()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

impl Context {
    /// Calls `each` once for every store, with that store in use.
    pub(crate) fn each_store<T>(&self, mut each: impl FnMut(&Self) -> T) -> Vec<T> {
        let before = self.store.in_use.get();
        let mut answers = Vec::new();
        for position in 0..self.store.all.len() {
            self.store.in_use.set(position);
            answers.push(each(self));
        }
        self.store.in_use.set(before);
        answers
    }

    /// The same for a command that prints as it goes.
    pub(crate) fn try_each_store(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        for position in 0..self.store.all.len() {
            self.store.in_use.set(position);
            each(self)?;
        }
        self.store.in_use.set(0);
        Ok(())
    }

    /// Fails if there are several stores: what is about to happen is for one, and nothing says which.
    pub(crate) fn check_one_store(&self) -> Result<(), Fault> {
        if !self.store.are_several() {
            return Ok(());
        }
        let fault = Fault::usage(format!(
            "{} stores are configured; this command works on one",
            self.store.all.len()
        ));
        Err(self.store.all.iter().fold(fault, |fault, store| {
            fault.hint(format!("--config-dir {}", one_line(&store.config_dir().path().to_string_lossy())))
        }))
    }

    /// Fails if a change is about sessions of different stores.
    pub(crate) fn check_same_store(&self, file: &Path) -> Result<(), Fault> {
        let store = self.store.position_of_file(file);
        let is_elsewhere = |other: &PathBuf| self.store.position_of_file(other) != store;
        match self.subjects.borrow().iter().any(is_elsewhere) {
            true if self.store.are_several() => Err(Fault::usage("these sessions are in different stores")
                .hint("one change can only touch one store")),
            _ => Ok(()),
        }
    }

    /// Fails if a store was named that does not exist: a mistyped name must not look like an empty store. The usual places
    /// need not exist.
    pub(crate) fn check_stores(&self) -> Result<(), Fault> {
        let is_excused = |config: &ConfigDir| !self.store.are_named && !config.path().exists();
        let configs = self.store.all.iter().map(Store::config_dir);
        configs.filter(|config| !is_excused(config)).try_for_each(check)
    }
}

fn check(config: &ConfigDir) -> Result<(), Fault> {
    let path = config.path();
    let message = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => "not a folder, so not a store",
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let message = format!("{}: cannot open the store: {error}", path.display());
            return Err(Fault::of_io(&error, message));
        }
        Err(_) => "no such store",
    };
    Err(Fault::usage(format!("{}: {message}", path.display())).hint(
        "--config-dir, CLAUDE_CONFIG_DIR or `stores` in the configuration file names it; for a new store, create the folder",
    ))
}
