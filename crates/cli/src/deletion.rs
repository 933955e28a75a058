//! Warns before the client deletes sessions. It deletes files that were not written for a number of days when it starts.

use std::collections::HashMap;
use std::path::PathBuf;

use annals_json::{BYTE_ORDER_MARK, Value};
use annals_store::read::read_below;
use annals_store::source::Clock as _;
use annals_store::{Discovery, SessionEntry};

use crate::context::Context;
use crate::short_ids::shell_word;
use crate::{vault, words};

/// How long the client keeps sessions unless `cleanupPeriodDays` in its settings.json says otherwise.
const DEFAULT_DAYS: i64 = 30;

/// How long before the deletion is warned.
const WARNING_DAYS: i64 = 7;

const DAY_MILLIS: i64 = 24 * 3_600_000;

/// What the client deletes soon from each store, by the settings of that store.
pub(crate) struct Deletions {
    stores: Vec<StoreDeletions>,
}

/// The sessions of a store that the client deletes soon, and that the vault does not have as they are.
struct StoreDeletions {
    /// The folder of the store, if there are several.
    store: Option<String>,
    /// How many days the client keeps sessions.
    days: i64,
    /// How many sessions are not archived and go within the warning period.
    sessions: usize,
    /// How many of them are older already: they go when the client starts.
    overdue: usize,
}

impl Deletions {
    /// Looks at the sessions of all stores.
    pub(crate) fn of(discovery: &Discovery, context: &Context) -> Self {
        Self { stores: context.each_store(|context| StoreDeletions::of(discovery, context)) }
    }

    /// How many days the client keeps sessions; of several stores, the shortest time.
    pub(crate) fn days(&self) -> i64 {
        self.stores.iter().map(|store| store.days).min().unwrap_or(DEFAULT_DAYS)
    }

    /// How many sessions are not archived and go within the warning period.
    pub(crate) fn sessions(&self) -> usize {
        self.stores.iter().map(|store| store.sessions).sum()
    }

    /// How many of them are older already: they go when the client starts.
    pub(crate) fn overdue(&self) -> usize {
        self.stores.iter().map(|store| store.overdue).sum()
    }

    /// A warning for each store that loses something soon.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.stores.iter().filter_map(StoreDeletions::warning)
    }
}

impl StoreDeletions {
    /// Looks at the sessions of the store in use.
    fn of(discovery: &Discovery, context: &Context) -> Self {
        let days = period(context);
        let now = context.source.now();
        let age_of = |session: &SessionEntry| session.modified.map(|written| now.saturating_sub(written));
        let is_older = |session: &SessionEntry, days: i64| {
            age_of(session).is_some_and(|age| age >= days.saturating_mul(DAY_MILLIS))
        };
        let near: Vec<_> = discovery
            .sessions
            .iter()
            .filter(|session| {
                context.store.is_in_use_for(&session.path)
                    && session.bytes > 0
                    && is_older(session, days.saturating_sub(WARNING_DAYS).max(0))
            })
            .collect();
        // The vault is opened only if there is something to look for.
        let archived = if near.is_empty() { HashMap::new() } else { archived(context) };
        let is_archived = |session: &SessionEntry| {
            let path = session.path.canonicalize().unwrap_or_else(|_| session.path.clone());
            archived.get(&path) == Some(&(session.bytes, session.modified))
        };
        let lost: Vec<_> = near.into_iter().filter(|session| !is_archived(session)).collect();
        let overdue = lost.iter().filter(|session| is_older(session, days)).count();
        let store = context.store.config_dir().path().display().to_string();
        let store = Some(store).filter(|_| context.store.are_several());
        Self { store, days, sessions: lost.len(), overdue }
    }

    /// The warning; `None` if nothing is lost soon.
    fn warning(&self) -> Option<String> {
        if self.sessions == 0 {
            return None;
        }
        let sessions = words::plural(self.sessions as u64, "session", "sessions");
        let (is, them) = if self.sessions == 1 { ("is", "it") } else { ("are", "them") };
        let when = match self.overdue {
            0 => format!("within {WARNING_DAYS} days"),
            all if all == self.sessions => "when it starts".to_owned(),
            some => {
                format!("within {WARNING_DAYS} days, {} of them when it starts", words::count(some as u64))
            }
        };
        let days = words::plural(u64::try_from(self.days).unwrap_or(0), "day", "days");
        let store = self.store.as_ref().map(|store| format!(" --config-dir {}", shell_word(store)));
        Some(format!(
            "{sessions} {is} not archived, and Claude Code deletes {them} {when} ({days} after the last write): \
             annals archive --all{}",
            store.unwrap_or_default()
        ))
    }
}

/// `cleanupPeriodDays` of the store's settings.
fn period(context: &Context) -> i64 {
    let read = || {
        let config = context.store.config_dir().path();
        let bytes = read_below(config, &config.join("settings.json")).ok()?;
        let body = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
        let days = Value::parse(body).ok()?.get("cleanupPeriodDays")?;
        std::str::from_utf8(days.raw()).ok()?.parse::<f64>().ok().filter(|days| *days >= 0.0)
    };
    read().map_or(DEFAULT_DAYS, |days| days.min(1e6) as i64)
}

/// Size and time of each session when it was last archived.
fn archived(context: &Context) -> HashMap<PathBuf, (u64, Option<i64>)> {
    let catalogue = vault::open(context).and_then(|vault| vault.catalogue().ok());
    let newest = catalogue.iter().flat_map(|catalogue| catalogue.newest().into_values());
    let copies = newest.filter_map(|version| {
        let copy = version.main()?;
        Some((version.path(), (copy.bytes(), Some(copy.modified.div_euclid(1_000_000)))))
    });
    copies.collect()
}
