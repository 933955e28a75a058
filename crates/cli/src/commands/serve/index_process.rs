//! Brings the index up to date in a process of its own: what a gigabyte of sessions takes while it is read is given back.

use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::context::Context;

/// How often to look whether it has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// `annals index`, started once and ended with the server.
pub(super) struct IndexProcess {
    command: Mutex<Option<Command>>,
    child: Mutex<Option<Child>>,
}

impl IndexProcess {
    /// The process for these stores; nothing is started yet.
    pub(super) fn new(context: &Context) -> Self {
        let command = std::env::current_exe().ok().map(|program| {
            let mut command = Command::new(program);
            for store in context.store.all() {
                command.arg("--config-dir").arg(store.config_dir().path());
            }
            if let Some(data_dir) = &context.global.data_dir {
                command.arg("--data-dir").arg(data_dir);
            }
            if let Some(prices) = &context.global.prices {
                command.arg("--prices").arg(prices);
            }
            command.args(["--quiet", "index"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        });
        Self { command: Mutex::new(command), child: Mutex::new(None) }
    }

    /// Starts it and waits until it ends; what it cannot do, the server does by itself.
    pub(super) fn run(&self) {
        let Some(mut command) = self.command.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        *self.child() = command.spawn().ok();
        // The lock is free in between, for who ends it.
        let is_running = || matches!(self.child().as_mut().map(Child::try_wait), Some(Ok(None)));
        while is_running() {
            std::thread::sleep(PAUSE);
        }
    }

    /// Ends it; an index that is not finished is continued next time.
    pub(super) fn stop(&self) {
        self.command.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut child) = self.child().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
