//! The Messages API for tests: a small HTTP server on loopback that answers from a script and refuses what the real API
//! refuses, in the same words and the same shape.
//!
//! A test starts [`ScriptedApi`], points a client at [`ScriptedApi::url`], and looks at [`ScriptedApi::requests`]. The
//! program `scripted-api` is the same server for clients that run elsewhere. Scripts are data: see [`Script`].

mod answer;
mod base64;
pub(crate) mod http;
mod message;
mod play;
mod record;
mod script;
mod server;
mod sign;
mod sse;
mod validate;

pub use record::Captured;
pub use script::Script;
pub use server::{ScriptedApi, Settings};
pub use sign::{redacted, signature};
pub use validate::{Rule, Violation, validate, validate_count};
