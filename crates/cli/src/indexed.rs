//! The index, up to date: what every command that asks it begins with.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;

use annals_index::refresh::{Progress, Refreshed};
use annals_index::{Index, IndexError, Opened};
use annals_store::source::Clock as _;
use annals_store::{Changes, DataDir, Sighting, Store};

use crate::context::Context;
use crate::error::Fault;
use crate::{vault, words};

/// Asks the index. The store is looked at while the answer is found: mostly nothing has changed, and it holds; else the index is
/// brought up to date and asked again.
pub(crate) fn ask<T>(
    context: &Context,
    mut question: impl FnMut(&Index) -> Result<T, IndexError>,
) -> Result<(T, Refreshed), Fault> {
    if let Some(answer) = at_once(context, &mut question) {
        return Ok((answer, Refreshed::default()));
    }
    let (index, refreshed) = open(context)?;
    Ok((question(&index)?, refreshed))
}

/// The same, of an index that is whole: `None` while somebody else is bringing it up to date.
pub(crate) fn ask_whole<T>(
    context: &Context,
    mut question: impl FnMut(&Index) -> Result<T, IndexError>,
) -> Result<Option<(T, Refreshed)>, Fault> {
    if let Some(answer) = at_once(context, &mut question) {
        return Ok(Some((answer, Refreshed::default())));
    }
    let Some((index, refreshed)) = open_alone(context)? else { return Ok(None) };
    Ok(Some((question(&index)?, refreshed)))
}

/// Whether there is an index that can be asked.
pub(crate) fn is_there(context: &Context) -> bool {
    let there = |data: DataDir| Index::open_to_read(context.store.config_dir(), &data).ok().flatten();
    context.data_dir().ok().and_then(there).is_some()
}

/// The answer of the index as it is; none where it is not there, not up to date, or has none.
fn at_once<T>(context: &Context, question: impl FnOnce(&Index) -> Result<T, IndexError>) -> Option<T> {
    let data = context.data_dir().ok()?;
    let (store, folder, now) = (&context.store, kept_versions(&data), context.source.now());
    let config = store.config_dir();
    let (known, look) = (OnceLock::new(), OnceLock::new());
    let (index, answer, is_priced) = thread::scope(|scope| {
        scope.spawn(|| {
            let known = known.get_or_init(|| Index::sighting_of(config, &data));
            look.get_or_init(|| store.look(known, &[folder], now)).take_part();
        });
        let index = Index::open_to_read(config, &data).ok().flatten();
        let answer = index.as_ref().and_then(|index| question(index).ok());
        let is_priced = index.as_ref().and_then(|index| index.is_priced_by(&context.prices).ok());
        // Whoever is done first helps.
        if let Some(look) = look.get() {
            look.take_part();
        }
        (index, answer, is_priced)
    });
    let changes = look.into_inner()?.seen().changes;
    let index = index.filter(|_| changes == Changes::Nothing && is_priced == Some(true))?;
    let answer = answer.filter(|_| known.get().is_some_and(|known| index.is_of(known).is_ok_and(|is| is)))?;
    // The program ends with the answer: the system is quicker to clear away what both of them hold. Where there is none, the
    // index is closed, since it is about to be changed.
    std::mem::forget((index, known));
    Some(answer)
}

/// Where the vault says what it has: what it kept of deleted sessions is in the index too.
fn kept_versions(data: &DataDir) -> PathBuf {
    data.vault().join("index")
}

/// Opens the index and brings it up to date with the store. While another annals does that, it is what it holds so far, to be
/// asked and not to be changed.
pub(crate) fn open(context: &Context) -> Result<(Index, Refreshed), Fault> {
    if let Some(opened) = open_alone(context)? {
        return Ok(opened);
    }
    context.say("another annals is bringing the index up to date; this is what it holds so far");
    match Index::open_to_read(context.store.config_dir(), &context.data_dir()?)? {
        Some(index) => Ok((index, Refreshed::default())),
        None => Err(Fault::conflict("another annals is making the index").hint("try again in a moment")),
    }
}

/// Opens the index and brings it up to date; `None` while somebody else does.
fn open_alone(context: &Context) -> Result<Option<(Index, Refreshed)>, Fault> {
    let data = context.data_dir()?;
    match open_to_change(context, &data) {
        Err(IndexError::Busy { .. }) => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

/// Opens the index and brings it up to date with the store; it can be changed.
pub(crate) fn open_to_change(context: &Context, data: &DataDir) -> Result<(Index, Refreshed), IndexError> {
    match try_open(context, data) {
        // Damage that only shows on the way: the index is a cache, so it goes, and is made anew.
        Err(error) if error.is_damage() => {
            context.say("the index was damaged; it is made anew");
            Index::remove(context.store.config_dir(), data)?;
            try_open(context, data)
        }
        // Another annals did that.
        Err(IndexError::Replaced { .. }) => try_open(context, data),
        opened => opened,
    }
}

/// Removes the index.
pub(crate) fn remove(context: &Context) -> Result<(), Fault> {
    Ok(Index::remove(context.store.config_dir(), &context.data_dir()?)?)
}

fn try_open(context: &Context, data: &DataDir) -> Result<(Index, Refreshed), IndexError> {
    let (mut index, opened) = Index::open(context.store.config_dir(), data)?;
    match opened {
        Opened::Damaged => context.say("the index was damaged; it is made anew"),
        Opened::OtherForm => context.say("the index is of another release; it is made anew"),
        Opened::AsLeft | Opened::New => {}
    }
    let refreshed = refresh(&mut index, context, data)?;
    Ok((index, refreshed))
}

/// Sessions that the client has deleted and the vault has kept are found too.
fn take_in_deleted(index: &mut Index, context: &Context, data: &DataDir) -> Result<(), IndexError> {
    let mut unknown = Vec::new();
    for version in vault::deleted_versions(context) {
        if !index.knows(&version.file)? {
            unknown.push(version);
        }
    }
    if let Some(bench) = vault::unpack_all(&unknown, context) {
        index.take_in_gone(&Store::open(bench.path()).discover(), data, &context.prices)?;
    }
    Ok(())
}

/// Brings an open index up to date, in the time that the change needs: nothing, the files that grew, or a look through everything.
fn refresh(index: &mut Index, context: &Context, data: &DataDir) -> Result<Refreshed, IndexError> {
    let mut known = Index::sighting_of(context.store.config_dir(), data);
    if !index.is_of(&known)? {
        known = Sighting::default();
    }
    let seen = context.store.look_again(&known, &[kept_versions(data)], context.source.now());
    let (mut bar, mut done) = (None, 0);
    let progress = |progress: Progress| {
        let bar = bar.get_or_insert_with(|| context.progress("indexing", Some(progress.total)));
        bar.advance(progress.done - done, words::bytes);
        done = progress.done;
        ControlFlow::Continue(())
    };
    let refreshed = match &seen.changes {
        Changes::Nothing if index.is_priced_by(&context.prices)? => return Ok(Refreshed::default()),
        Changes::Nothing => index.refresh_files(&[], data, &context.prices, progress)?,
        Changes::Files(files) => index.refresh_files(files, data, &context.prices, progress)?,
        Changes::More => {
            let refreshed = index.refresh(&context.store.discover(), data, &context.prices, progress)?;
            take_in_deleted(index, context, data)?;
            refreshed
        }
    };
    // What could not be read is tried, and told, again.
    if refreshed.unread.is_empty() {
        index.note_sighting(&known.updated(&seen))?;
    }
    Ok(refreshed)
}
