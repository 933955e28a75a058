//! Reads whole files, and caches a brief of each until it changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use annals_store::read::ReadError;
use annals_store::usage::{FileUsage, StoreUsage, UsageFile};
use annals_store::{ConfigDir, DataDir};
use annals_transcript::pack::{Pack, packed, unpacked};

use crate::cursor::FileStamp;
use crate::summary_cache::{FileSummary, SummaryCache, SummaryKind};

/// The caches of several stores.
#[derive(Debug)]
pub struct SummaryCaches<'d> {
    configs: Vec<ConfigDir>,
    data: Option<&'d DataDir>,
    /// One for each store; none without a data folder.
    caches: Vec<SummaryCache>,
}

impl<'d> SummaryCaches<'d> {
    /// The caches of these stores; without a data folder nothing is cached.
    pub fn of(configs: Vec<ConfigDir>, data: Option<&'d DataDir>, kind: SummaryKind) -> Self {
        let caches =
            data.iter().flat_map(|data| configs.iter().map(|config| SummaryCache::of(config, data, kind)));
        let caches = caches.collect();
        Self { configs, data, caches }
    }

    /// Reads the files with `each`; for an unchanged file, the cached brief is used.
    pub fn read<T: Pack + Default + Send>(
        &self,
        files: &[UsageFile],
        now: i64,
        advance: impl Fn(u64) + Sync,
        each: impl Fn(&UsageFile) -> Result<(FileUsage, T), ReadError> + Sync,
    ) -> (StoreUsage, Vec<T>) {
        let made = Mutex::new(Vec::new());
        let read = StoreUsage::read_with(files, advance, |file| {
            let Some((at, name)) = self.place(file).filter(|_| !self.caches.is_empty()) else {
                return each(file);
            };
            // Before it is read, so that a change meanwhile is noticed the next time.
            let stamp = fs::metadata(&file.entry.path).ok().map(|metadata| FileStamp::at(&metadata));
            let kept = stamp.as_ref().and_then(|stamp| self.caches[at].get(&name, stamp));
            if let Some(brief) = kept.and_then(unpacked::<(FileUsage, T)>) {
                return Ok(brief);
            }
            let read = each(file)?;
            if let Some(stamp) = stamp {
                let brief = FileSummary { file: name, stamp, content: packed(&read) };
                made.lock().unwrap_or_else(PoisonError::into_inner).push((at, brief));
            }
            Ok(read)
        });
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (at, (cache, data)) in self.caches.iter().zip(self.data.iter().cycle()).enumerate() {
            let of_store: Vec<_> = made.extract_if(.., |(of, _)| *of == at).map(|(_, brief)| brief).collect();
            let there = files.iter().filter_map(|file| self.place(file)).filter(|(of, _)| *of == at);
            // The answer is the same without the cache.
            let _ = cache.keep(&of_store, &there.map(|(_, name)| name).collect::<Vec<_>>(), data, now);
        }
        read
    }

    /// The store of a file, and its name there.
    fn place(&self, file: &UsageFile) -> Option<(usize, PathBuf)> {
        let inside =
            |config: &ConfigDir| file.entry.path.strip_prefix(config.path()).ok().map(Path::to_path_buf);
        self.configs.iter().enumerate().find_map(|(at, config)| Some((at, inside(config)?)))
    }
}
