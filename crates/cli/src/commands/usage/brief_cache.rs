//! Reads whole files, and caches a brief of each until it changes.

use annals_index::{SummaryCaches, SummaryKind};
use annals_store::read::ReadError;
use annals_store::source::Clock as _;
use annals_store::usage::{FileUsage, StoreUsage, UsageFile};
use annals_transcript::pack::Pack;

use super::items::{UsageOrigin, reading};
use crate::context::Context;

/// Reads the files with `each`; for an unchanged file, the cached brief is used.
pub(crate) fn read<T: Pack + Default + Send>(
    origin: UsageOrigin,
    kind: SummaryKind,
    files: &[UsageFile],
    context: &Context,
    each: impl Fn(&UsageFile) -> Result<(FileUsage, T), ReadError> + Sync,
) -> (StoreUsage, Vec<T>) {
    let data = context.data_dir().ok().filter(|_| origin == UsageOrigin::Index);
    let configs = context.store.all().iter().map(|store| store.config_dir().clone()).collect();
    let caches = SummaryCaches::of(configs, data.as_ref(), kind);
    reading(files, context, |advance| caches.read(files, context.source.now(), advance, each))
}
