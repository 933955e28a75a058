//! What agents ask about the past: passages of a conversation in their order, calls about a file, open todos, plans, the last
//! sessions of a project.

mod compactions;
mod file_calls;
mod open_items;
mod passage;
mod passages;
mod projects;

pub use file_calls::{FileCall, FileCallKind};
pub use open_items::{OpenTodo, PlanFile};
pub use passage::Passage;
pub use passages::{ConversationFile, PassageStart};
pub use projects::{ProjectSlugs, RecentSession};
