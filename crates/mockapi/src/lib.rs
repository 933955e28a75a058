//! The Messages API without a model: a small HTTP server on loopback that answers from a script and refuses what the real
//! API refuses, in the same words and the same shape.
//!
//! A test of a client starts [`ScriptedApi`], points the client at [`ScriptedApi::url`], and looks at
//! [`ScriptedApi::requests`]. `annals mock-api` is the same for clients that run elsewhere. Scripts are data: see [`Script`].
//! It listens on 127.0.0.1 only, and makes no connections.

mod answer;
pub mod http;
mod message;
mod platform;
mod play;
mod record;
mod script;
mod server;
mod sign;
mod sse;
mod validate;

pub use record::RecordedRequest;
pub use script::{Script, ScriptError};
pub use server::{ScriptedApi, ServerOptions, ServerStatus, StartError};
pub use sign::{redacted, signature};
pub use validate::{Rule, Violation, validate, validate_count};
