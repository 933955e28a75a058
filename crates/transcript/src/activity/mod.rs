//! What people and tools did: turns, calls, files, days. What it cost is the business of [`usage`](crate::usage).
//!
//! [`FileActivity`] is what one file has to say, owned and small; [`Activity`] is the sum over many files, in which a turn or a
//! call that forks have copied counts once.

mod context;
mod file;
mod quantile;
mod streak;
mod sum;

pub use context::{ContextGrowth, context_growth};
pub use file::FileActivity;
pub use quantile::Quantiles;
pub use streak::{Streaks, streaks};
pub use sum::{Activity, Clock, FileTouches, ToolActivity};
