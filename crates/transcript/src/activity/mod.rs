//! Activity statistics: turns, tool calls, files, days. Tokens and cost are in [`usage`](crate::usage).
//!
//! [`FileActivity`] holds one file; [`Activity`] sums many files and counts a turn or call that forks have copied once.

mod context;
mod file;
mod quantile;
mod streak;
mod sum;

pub use context::{ContextGrowth, context_growth};
pub use file::FileActivity;
pub use quantile::Quantiles;
pub use streak::{Streaks, streaks};
pub use sum::{Activity, ActivityWindow, FileAccess, ToolActivity};
