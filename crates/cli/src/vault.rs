//! Sessions of the vault, as the commands meet them: those that the client has deleted, found by what a person typed, looked
//! at in a folder that is gone afterwards, or brought back.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::find::SHORTEST_PREFIX;
use annals_store::project_path::{Evidence, ProjectPath};
use annals_store::summary::Coverage;
use annals_store::{ConfigDir, FileRole, Slug, Store, Summary, sessions_index};
use annals_transcript::title::TitleSource;
use annals_vault::{Catalogue, Existing, Reader, Restoration, Unpacked, Vault, Version, Wanted, Witness};

use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::progress::Progress;
use crate::survey::{Survey, Surveyed};
use crate::table::one_line;
use crate::{when, words};

/// The vault; none where there is no data folder, or nothing was ever kept in it.
pub(crate) fn open(context: &Context) -> Option<Vault> {
    let vault = Vault::new(&context.data_dir().ok()?);
    vault.path().is_dir().then_some(vault)
}

/// Progress of work on a vault.
pub(crate) struct Watched(pub(crate) Progress);

impl Witness for Watched {
    fn read(&mut self, bytes: u64) {
        self.0.advance(bytes, words::bytes);
    }
}

/// The newest version of each session of this store that the client has deleted.
pub(crate) fn deleted(catalogue: &Catalogue, context: &Context) -> Vec<Version> {
    let store = real(context.store.config_dir().path());
    let newest = catalogue.newest().into_values();
    newest.filter(|version| version.store == store && version.is_gone()).cloned().collect()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// What a list says of the deleted sessions, without unpacking them.
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

/// The deleted sessions, and nothing where the vault cannot be read: whoever asks can do without.
pub(crate) fn deleted_versions(context: &Context) -> Vec<Version> {
    let catalogue = open(context).and_then(|vault| vault.catalogue().ok());
    catalogue.map(|catalogue| deleted(&catalogue, context)).unwrap_or_default()
}

/// Unpacks versions into a folder that is gone afterwards, laid out as a store; none where there is nothing to unpack. One that
/// does not come back whole is named on standard error and left out.
pub(crate) fn unpack_all(versions: &[Version], context: &Context) -> Option<Unpacked> {
    let vault = open(context).filter(|_| !versions.is_empty())?;
    let catalogue = vault.catalogue().ok()?;
    let shelves = vault.shelves(&catalogue).ok()?;
    let mut reader = Reader::new(&vault, &shelves);
    let bench = vault.workbench(&context.source).ok()?;
    for version in versions {
        if let Err(error) = reader.unpack(version, bench.path(), Wanted::Everything) {
            context.say(format!("{} of the vault: {error}", version.session));
        }
    }
    Some(bench)
}

fn slug_of(version: &Version) -> Slug {
    match FileRole::of_relative(Path::new(&version.file)) {
        FileRole::Session { slug, .. } => slug,
        _ => Slug::new(""),
    }
}

fn summary(version: &Version) -> Summary {
    let card = version.card.clone();
    let project = card.project.map(|path| ProjectPath { path, evidence: Evidence::MostCommonCwd });
    Summary {
        session: version.session.clone(),
        slug: slug_of(version),
        path: version.path(),
        bytes: version.main().map_or(0, annals_vault::FileCopy::bytes),
        modified: version.main().map(|copy| copy.modified / 1_000_000),
        project,
        title: card.title.map(|title| (TitleSource::Summary, title)),
        first_prompt: card.first_prompt,
        last_prompt: None,
        created_millis: None,
        created: card.created,
        active_millis: card.active,
        git_branch: card.branch,
        versions: Vec::new(),
        models: card.models,
        entrypoint: None,
        tag: card.tag,
        plan_names: Vec::new(),
        pull_requests: Vec::new(),
        has_conversation: true,
        is_warm_up: card.is_warm_up,
        is_sidechain_first: false,
        coverage: Coverage::HeadAndTail,
    }
}

/// The deleted sessions, counted exactly: their lines are unpacked, read and thrown away. One that does not come back whole is
/// named on standard error and left out.
pub(crate) fn deleted_survey(context: &Context) -> Result<Vec<Surveyed>, Fault> {
    let Some(vault) = open(context) else { return Ok(Vec::new()) };
    let catalogue = vault.catalogue()?;
    let deleted = deleted(&catalogue, context);
    if deleted.is_empty() {
        return Ok(Vec::new());
    }
    let shelves = vault.shelves(&catalogue)?;
    let mut reader = Reader::new(&vault, &shelves);
    let bench = vault.workbench(&context.source)?;
    for version in &deleted {
        if let Err(error) = reader.unpack(version, bench.path(), Wanted::Lines) {
            context.say(format!("{} of the vault: {error}", version.session));
        }
    }
    let mut sessions = Survey::of(&Store::open(bench.path()), &context.prices).sessions;
    for session in &mut sessions {
        let path = &mut session.full.summary.path;
        if let Ok(inside) = path.strip_prefix(bench.path()) {
            *path = real(context.store.config_dir().path()).join(inside);
        }
    }
    Ok(sessions)
}

/// Finds a deleted session by what a person typed and unpacks its newest version; says so on standard error. Gives the folder
/// and the version.
pub(crate) fn unpack_deleted(
    context: &Context,
    argument: &str,
) -> Result<Option<(Unpacked, Version)>, Fault> {
    let Some(vault) = open(context) else { return Ok(None) };
    let catalogue = vault.catalogue()?;
    let deleted = deleted(&catalogue, context);
    let found = fitting(&deleted.iter().collect::<Vec<_>>(), argument);
    let version = match found.as_slice() {
        [] => return Ok(None),
        [version] => *version,
        several => return Err(ambiguous(argument, several, context)),
    };
    let bench = vault.reading(|reader| {
        let bench = vault.workbench(&context.source)?;
        reader.unpack(version, bench.path(), Wanted::Everything)?;
        Ok(bench)
    })?;
    let when = words::moment(version.time, &context.zone);
    context
        .say(format!("{} is not in the store any more; this is the vault's copy of {when}", version.session));
    Ok(Some((bench, version.clone())))
}

/// The versions that an argument means: by id, the beginning of an id, or title.
fn fitting<'v>(versions: &[&'v Version], argument: &str) -> Vec<&'v Version> {
    let ways: [&dyn Fn(&Version) -> bool; 3] = [
        &|version| version.session == *argument,
        &|version| argument.len() >= SHORTEST_PREFIX && version.session.as_str().starts_with(argument),
        &|version| version.card.title.as_deref() == Some(argument),
    ];
    let of_way = |fits: &&dyn Fn(&Version) -> bool| {
        versions.iter().copied().filter(|version| fits(version)).collect::<Vec<_>>()
    };
    ways.iter().map(of_way).find(|found| !found.is_empty()).unwrap_or_default()
}

fn ambiguous(argument: &str, several: &[&Version], context: &Context) -> Fault {
    let message = format!("{argument:?} fits {} sessions of the vault", several.len());
    several.iter().take(10).fold(Fault::usage(message), |fault, version| {
        let when = words::moment(version.time, &context.zone);
        let title = one_line(version.card.title.as_deref().unwrap_or_default());
        fault.hint(format!("{}  {when}  {}  {title}", version.session, version.file))
    })
}

/// All versions of the session that an argument means, the oldest first: those of this store, else those of any.
pub(crate) fn versions_of<'c>(
    catalogue: &'c Catalogue,
    argument: &str,
    context: &Context,
) -> Result<Vec<&'c Version>, Fault> {
    let newest: BTreeMap<_, _> = catalogue.newest();
    let store = real(context.store.config_dir().path());
    let here: Vec<_> = newest.values().copied().filter(|version| version.store == store).collect();
    let anywhere: Vec<_> = newest.values().copied().collect();
    let mut found = fitting(&here, argument);
    if found.is_empty() {
        found = fitting(&anywhere, argument);
    }
    match found.as_slice() {
        [] => Err(Fault::nothing_found(format!("the vault has no session {argument:?}"))
            .hint("annals archive --list shows what it has")),
        [version] => Ok(catalogue.sessions().remove(&version.place()).unwrap_or_default()),
        several => Err(ambiguous(argument, several, context)),
    }
}

/// Which version of a session, and where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wish<'a> {
    /// The version, by the beginning of its name.
    pub(crate) version: Option<&'a str>,
    /// The last one that was kept up to this day.
    pub(crate) at: Option<&'a str>,
    /// A folder that stands in for the store.
    pub(crate) to: Option<&'a Path>,
    /// Whether what differs goes to the trash.
    pub(crate) replace: bool,
}

impl<'a> Wish<'a> {
    /// This version, to where it was.
    pub(crate) fn of_version(name: &'a str) -> Self {
        Self { version: Some(name), ..Self::default() }
    }

    /// Whether only the vault can grant it.
    pub(crate) fn is_for_the_vault(&self) -> bool {
        self.version.is_some() || self.at.is_some() || self.to.is_some() || self.replace
    }
}

fn pick<'v>(versions: &[&'v Version], wish: Wish<'_>, context: &Context) -> Result<&'v Version, Fault> {
    let until = match wish.at {
        Some(text) => {
            let day = when::parse_day(text, when::today(&context.zone))?;
            Some(when::end_of(day, &context.zone))
        }
        None => None,
    };
    let fits = |version: &&&Version| {
        wish.version.is_none_or(|name| version.id.as_str().starts_with(name))
            && until.is_none_or(|until| version.time < until)
    };
    let found: Vec<&&Version> = versions.iter().filter(fits).collect();
    if wish.version.is_some() && found.len() > 1 {
        return Err(Fault::usage(format!(
            "{:?} fits {} versions",
            wish.version.unwrap_or_default(),
            found.len()
        )));
    }
    found.last().map(|version| **version).ok_or_else(|| {
        Fault::nothing_found("the vault has no such version of this session")
            .hint("annals archive --list SESSION shows those that it has")
    })
}

/// Brings a session back from the vault, and says so.
pub(crate) fn restore_from_vault(
    session: &str,
    wish: Wish<'_>,
    care: crate::args::Care,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let nothing = || {
        Fault::nothing_found("nothing was ever kept in the vault")
            .hint("annals archive --all keeps all sessions")
    };
    let vault = open(context).ok_or_else(nothing)?;
    let catalogue = vault.catalogue()?;
    let version = pick(&versions_of(&catalogue, session, context)?, wish, context)?;
    // The journal outlives the folder that the command ran in.
    let root = match wish.to {
        Some(folder) => std::path::absolute(folder)?,
        None => version.store.clone(),
    };
    let kept = words::moment(version.time, &context.zone);
    let size = words::bytes(version.bytes());
    let files = words::plural(version.files.len() as u64, "file", "files");
    let mut change = Change {
        session: Some(version.session.to_string()),
        file: Some(root.join(&version.file)),
        bytes_before: Some(0),
        bytes_after: Some(version.bytes()),
        ..Change::default()
    };
    if care.dry_run {
        let what = format!("would bring back {} as of {kept}: {files}, {size}", version.session);
        change.report(context, &what)?;
        return Ok(Outcome::Done);
    }
    if !context.agrees(care, &format!("bring back {} as of {kept}?", version.session))? {
        return Ok(Outcome::Declined);
    }
    let existing = if wish.replace { Existing::Replace } else { Existing::Refuse };
    let restoration = Restoration { vault: &vault, version, root: &root, existing };
    let source = context.source;
    let restored =
        vault.reading(|reader| restoration.carry_out(reader, &source, &mut |_| ControlFlow::Continue(())))?;
    let (config, slug) = (ConfigDir::new(&root), slug_of(version));
    if config.sessions_index(&slug).is_file() {
        // The index is a cache, which is often out of date: a fault here loses nothing.
        let _ = sessions_index::refresh(&config, &slug, &version.session);
    }
    let sentence = match restored.entry.as_ref() {
        Some(_) => format!("{} is back as of {kept}: {files}, {size}", version.session),
        None => format!("{} is there already, as it was kept {kept}", version.session),
    };
    change.undo = restored.entry.map(|entry| entry.id);
    change.report(context, &sentence)?;
    Ok(Outcome::Done)
}
