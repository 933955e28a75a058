//! The Messages API without a model: a small HTTP server on loopback that answers from a script and refuses what the real
//! API refuses, in the same words and the same shape.
//!
//! Whoever tests a client starts [`ScriptedApi`], points the client at [`ScriptedApi::url`], and looks at
//! [`ScriptedApi::requests`]. `annals mock-api` is the same for clients that run elsewhere. Scripts are data: see [`Script`].
//! It listens on 127.0.0.1 and nowhere else, and connects to nobody.

mod answer;
mod base64;
pub mod http;
mod message;
mod play;
mod record;
mod script;
mod server;
mod sign;
mod sse;
mod validate;

pub use record::Captured;
pub use script::{Script, ScriptError};
pub use server::{ScriptedApi, Settings, Standing, StartError};
pub use sign::{redacted, signature};
pub use validate::{Rule, Violation, validate, validate_count};
