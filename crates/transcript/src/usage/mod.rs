//! Tokens, right to the token: what each response used, once over the whole store.
//!
//! From the bottom up: [`Usage`] is what a line says, [`Tokens`] what that means, [`ResponseUsage`] one response of a
//! file, [`Ledger`] the responses of many files with each counted once, [`Report`] their sums by any key. What tokens
//! cost is the business of [`price`](crate::price).

mod collect;
mod key;
mod ledger;
mod report;
mod response;
mod tokens;
mod view;

pub use collect::{UsageCollector, responses_usage};
pub use key::ResponseKey;
pub use ledger::{FileIndex, Ledger, LedgerEntry};
pub use report::{NO_MODEL, Report, UsageRow, group};
pub use response::{Aside, AsideKind, Charge, Reading, ResponseUsage, ServiceTier, Speed};
pub use tokens::Tokens;
pub use view::{CacheCreation, ServerTools, Usage};
