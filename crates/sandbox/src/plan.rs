//! What a sandbox limits.

use std::fs;
use std::path::{Path, PathBuf};

/// What may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteScope {
    /// Whatever the user may write.
    Everywhere,
    /// What is in these folders, and these files.
    Only(Vec<PathBuf>),
}

/// What of the network is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkAccess {
    Open,
    /// Nothing.
    Closed,
    /// What a [`HostProxy`](crate::HostProxy) at this socket lets through.
    Proxy(PathBuf),
}

/// Whether sockets of the file system can be opened. Those who listen there act outside the sandbox: agents of keys, containers,
/// terminals, buses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketAccess {
    /// They can.
    Open,
    /// They cannot.
    Closed,
}

/// What a sandbox limits. Of two paths the deeper one counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxPlan {
    /// What may be written.
    pub writes: WriteScope,
    /// What is inside of that, and must not be changed.
    pub read_only: Vec<PathBuf>,
    /// What must not be read.
    pub hidden: Vec<PathBuf>,
    /// What is inside of that, and may be read.
    pub readable: Vec<PathBuf>,
    /// What must not come into being; see [`AbsenceWatch`](crate::AbsenceWatch).
    pub absent: Vec<PathBuf>,
    /// What of the network is reached.
    pub network: NetworkAccess,
    /// Whether sockets of the file system can be opened.
    pub sockets: SocketAccess,
}

/// What of a home holds keys of other machines.
const KEYS_OF_HOME: [&str; 2] = [".ssh", ".aws"];

impl SandboxPlan {
    /// A plan for commands: writes in these folders, no network, no sockets.
    pub fn for_commands(writable: Vec<PathBuf>) -> Self {
        Self {
            writes: WriteScope::Only(writable),
            read_only: Vec::new(),
            hidden: Vec::new(),
            readable: Vec::new(),
            absent: Vec::new(),
            network: NetworkAccess::Closed,
            sockets: SocketAccess::Closed,
        }
    }

    /// A plan for programs that the user configured, such as hooks and MCP servers: all is as usual, but for the keys in `~/.ssh`
    /// and `~/.aws`. The caller leaves API keys out of their environment.
    pub fn for_helpers(home: &Path) -> Self {
        Self {
            writes: WriteScope::Everywhere,
            hidden: KEYS_OF_HOME.iter().map(|name| home.join(name)).collect(),
            network: NetworkAccess::Open,
            sockets: SocketAccess::Open,
            ..Self::for_commands(Vec::new())
        }
    }

    /// The plan with real paths, without those that do not exist.
    pub(crate) fn to_real(&self) -> Self {
        let real = |paths: &[PathBuf]| {
            let mut real: Vec<PathBuf> =
                paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
            real.sort();
            real.dedup();
            real
        };
        Self {
            writes: match &self.writes {
                WriteScope::Everywhere => WriteScope::Everywhere,
                WriteScope::Only(paths) => WriteScope::Only(real(paths)),
            },
            read_only: real(&self.read_only),
            hidden: real(&self.hidden),
            readable: real(&self.readable),
            ..self.clone()
        }
    }

    /// The folders and files that may be written; none if that is not limited.
    pub(crate) fn writable(&self) -> &[PathBuf] {
        match &self.writes {
            WriteScope::Everywhere => &[],
            WriteScope::Only(paths) => paths,
        }
    }

    /// The first path that Landlock cannot limit: it is inside of a folder that may be written, all of which Landlock opens.
    pub(crate) fn inexpressible(&self) -> Option<PathBuf> {
        let real = self.to_real();
        let is_inside = |path: &&PathBuf| real.writable().iter().any(|root| path.starts_with(root));
        real.read_only.iter().chain(&real.hidden).find(is_inside).cloned()
    }
}
