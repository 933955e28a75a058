//! Questions to the engine.

mod agents;
mod audit;
mod check;
mod files;
mod forget;
mod machines;
mod moves;
mod newest;
mod outputs;
mod projects;
mod retention;
mod scope;
mod search;
mod session_facts;
mod tokens;
mod tool_calls;
mod usage;

pub use agents::agents_without_file;
pub(crate) use audit::AuditEntry;
pub use audit::{AuditRow, audit};
pub use check::{CheckReport, Gap, check};
pub use files::{FileChoice, FileContent, TeamFile, fetch, files, machines_of_sessions, sessions_titled};
pub use forget::{ForgetCount, ForgottenSubjects, Subject, count, forget};
pub(crate) use forget::{notes, remove_again};
pub use machines::{Machine, Owner, assign, machines, machines_assigned, owners};
pub use newest::{NewestSession, newest_sessions};
pub use outputs::collected_outputs;
pub use retention::{retention, retention_statements, set_retention};
pub use scope::Scope;
pub use search::{TeamResults, search};
pub use session_facts::{SessionFacts, facts_of_sessions, session_facts};
pub use tokens::{ReadRight, TeamToken, TokenKind, TokenOwner, add_token, revoke_token, token_owner, tokens};
pub use tool_calls::{ToolCalls, tool_calls};
pub use usage::{TeamUsage, usage, usage_of_sessions};
