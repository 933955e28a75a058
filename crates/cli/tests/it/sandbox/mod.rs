//! Commands in the sandbox, with each of its means: what they must not be able to do, and what they must.

mod chat;
mod daily;
mod escapes;
mod hosts;
mod world;

use std::path::{Path, PathBuf};

use annals_sandbox::{Sandbox, SandboxMethod};
use annals_testkit::skipped;

/// The means that are tried.
fn methods() -> [SandboxMethod; 2] {
    [SandboxMethod::Bubblewrap(PathBuf::from("/usr/bin/bwrap")), SandboxMethod::Landlock]
}

/// The sandbox by these means, unless this machine does not offer them, which is said in one line.
fn sandbox(test: &str, method: &SandboxMethod) -> Option<Sandbox> {
    let found = Sandbox::try_out(method.clone(), Path::new(env!("CARGO_BIN_EXE_annals")));
    found.map_err(|why| skipped(test, &why.to_string())).ok()
}
