//! Sessions of the vault: lists and finds those that the client has deleted, unpacks them to a temporary folder, restores them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::find::MIN_PREFIX;
use annals_store::project_path::{Evidence, ProjectPath};
use annals_store::{FileRole, Slug, Store, Summary};
use annals_transcript::title::TitleSource;
use annals_vault::{
    Catalogue, FileSelection, OnConflict, RestoreRequest, UnpackDir, Vault, VaultReader, Version,
};

use crate::change::ChangeReport;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::full_overview::{FullOverview, SessionOverview};
use crate::progress::Progress;
use crate::table::one_line;
use crate::{when, words};

/// Opens the vault; `None` if there is no data folder, or nothing was ever archived.
pub(crate) fn open(context: &Context) -> Option<Vault> {
    let vault = Vault::new(&context.data_dir().ok()?);
    vault.path().is_dir().then_some(vault)
}

/// Progress of work on a vault.
pub(crate) struct VaultProgress(pub(crate) Progress);

impl annals_vault::Progress for VaultProgress {
    fn read(&mut self, bytes: u64) {
        self.0.advance(bytes, words::bytes);
    }
}

/// The newest version of each session of this store that the client has deleted.
pub(crate) fn deleted(catalogue: &Catalogue, context: &Context) -> Vec<Version> {
    let store = canonical(context.store.config_dir().path());
    let newest = catalogue.newest().into_values();
    newest.filter(|version| version.store == store && version.is_gone()).cloned().collect()
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The deleted sessions of all stores, as one of the functions below lists those of the store in use.
pub(crate) fn of_all_stores<T>(
    context: &Context,
    list: impl Fn(&Context) -> Result<Vec<T>, Fault>,
) -> Result<Vec<T>, Fault> {
    let lists = context.each_store(list).into_iter().collect::<Result<Vec<_>, Fault>>()?;
    Ok(lists.into_iter().flatten().collect())
}

/// Summarizes the deleted sessions without unpacking them.
pub(crate) fn deleted_summaries(context: &Context) -> Result<Vec<Summary>, Fault> {
    let Some(vault) = open(context) else { return Ok(Vec::new()) };
    Ok(deleted(&vault.catalogue()?, context).iter().map(summary).collect())
}

/// The files of deleted sessions that the vault has, relative to the config dir.
pub(crate) fn deleted_files(context: &Context) -> Result<HashSet<String>, Fault> {
    let Some(vault) = open(context) else { return Ok(HashSet::new()) };
    let versions = deleted(&vault.catalogue()?, context).into_iter();
    Ok(versions.flat_map(|version| version.files).map(|copy| copy.path).collect())
}

/// Lists the deleted sessions; empty if the vault cannot be read.
pub(crate) fn deleted_versions(context: &Context) -> Vec<Version> {
    let catalogue = open(context).and_then(|vault| vault.catalogue().ok());
    catalogue.map(|catalogue| deleted(&catalogue, context)).unwrap_or_default()
}

/// The vault's copies of deleted sessions, each unpacked once.
pub(crate) struct DeletedCopies<'c> {
    context: &'c Context,
    unpacked: HashMap<String, Option<UnpackDir>>,
}

impl<'c> DeletedCopies<'c> {
    pub(crate) fn new(context: &'c Context) -> Self {
        Self { context, unpacked: HashMap::new() }
    }

    /// Where a file of a session was unpacked.
    pub(crate) fn file(&mut self, session: &str, path: &str) -> Option<PathBuf> {
        let copy = self.unpacked.entry(session.to_owned()).or_insert_with(|| {
            let mut versions = deleted_versions(self.context);
            versions.retain(|version| version.session == *session);
            unpack_all(&versions, self.context)
        });
        copy.as_ref().map(|copy| copy.path().join(path))
    }
}

/// Unpacks versions to a temporary folder, laid out as a store; `None` if there is nothing to unpack. A damaged version is
/// reported on standard error and left out.
pub(crate) fn unpack_all(versions: &[Version], context: &Context) -> Option<UnpackDir> {
    let vault = open(context).filter(|_| !versions.is_empty())?;
    let catalogue = vault.catalogue().ok()?;
    let chunk_index = vault.chunk_index(&catalogue).ok()?;
    let mut reader = VaultReader::new(&vault, &chunk_index);
    let folder = vault.unpack_dir(&context.source).ok()?;
    for version in versions {
        if let Err(error) = reader.unpack(version, folder.path(), FileSelection::Everything) {
            context.say(format!("{} of the vault: {error}", version.session));
        }
    }
    Some(folder)
}

fn slug_of(version: &Version) -> Slug {
    match FileRole::of_relative(Path::new(&version.file)) {
        FileRole::Session { slug, .. } => slug,
        _ => Slug::new(""),
    }
}

/// The title of a version, by the rule of all lists.
pub(crate) fn title_of(version: &Version) -> Option<String> {
    summary(version).display_title().map(str::to_owned)
}

fn summary(version: &Version) -> Summary {
    let meta = version.meta.clone();
    let mut summary = Summary::new(version.session.clone(), slug_of(version), version.path());
    summary.bytes = version.main().map_or(0, annals_vault::FileCopy::bytes);
    summary.modified = version.main().map(|copy| copy.modified / 1_000_000);
    summary.project = meta.project.map(|path| ProjectPath { path, evidence: Evidence::MostCommonCwd });
    summary.title = meta.title.map(|title| (TitleSource::Summary, title));
    summary.first_prompt = meta.first_prompt;
    summary.created = meta.created;
    summary.active_millis = meta.active;
    summary.git_branch = meta.branch;
    summary.models = meta.models;
    summary.tag = meta.tag;
    summary.is_warm_up = meta.is_warm_up;
    summary
}

/// Reads the deleted sessions in full, from a temporary folder. A damaged version is reported on standard error and left out.
pub(crate) fn deleted_survey(context: &Context) -> Result<Vec<SessionOverview>, Fault> {
    let Some(vault) = open(context) else { return Ok(Vec::new()) };
    let catalogue = vault.catalogue()?;
    let deleted = deleted(&catalogue, context);
    if deleted.is_empty() {
        return Ok(Vec::new());
    }
    let chunk_index = vault.chunk_index(&catalogue)?;
    let mut reader = VaultReader::new(&vault, &chunk_index);
    let folder = vault.unpack_dir(&context.source)?;
    for version in &deleted {
        if let Err(error) = reader.unpack(version, folder.path(), FileSelection::Lines) {
            context.say(format!("{} of the vault: {error}", version.session));
        }
    }
    let unpacked = Store::open(folder.path());
    let mut sessions = FullOverview::of(&unpacked, unpacked.discover(), &context.prices).sessions;
    for session in &mut sessions {
        let path = &mut session.full.summary.path;
        if let Ok(inside) = path.strip_prefix(folder.path()) {
            *path = canonical(context.store.config_dir().path()).join(inside);
        }
    }
    Ok(sessions)
}

/// Finds a deleted session, unpacks its newest version, and says so on standard error. Returns the folder and the version.
pub(crate) fn unpack_deleted(
    context: &Context,
    argument: &str,
) -> Result<Option<(UnpackDir, Version)>, Fault> {
    let Some(vault) = open(context) else { return Ok(None) };
    let catalogue = vault.catalogue()?;
    let deleted = deleted(&catalogue, context);
    let found = matching(&deleted.iter().collect::<Vec<_>>(), argument);
    let version = match found.as_slice() {
        [] => return Ok(None),
        [version] => *version,
        several => return Err(ambiguous(argument, several, context)),
    };
    let folder = vault.with_reader(|reader| {
        let folder = vault.unpack_dir(&context.source)?;
        reader.unpack(version, folder.path(), FileSelection::Everything)?;
        Ok(folder)
    })?;
    let when = words::moment(version.time, &context.zone);
    context.say(format!("{} is no longer in the store; this is the vault's copy of {when}", version.session));
    Ok(Some((folder, version.clone())))
}

/// Finds versions by id, id prefix, or title.
fn matching<'v>(versions: &[&'v Version], argument: &str) -> Vec<&'v Version> {
    let ways: [&dyn Fn(&Version) -> bool; 3] = [
        &|version| version.session == *argument,
        &|version| argument.len() >= MIN_PREFIX && version.session.as_str().starts_with(argument),
        &|version| title_of(version).as_deref() == Some(argument),
    ];
    let of_way = |matches_argument: &&dyn Fn(&Version) -> bool| {
        versions.iter().copied().filter(|version| matches_argument(version)).collect::<Vec<_>>()
    };
    ways.iter().map(of_way).find(|found| !found.is_empty()).unwrap_or_default()
}

fn ambiguous(argument: &str, several: &[&Version], context: &Context) -> Fault {
    let message = format!("{argument:?} matches {} sessions of the vault", several.len());
    several.iter().take(10).fold(Fault::usage(message), |fault, version| {
        let when = words::moment(version.time, &context.zone);
        let title = one_line(&title_of(version).unwrap_or_default());
        fault.hint(format!("{}  {when}  {}  {title}", version.session, version.file))
    })
}

/// Whose sessions of the vault are meant. What is changed is always of the store in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VaultScope {
    /// Those of the store in use.
    ThisStore,
    /// Those of the store in use, else those of any other.
    AnyStore,
}

/// Lists all versions of a session, oldest first.
pub(crate) fn versions_of<'c>(
    catalogue: &'c Catalogue,
    argument: &str,
    scope: VaultScope,
    context: &Context,
) -> Result<Vec<&'c Version>, Fault> {
    let newest: BTreeMap<_, _> = catalogue.newest();
    let store = canonical(context.store.config_dir().path());
    let here: Vec<_> = newest.values().copied().filter(|version| version.store == store).collect();
    let elsewhere: Vec<_> = newest.values().copied().filter(|version| version.store != store).collect();
    let mut found = matching(&here, argument);
    let others = if found.is_empty() { matching(&elsewhere, argument) } else { Vec::new() };
    if scope == VaultScope::AnyStore && found.is_empty() {
        found.clone_from(&others);
    }
    match found.as_slice() {
        [] => {
            let store = context.store.config_dir().path().display();
            let fault = match scope {
                VaultScope::ThisStore => format!("the vault has no session {argument:?} of {store}"),
                VaultScope::AnyStore => format!("the vault has no session {argument:?}"),
            };
            let hint = match others.first() {
                Some(other) => {
                    format!("it has one of another store: annals --config-dir {} …", other.store.display())
                }
                None => "annals archive --list lists its sessions".to_owned(),
            };
            Err(Fault::nothing_found(fault).hint(hint))
        }
        [version] => Ok(catalogue.sessions().remove(&version.location()).unwrap_or_default()),
        several => Err(ambiguous(argument, several, context)),
    }
}

/// Which version to restore, and where to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RestoreOptions<'a> {
    /// The version, by a prefix of its id.
    pub(crate) version: Option<&'a str>,
    /// The last version archived up to this day.
    pub(crate) at: Option<&'a str>,
    /// A folder to restore to, instead of the store.
    pub(crate) to: Option<&'a Path>,
    /// Whether differing files go to the trash.
    pub(crate) replace: bool,
}

impl<'a> RestoreOptions<'a> {
    /// This version, to its original place.
    pub(crate) fn of_version(name: &'a str) -> Self {
        Self { version: Some(name), ..Self::default() }
    }

    /// Whether these options apply to the vault only.
    pub(crate) fn is_vault_only(&self) -> bool {
        self.version.is_some() || self.at.is_some() || self.to.is_some() || self.replace
    }
}

fn choose_version<'v>(
    versions: &[&'v Version],
    options: RestoreOptions<'_>,
    context: &Context,
) -> Result<&'v Version, Fault> {
    let until = match options.at {
        Some(text) => Some(when::parse(text, &context.zone)?.end),
        None => None,
    };
    let matches_argument = |version: &&&Version| {
        options.version.is_none_or(|name| version.id.as_str().starts_with(name))
            && until.is_none_or(|until| version.time < until)
    };
    let found: Vec<&&Version> = versions.iter().filter(matches_argument).collect();
    if options.version.is_some() && found.len() > 1 {
        return Err(Fault::usage(format!(
            "{:?} matches {} versions",
            options.version.unwrap_or_default(),
            found.len()
        )));
    }
    found.last().map(|version| **version).ok_or_else(|| {
        Fault::nothing_found("the vault has no such version of this session")
            .hint("annals archive --list SESSION lists its versions")
    })
}

/// Restores a session from the vault.
pub(crate) fn restore_from_vault(
    session: &str,
    options: RestoreOptions<'_>,
    confirm: crate::args::ConfirmArgs,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let nothing =
        || Fault::nothing_found("the vault is empty").hint("annals archive --all archives all sessions");
    let vault = open(context).ok_or_else(nothing)?;
    let catalogue = vault.catalogue()?;
    // A folder elsewhere is not a store that something else depends on.
    let scope = if options.to.is_some() { VaultScope::AnyStore } else { VaultScope::ThisStore };
    let version = choose_version(&versions_of(&catalogue, session, scope, context)?, options, context)?;
    // Absolute, since the journal is read from other working directories.
    let root = match options.to {
        Some(folder) => std::path::absolute(folder)?,
        None => version.store.clone(),
    };
    let kept = words::moment(version.time, &context.zone);
    let size = words::bytes(version.bytes());
    let files = words::plural(version.files.len() as u64, "file", "files");
    let mut change = ChangeReport {
        session: Some(version.session.to_string()),
        file: Some(root.join(&version.file)),
        bytes_before: Some(0),
        bytes_after: Some(version.bytes()),
        ..ChangeReport::default()
    };
    if confirm.dry_run {
        let what = format!("would restore {} as of {kept}: {files}, {size}", version.session);
        change.report(context, &what)?;
        return Ok(Outcome::Done);
    }
    let title = title_of(version).map(|title| format!(" {:?}", one_line(&title))).unwrap_or_default();
    let question = format!("restore {}{title} as of {kept} to {}?", version.session, root.display());
    if !context.confirms(confirm, &question)? {
        return Ok(Outcome::Declined);
    }
    let on_conflict = if options.replace { OnConflict::Replace } else { OnConflict::Refuse };
    let request = RestoreRequest { vault: &vault, version, root: &root, on_conflict };
    let source = context.source;
    let restored =
        vault.with_reader(|reader| request.run(reader, &source, &mut |_| ControlFlow::Continue(())))?;
    let sentence = match restored.entry.as_ref() {
        Some(_) => format!("restored {} as of {kept}: {files}, {size}", version.session),
        None => format!("{} is already there, as of {kept}", version.session),
    };
    change.undo = restored.entry.map(|entry| entry.id);
    change.report(context, &sentence)?;
    Ok(Outcome::Done)
}
