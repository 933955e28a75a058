//! Tokens, right to the token: what each response used, once over the whole store.
//!
//! From the bottom up: [`Usage`] is what a line says, [`Tokens`] what that means, [`ResponseUsage`] one response of a
//! file, [`Ledger`] the responses of many files with each counted once, [`UsageItem`] what a report is made of (sums by
//! file, thread, model and quarter of an hour, from the files or from an index), [`Report`] their sums by any key. What
//! tokens cost is the business of [`price`](crate::price).

mod block;
mod candidate;
mod carry;
mod collect;
mod item;
mod key;
mod ledger;
mod month;
mod noted;
mod period;
mod report;
mod response;
mod tokens;
mod trail;
mod view;

pub use block::{BLOCK_MILLIS, BillingBlock, Burn, blocks};
pub use candidate::{UsageLines, candidate_lines, responses_of_bytes};
pub use carry::{KeepAll, ToolFilter, ToolReport, ToolUsage, tool_report};
pub use collect::{UsageCollector, responses_usage};
pub use item::{Certainty, QUARTER_MILLIS, Thread, UsageItem, UsageSource, items};
pub use key::ResponseKey;
pub use ledger::{FileIndex, Ledger, LedgerEntry};
pub use month::{Projection, project_month};
pub use noted::{NotedCost, last_noted_cost};
pub use period::Period;
pub use report::{NO_MODEL, Report, UsageRow, group, group_items};
pub use response::{Aside, AsideKind, Charge, Reading, ResponseUsage, ServiceTier, Speed};
pub use tokens::Tokens;
pub use trail::{IMAGE_TOKENS, NO_TOOL, ToolTrail};
pub use view::{CacheCreation, ServerTools, Usage};
