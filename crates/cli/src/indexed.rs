//! Opens the index and brings it up to date.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use annals_index::refresh::{PriceDigest, RefreshProgress, RefreshReport};
use annals_index::{Index, IndexError, OpenOutcome, ReleasedIndex};
use annals_store::source::Clock as _;
use annals_store::{ConfigDir, DataDir, ScanDiff, Store, StoreChanges, StoreSnapshot, parallel};

use crate::context::Context;
use crate::error::Fault;
use crate::{vault, words};

/// Listing fewer folders than this again takes less time than saving that they have settled.
const MIN_SETTLED: usize = 16;

/// Queries the index. The store is scanned for changes at the same time: usually there are none, and the answer holds; else the
/// index is brought up to date and queried again.
pub(crate) fn query<T>(
    context: &Context,
    mut question: impl FnMut(&Index) -> Result<T, IndexError>,
) -> Result<(T, RefreshReport), Fault> {
    if let Some(answer) = query_and_exit(context, &mut question) {
        return Ok((answer, RefreshReport::default()));
    }
    let (index, refreshed) = open(context)?;
    Ok((question(&index)?, refreshed))
}

/// An index for the questions of one call to a server, and what it was brought up to date with.
pub(crate) struct ServedIndex {
    pub(crate) index: Index,
    known: StoreSnapshot,
}

/// What a server keeps of an index between two calls: opening and mapping it takes as long as many questions.
pub(crate) struct IdleIndex {
    index: ReleasedIndex,
    known: StoreSnapshot,
}

impl ServedIndex {
    /// Ends a call; `None` if nothing can be kept.
    pub(crate) fn released(self) -> Option<IdleIndex> {
        Some(IdleIndex { index: self.index.released()?, known: self.known })
    }
}

/// The same in a program that continues after the answer, with what is left of the last call. The index is returned for more
/// questions.
pub(crate) fn query_in_server<T>(
    context: &Context,
    idle: Option<IdleIndex>,
    mut question: impl FnMut(&Index) -> Result<T, IndexError>,
) -> Result<(T, ServedIndex), Fault> {
    if let Some(UnchangedAnswer { answer, index, known }) = query_unchanged(context, idle, &mut question) {
        return Ok((answer, ServedIndex { index, known }));
    }
    let (index, _) = open(context)?;
    Ok((question(&index)?, ServedIndex { index, known: StoreSnapshot::default() }))
}

/// The same for a complete index: `None` while another process is bringing it up to date.
pub(crate) fn query_complete<T>(
    context: &Context,
    mut question: impl FnMut(&Index) -> Result<T, IndexError>,
) -> Result<Option<(T, RefreshReport)>, Fault> {
    if let Some(answer) = query_and_exit(context, &mut question) {
        return Ok(Some((answer, RefreshReport::default())));
    }
    let Some((index, refreshed)) = open_exclusively(context)? else { return Ok(None) };
    Ok(Some((question(&index)?, refreshed)))
}

/// Whether there is an index.
pub(crate) fn exists(context: &Context) -> bool {
    let there = |data: DataDir| Index::open_to_read(context.store.config_dir(), &data).ok().flatten();
    context.data_dir().ok().and_then(there).is_some()
}

/// An answer that holds, and what it came from.
struct UnchangedAnswer<T> {
    answer: T,
    index: Index,
    known: StoreSnapshot,
}

/// Queries the index as it is. The program ends after the answer: the system frees memory faster than we do. Without an answer
/// the index is closed, since it is about to be changed.
fn query_and_exit<T>(context: &Context, question: impl FnOnce(&Index) -> Result<T, IndexError>) -> Option<T> {
    let UnchangedAnswer { answer, index, known } = query_unchanged(context, None, question)?;
    std::mem::forget((index, known));
    Some(answer)
}

/// Queries the index as it is; `None` if it is missing or out of date, or if the query fails.
fn query_unchanged<T>(
    context: &Context,
    idle: Option<IdleIndex>,
    question: impl FnOnce(&Index) -> Result<T, IndexError>,
) -> Option<UnchangedAnswer<T>> {
    let data = context.data_dir().ok()?;
    let store: &Store = &context.store;
    let (folder, now) = (vault_index(&data), context.source.now());
    let config = store.config_dir();
    let (known, scan, digest) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
    let prices = &context.prices;
    let price_digest = || PriceDigest::of(prices);
    let resumed = idle.and_then(|IdleIndex { index, known }| Some((index.resumed()?, known)));
    let resumed = resumed.map(|(index, before)| {
        // Else another process has brought it up to date since.
        if index.matches_snapshot(&before).is_ok_and(|is| is) {
            let _ = known.set(before);
        }
        index
    });
    let (index, answer, is_priced) = thread::scope(|scope| {
        parallel::spawn(scope, || {
            digest.get_or_init(price_digest);
            let known = known.get_or_init(|| Index::snapshot_of(config, &data));
            scan.get_or_init(|| store.scan(known, &[folder], now)).run();
        });
        let index = resumed.or_else(|| Index::open_to_read(config, &data).ok().flatten());
        let answer = index.as_ref().and_then(|index| question(index).ok());
        let digest = digest.get_or_init(price_digest);
        let is_priced = index.as_ref().and_then(|index| index.is_priced_by(digest).ok());
        // The thread that is done first helps the other.
        if let Some(scan) = scan.get() {
            scan.run();
        }
        (index, answer, is_priced)
    });
    let diff = scan.into_inner()?.diff();
    let index = index.filter(|_| diff.changes == StoreChanges::Nothing && is_priced == Some(true))?;
    let known = known.into_inner().filter(|known| index.matches_snapshot(known).is_ok_and(|is| is))?;
    let answer = answer?;
    if diff.settled_folders(&known) >= MIN_SETTLED {
        save_snapshot(&known, &diff, config, &data);
    }
    Some(UnchangedAnswer { answer, index, known })
}

/// Saves a snapshot in which nothing but the age of folders has changed. If that fails, the next query lists them again.
fn save_snapshot(known: &StoreSnapshot, diff: &ScanDiff, config: &ConfigDir, data: &DataDir) {
    if let Ok((mut index, OpenOutcome::Existing)) = Index::open(config, data)
        && index.matches_snapshot(known).is_ok_and(|is| is)
    {
        let _ = index.save_snapshot(&known.updated(diff));
    }
}

/// The index of the vault: deleted sessions that are archived are in our index too.
fn vault_index(data: &DataDir) -> PathBuf {
    data.vault().join("index")
}

/// Opens the index and brings it up to date with the store. If another annals keeps doing that, the index is opened as it is,
/// for reading only.
pub(crate) fn open(context: &Context) -> Result<(Index, RefreshReport), Fault> {
    if let Some(opened) = open_exclusively(context)? {
        return Ok(opened);
    }
    context.note_stale("another annals is updating the index; results may be incomplete");
    match Index::open_to_read(context.store.config_dir(), &context.data_dir()?)? {
        Some(index) => Ok((index, RefreshReport::default())),
        None => Err(Fault::system("another annals has locked the index for seconds without building it")
            .hint("stop it, and try again")),
    }
}

/// Opens the index and brings it up to date; waits for another process that does. `None` if that takes too long.
fn open_exclusively(context: &Context) -> Result<Option<(Index, RefreshReport)>, Fault> {
    let data = context.data_dir()?;
    let mut wait = IndexWait::new(context.store.config_dir(), &data);
    loop {
        match open_to_change(context, &data) {
            Err(error) if error.is_busy() => {
                if !wait.goes_on() {
                    return Ok(None);
                }
            }
            opened => return Ok(Some(opened?)),
        }
    }
}

/// How long to wait for another annals that updates the index: two seconds, since what the index has is a good answer. An
/// index that is being built for the first time has no answer yet, so we wait as long as it grows; on a busy machine it
/// may not for some seconds.
struct IndexWait<'c> {
    config: &'c ConfigDir,
    data: &'c DataDir,
    deadline: Instant,
    size: u64,
    /// How many waits in a row ended without growth.
    stalls: u32,
}

impl<'c> IndexWait<'c> {
    const MAX_WAIT: Duration = Duration::from_secs(2);
    const MAX_STALLS: u32 = 5;
    const RETRY_DELAY: Duration = Duration::from_millis(20);

    fn new(config: &'c ConfigDir, data: &'c DataDir) -> Self {
        let (deadline, size) = (Instant::now() + Self::MAX_WAIT, Index::size_of(config, data));
        Self { config, data, deadline, size, stalls: 0 }
    }

    /// Waits a moment; false if it was long enough.
    fn goes_on(&mut self) -> bool {
        if Instant::now() >= self.deadline {
            let size = Index::size_of(self.config, self.data);
            self.stalls = if size == self.size { self.stalls + 1 } else { 0 };
            if Index::was_completed(self.config, self.data) || self.stalls >= Self::MAX_STALLS {
                return false;
            }
            (self.deadline, self.size) = (Instant::now() + Self::MAX_WAIT, size);
        }
        thread::sleep(Self::RETRY_DELAY);
        true
    }
}

/// Opens the index for changes, and brings it up to date with the store.
pub(crate) fn open_to_change(
    context: &Context,
    data: &DataDir,
) -> Result<(Index, RefreshReport), IndexError> {
    match try_open(context, data) {
        // Damage found later: the index is a cache, so it is deleted and rebuilt.
        Err(error) if error.is_damage() => {
            context.say("the index is damaged; rebuilding it");
            Index::remove(context.store.config_dir(), data)?;
            try_open(context, data)
        }
        // Another annals did that.
        Err(IndexError::Replaced { .. }) => try_open(context, data),
        opened => opened,
    }
}

pub(crate) fn remove(context: &Context) -> Result<(), Fault> {
    Ok(Index::remove(context.store.config_dir(), &context.data_dir()?)?)
}

fn try_open(context: &Context, data: &DataDir) -> Result<(Index, RefreshReport), IndexError> {
    let (mut index, opened) = Index::open(context.store.config_dir(), data)?;
    match opened {
        OpenOutcome::Damaged => context.say("the index is damaged; rebuilding it"),
        OpenOutcome::OtherFormat => context.say("another release wrote the index; rebuilding it"),
        OpenOutcome::Existing | OpenOutcome::New => {}
    }
    let refreshed = refresh(&mut index, context, data)?;
    Ok((index, refreshed))
}

/// Adds sessions that the client has deleted and the vault has.
fn index_deleted(index: &mut Index, context: &Context, data: &DataDir) -> Result<(), IndexError> {
    let mut unknown = Vec::new();
    for version in vault::deleted_versions(context) {
        if !index.knows(&version.file)? {
            unknown.push(version);
        }
    }
    if let Some(folder) = vault::unpack_all(&unknown, context) {
        index.add_gone(&Store::open(folder.path()).discover(), data, &context.prices)?;
    }
    Ok(())
}

/// Brings an open index up to date: reads nothing, the files that grew, or the whole store.
fn refresh(index: &mut Index, context: &Context, data: &DataDir) -> Result<RefreshReport, IndexError> {
    let mut known = Index::snapshot_of(context.store.config_dir(), data);
    if !index.matches_snapshot(&known)? {
        known = StoreSnapshot::default();
    }
    let diff = context.store.rescan(&known, &[vault_index(data)], context.source.now());
    let (mut bar, mut done) = (None, 0);
    let progress = |progress: RefreshProgress| {
        let bar = bar.get_or_insert_with(|| context.progress("indexing", Some(progress.total)));
        bar.advance(progress.done - done, words::bytes);
        done = progress.done;
        ControlFlow::Continue(())
    };
    let refreshed = match &diff.changes {
        StoreChanges::Nothing if index.is_priced_by(&PriceDigest::of(&context.prices))? => {
            return Ok(RefreshReport::default());
        }
        StoreChanges::Nothing => index.refresh_files(&[], data, &context.prices, progress)?,
        StoreChanges::Files(files) => index.refresh_files(files, data, &context.prices, progress)?,
        StoreChanges::More => {
            let refreshed = index.refresh(&context.discover(), data, &context.prices, progress)?;
            index_deleted(index, context, data)?;
            refreshed
        }
    };
    context.note_unread(refreshed.missing());
    // What could not be read is tried and reported again.
    if refreshed.missing().next().is_none() {
        index.save_snapshot(&known.updated(&diff))?;
    }
    Ok(refreshed)
}
