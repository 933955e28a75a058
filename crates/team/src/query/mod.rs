//! Questions to the engine.

mod check;
mod files;
mod machines;
mod projects;
mod scope;
mod search;
mod session_facts;
mod usage;

pub use check::{CheckReport, Gap, check};
pub use files::{FileChoice, FileContent, TeamFile, fetch, files, sessions_titled};
pub use machines::{Machine, Owner, assign, machines, owners};
pub use scope::Scope;
pub use search::{TeamResults, search};
pub use session_facts::{SessionFacts, facts_of_sessions, session_facts};
pub use usage::{TeamUsage, usage};
