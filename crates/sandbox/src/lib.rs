//! Runs a command where the kernel limits what it reads, writes and reaches. It knows nothing of sessions and decides nothing:
//! a [`SandboxPlan`] says what is limited, a [`Sandbox`] says how the command is started.
//!
//! bubblewrap gives a command its own view of the files, of processes and of the network. Where that does not work, a stage of our
//! own program restricts itself by Landlock and seccomp, and becomes the command. The stage also runs inside bubblewrap, for the
//! calls that no view of files limits.

mod absent;
#[cfg(target_os = "linux")]
mod bridge;
mod bubblewrap;
#[cfg(target_os = "linux")]
mod landlocked;
mod plan;
#[cfg_attr(windows, path = "proxy_windows.rs")]
mod proxy;
mod sandbox;
#[cfg(target_os = "linux")]
mod seccomp;
mod stage;

pub use absent::{AbsenceWatch, MovedPath};
pub use plan::{NetworkAccess, SandboxPlan, SocketAccess, WriteScope};
pub use proxy::{AddressCheck, HostProxy};
pub use sandbox::{Sandbox, SandboxMethod, SandboxUnavailable};
pub use stage::{STAGE, StageError, run_stage};
