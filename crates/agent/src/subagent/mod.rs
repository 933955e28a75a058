//! Sub-agents: a call of the tool `Agent` is a conversation of its own, with its own file, context, tools and instructions,
//! of which its parent gets one text.
//!
//! | module | owns |
//! |---|---|
//! | `kind` | types of sub-agents: those that are always there, and what one is made of |
//! | `files` | types that people write down, in `agents/*.md` |
//! | `spawn` | one of them at work, from its first line to its answer |
//!
//! A sub-agent is an [`Agent`](crate::turn::Agent) like its parent. What it may do, the mode and who is asked are its parent's
//! at that moment; what happens in it is told to its parent, and what a person says to its parent reaches it by the
//! [relay](crate::relay).

mod files;
mod kind;
mod spawn;

pub use files::{KindError, read_kinds};
pub use kind::{Kind, Toolset, built_in};
pub use spawn::{Household, Nursery};
