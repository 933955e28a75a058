//! Decides what a tool call may do, by permission rules, modes, paths and trust, and explains the decision. It runs nothing.

pub mod approvals;
pub mod call;
pub mod confine;
pub mod decide;
pub mod decision;
pub mod mode;
pub mod paths;
mod read_only;
pub mod rules;
pub mod screen;
pub mod secret;
pub mod server_lists;
pub mod settings;
pub mod shell;
pub mod trust;

pub use call::{Call, EditTool, ReadTool};
pub use decide::Policy;
pub use decision::{Decision, Reason};
pub use mode::Mode;
pub use read_only::only_reads;
pub use settings::Settings;
pub use trust::{Trust, TrustFile};
