//! Exact token usage: each response counted once over the whole store.
//!
//! From the bottom up: [`Usage`] is the view of `message.usage`, [`Tokens`] its counts, [`ResponseUsage`] one response of a
//! file, [`UsageLedger`] the responses of many files, [`UsageItem`] sums by file, thread, model and quarter of an hour, and
//! [`Report`] their sums by any key. Prices are in [`price`](crate::price).

mod block;
mod client_cost;
mod collect;
mod item;
mod key;
mod ledger;
mod line_finder;
mod month;
mod period;
mod report;
mod response;
mod tokens;
mod tool_cost;
mod tool_timeline;
mod view;

pub use block::{BLOCK_MILLIS, BillingBlock, BurnRate, blocks};
pub use client_cost::{ClientCost, CostSearch, client_cost};
pub use collect::{UsageCollector, responses_usage};
pub use item::{Certainty, QUARTER_MILLIS, Thread, UsageItem, UsageSource, items};
pub use key::ResponseKey;
pub use ledger::{FileIndex, LedgerEntry, UsageLedger};
pub use line_finder::{UsageLineFinder, UsageLines, candidate_lines, responses_of_bytes};
pub use month::{MonthProjection, project_month};
pub use period::Period;
pub use report::{NO_MODEL, Report, UsageRow, group, group_items};
pub use response::{Charge, ResponseUsage, ServiceTier, SideCall, SideCallKind, Speed, UsageReading};
pub use tokens::Tokens;
pub use tool_cost::{KeepAll, ToolFilter, ToolReport, ToolUsage, tool_report};
pub use tool_timeline::{IMAGE_TOKENS, NO_TOOL, ToolTimeline};
pub use view::{CacheCreation, ServerTools, Usage};
