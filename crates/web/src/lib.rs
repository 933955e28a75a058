//! Sessions in a browser: the server, its pages and its live updates.
//!
//! Transcripts are hostile input and loopback is not private, so every request passes `guard` before a page sees it: the name
//! and the origin that it was sent to, then the token of this start. Pages are HTML made here, with scripts and styles that are
//! compiled in; a session is found by its id in the listing of the store, never by a path. Nothing is printed and no
//! environment is read: addresses, clocks and paths are passed in. A [`Service`] answers programs instead of people, within the
//! same limits, and can show pages to several readers, each with a token of their own.

mod assets;
mod body;
mod guard;
mod library;
mod pages;
mod readers;
mod router;
mod server;
mod service;
mod theme;
mod tls;

pub use guard::{AccessToken, Password};
pub use library::{
    Library, RemoteError, RemoteFiles, RemoteListing, RemoteSession, RemoteSessions, RemoteUsage, ToolCount,
};
pub use readers::{Reader, ReaderAccess, ReaderPages, ReaderRefusal};
pub use server::{Exposure, ServeError, Server, ServerConfig, ServerLimits};
pub use service::{BodyHandler, Service, ServiceConfig, ServiceHead, ServiceReply, ServiceServer};
pub use theme::Theme;
pub use tls::{TlsError, TlsFiles};
