//! Removes copies of a team's sessions while nobody asks for them: what was forgotten, and what nobody has looked at for long.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::Duration;

use annals_team::Engine;
use annals_team::query::machines_of_sessions;

use super::copies::SessionCopies;

/// How often the engine is asked. One question for each tenant, however many readers there are.
const INTERVAL: Duration = Duration::from_secs(5);

/// Copies of a reader that is there.
type SharedCopies = Arc<Mutex<SessionCopies>>;

struct ReaderCopies {
    /// For the reader's tenant. It is not limited to what the reader may read: only what is there counts.
    engine: Engine,
    copies: Weak<Mutex<SessionCopies>>,
}

/// Looks after the copies of all readers until it is dropped.
pub(super) struct CopyCleaner {
    readers: Arc<Mutex<Vec<ReaderCopies>>>,
}

impl CopyCleaner {
    pub(super) fn start() -> Self {
        let readers: Arc<Mutex<Vec<ReaderCopies>>> = Arc::default();
        let known = Arc::downgrade(&readers);
        thread::spawn(move || {
            while let Some(readers) = known.upgrade() {
                clean(&readers);
                drop(readers);
                thread::sleep(INTERVAL);
            }
        });
        Self { readers }
    }

    pub(super) fn add(&self, engine: Engine, copies: &Arc<Mutex<SessionCopies>>) {
        let readers = self.readers.lock();
        let copies = Arc::downgrade(copies);
        readers.unwrap_or_else(PoisonError::into_inner).push(ReaderCopies { engine, copies });
    }
}

/// The copies, unless their reader is waiting for one at the moment: then they have their turn next time.
fn lock(copies: &Mutex<SessionCopies>) -> Option<MutexGuard<'_, SessionCopies>> {
    match copies.try_lock() {
        Ok(copies) => Some(copies),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn clean(readers: &Mutex<Vec<ReaderCopies>>) {
    let mut tenants: HashMap<String, (Engine, Vec<SharedCopies>)> = HashMap::new();
    {
        let mut readers = readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.retain(|reader| reader.copies.strong_count() > 0);
        for reader in readers.iter() {
            let tenant = tenants.entry(reader.engine.tenant().to_owned());
            let (_, copies) = tenant.or_insert_with(|| (reader.engine.clone(), Vec::new()));
            copies.extend(reader.copies.upgrade());
        }
    }
    for (engine, readers) in tenants.into_values() {
        let mut asked: HashSet<String> = HashSet::new();
        for mut copies in readers.iter().filter_map(|copies| lock(copies)) {
            copies.remove_excess(None);
            asked.extend(copies.sessions().cloned());
        }
        if asked.is_empty() {
            continue;
        }
        // While the engine does not answer nobody can be shown a copy for longer than before, and it is asked again soon.
        let Ok(there) = machines_of_sessions(&engine, &asked) else { continue };
        for mut copies in readers.iter().filter_map(|copies| lock(copies)) {
            copies.remove_forgotten(&asked, &there);
        }
    }
}
