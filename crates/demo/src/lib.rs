//! A session store that looks like months of work by a few people, made up on the spot.
//!
//! Pure: the same [`Plan`] gives the same bytes on every machine; no files, no clock, no environment. Files are handed
//! to a sink one by one. The [`Tally`] says what the store contains, so that a reader can be tested against it.
//!
//! ```
//! let mut paths = Vec::new();
//! let tally = annals_demo::generate::<()>(&annals_demo::Plan::default(), &mut |file| {
//!     paths.push(file.path);
//!     Ok(())
//! })
//! .unwrap();
//! assert_eq!(tally.files, paths.len() as u64);
//! ```

mod backups;
mod bundle;
mod clock;
mod delegate;
mod digest;
mod era;
mod generator;
mod id;
mod image;
mod json;
mod notices;
mod ordinary;
mod plan;
mod random;
mod response;
mod scene;
mod side;
mod slug;
mod text;
mod tools;
mod transcript;
mod turn;
mod words;

pub use plan::{DemoFile, Plan, Tally, Tokens, Truth};

use bundle::{Bundle, IndexEntry};
use random::Random;

/// Makes the store of `plan` and hands it to `sink`, file by file; ends early with the sink's first error.
///
/// # Errors
///
/// The first error of `sink`.
pub fn generate<E>(plan: &Plan, sink: &mut dyn FnMut(DemoFile) -> Result<(), E>) -> Result<Tally, E> {
    let mut store = StoreWriter { sink, tally: Tally::default(), history: Vec::new(), entries: Vec::new() };
    let mut showcase = scene::Showcase::new(plan.seed);
    while let Some(bundle) = showcase.next() {
        store.play(bundle)?;
    }
    let mut random = Random::new(plan.seed ^ 0x6f72_6469_6e61_7279);
    let sessions = u64::from(plan.sessions.unwrap_or(0));
    let bytes = plan.bytes.unwrap_or(0);
    while store.tally.sessions < sessions || store.tally.bytes < bytes {
        store.play(ordinary::session(&mut random))?;
    }
    let closing = side::closing(plan.seed, &store.history, &store.entries);
    store.play(closing)?;
    Ok(store.tally)
}

struct StoreWriter<'s, E> {
    sink: &'s mut dyn FnMut(DemoFile) -> Result<(), E>,
    tally: Tally,
    history: Vec<u8>,
    entries: Vec<IndexEntry>,
}

impl<E> StoreWriter<'_, E> {
    fn play(&mut self, bundle: Bundle) -> Result<(), E> {
        self.tally.sessions += bundle.sessions;
        self.tally.sub_agents += bundle.sub_agents;
        self.tally.lines += bundle.lines;
        self.tally.truth += bundle.truth;
        self.tally.copied += bundle.copied;
        self.history.extend_from_slice(&bundle.history);
        self.entries.extend(bundle.entries);
        for file in bundle.files {
            self.tally.files += 1;
            self.tally.bytes += file.bytes.len() as u64;
            (self.sink)(file)?;
        }
        Ok(())
    }
}
