//! Questions to the engine.

mod agents;
mod check;
mod files;
mod forget;
mod machines;
mod moves;
mod projects;
mod retention;
mod scope;
mod search;
mod session_facts;
mod usage;

pub use agents::agents_without_file;
pub use check::{CheckReport, Gap, check};
pub use files::{FileChoice, FileContent, TeamFile, fetch, files, sessions_titled};
pub use forget::{ForgetCount, Forgotten, Subject, count, forget, machines_of};
pub use machines::{Machine, Owner, assign, machines, owners};
pub use retention::{retention, retention_statements, set_retention};
pub use scope::Scope;
pub use search::{TeamResults, search};
pub use session_facts::{SessionFacts, facts_of_sessions, session_facts};
pub use usage::{TeamUsage, usage};
