//! Signing in to servers over HTTP, by OAuth: tokens are asked for by `sign_in`, kept by `tokens`, and sent by `bearer`.
//!
//! A person signs in with a command of their own; a conversation only sends and renews what is there.

mod bearer;
mod callback;
mod discovery;
mod exchange;
mod pkce;
mod sign_in;
mod tokens;

pub(super) use bearer::BearerSource;
pub use sign_in::{SignIn, SignInError};
pub use tokens::{StoredToken, TokenFile, TokenFileError};
