//! The Messages API: requests, response streams, retries.
//!
//! | module | owns |
//! |---|---|
//! | `sse` | bytes → server-sent events, wherever the bytes are split |
//! | `stream` | events → blocks, usage, stop reason |
//! | `usage`, `model` | token usage; properties of models |
//! | `request` | the body of a request, identical bytes for the same conversation |
//! | `failure`, `retry` | what went wrong; whether and when to retry (pure) |
//! | `transport`, `client` | the connection to the API; over HTTP |
//! | `call` | one logical request with its retries |
//!
//! It writes no records and runs no tools. Clock, jitter and all settings are passed in.

pub mod call;
pub mod client;
pub mod failure;
pub mod model;
pub mod request;
pub mod retry;
pub mod sse;
pub mod stream;
pub mod transport;
pub mod usage;
