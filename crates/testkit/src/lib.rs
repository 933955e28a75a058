//! What the tests of annals share: hermetic homes, temporary folders, a session builder, a scripted API, the corpus and the
//! oracle.
//!
//! For tests only: other crates name it under `[dev-dependencies]`, and a tidy test holds them to it. Helpers here panic
//! with a plain message instead of returning errors, because a test cannot return them.

use std::path::{Path, PathBuf};

pub mod builder;
pub mod corpus;
pub mod depth;
pub mod engine;
pub mod home;
pub mod hostile;
pub mod mcp;
pub mod oauth;
pub mod oracle;
#[cfg(feature = "receiver")]
pub mod receiver;
pub mod seeds;
mod shared;
pub mod source;
pub mod spread;
pub mod temp;
#[cfg(unix)]
pub mod terminal;
pub mod tree;

pub use annals_mockapi as api;
pub use shared::skipped;

/// The folder that holds the workspace's `Cargo.toml`.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    match here.ancestors().nth(2) {
        Some(root) => root.to_path_buf(),
        None => panic!("{} is not two folders below the workspace root", here.display()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_root_holds_the_workspace() {
        let manifest = std::fs::read_to_string(super::workspace_root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }
}
