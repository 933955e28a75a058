//! Reading whole files, each once: what was made of it is kept until it changes.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use annals_index::cursor::Look;
use annals_index::{Brief, BriefKind, Briefs};
use annals_store::read::ReadError;
use annals_store::source::Clock as _;
use annals_store::usage::{FileUsage, StoreUsage, UsageFile};
use annals_transcript::pack::{Pack, packed, unpacked};

use super::account::{Origin, reading};
use crate::context::Context;

/// Reads the files in the caller's way, `each`; where a file is as it was the last time, what was made of it then is taken.
pub(crate) fn read<T: Pack + Default + Send>(
    origin: Origin,
    kind: BriefKind,
    files: &[UsageFile],
    context: &Context,
    each: impl Fn(&UsageFile) -> Result<(FileUsage, T), ReadError> + Sync,
) -> (StoreUsage, Vec<T>) {
    let config = context.store.config_dir();
    let data = context.data_dir().ok().filter(|_| origin == Origin::Index);
    let briefs = data.as_ref().map(|data| Briefs::of(config, data, kind));
    let name = |file: &UsageFile| file.entry.path.strip_prefix(config.path()).ok().map(Path::to_path_buf);
    let made = Mutex::new(Vec::new());
    let read = reading(files, context, |advance| {
        StoreUsage::read_with(files, advance, |file| {
            let Some((briefs, name)) = briefs.as_ref().zip(name(file)) else { return each(file) };
            // Before it is read: what comes meanwhile is noticed the next time.
            let look = fs::metadata(&file.entry.path).ok().map(|metadata| Look::at(&metadata));
            let kept = look.as_ref().and_then(|look| briefs.get(&name, look));
            if let Some(brief) = kept.and_then(unpacked::<(FileUsage, T)>) {
                return Ok(brief);
            }
            let read = each(file)?;
            if let Some(look) = look {
                let brief = Brief { file: name, look, content: packed(&read) };
                made.lock().unwrap_or_else(PoisonError::into_inner).push(brief);
            }
            Ok(read)
        })
    });
    if let Some((data, briefs)) = data.zip(briefs) {
        let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        let there: Vec<_> = files.iter().filter_map(name).collect();
        // The answer is the same without.
        let _ = briefs.keep(&made, &there, &data, context.source.now());
    }
    read
}
