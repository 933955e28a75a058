//! The viewer's view of the world: every question gets a context of its own, whose output is collected and never printed.

use std::path::{Path, PathBuf};
use std::process;

use annals_store::source::Clock as _;
use annals_tui::{Change, Client, Host, OpenSession, SearchHit, SessionNumbers, SessionRow, UsageReport};

use super::warnings::ViewerWarnings;
use super::{changes, content, read};
use crate::args::GlobalArgs;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::Fault;
use crate::source::SystemSource;

/// Answers the viewer from the store.
#[derive(Clone)]
pub(super) struct StoreHost {
    global: GlobalArgs,
    environment: Environment,
    warnings: ViewerWarnings,
}

impl StoreHost {
    pub(super) fn new(context: &Context, warnings: ViewerWarnings) -> Self {
        // The terminal is the viewer's: nothing below it may ask or show progress.
        let environment = Environment {
            stdin_is_terminal: false,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            columns: None,
            ..Environment::of_process()
        };
        Self { global: GlobalArgs { json: false, ..context.global.clone() }, environment, warnings }
    }

    /// Does something with a context; a fault becomes a sentence.
    fn with<T>(&self, work: impl FnOnce(&mut Context) -> Result<T, Fault>) -> Result<T, String> {
        let mut context = Context::new(&self.global, self.environment.clone()).map_err(sentence)?;
        context.out.capture();
        let outcome = work(&mut context).map_err(sentence);
        context.report_unread();
        outcome
    }
}

/// A fault on one line.
fn sentence(fault: Fault) -> String {
    let text = fault.text();
    let text = text.as_str().strip_prefix("annals: ").unwrap_or(text.as_str()).to_owned();
    text.lines().map(str::trim).collect::<Vec<_>>().join("; ")
}

impl Host for StoreHost {
    fn sessions(&mut self) -> Result<Vec<SessionRow>, String> {
        self.with(|context| Ok(read::rows(context)))
    }

    fn numbers(&mut self) -> Result<Vec<(PathBuf, SessionNumbers)>, String> {
        self.with(|context| Ok(read::numbers(context)))
    }

    fn open_beginning(&mut self, session: &Path) -> Option<OpenSession> {
        content::open_beginning(session)
    }

    fn open(&mut self, session: &Path) -> Result<OpenSession, String> {
        self.with(|_| content::open(session))
    }

    fn search(&mut self, query: &str) -> Result<Vec<SearchHit>, String> {
        self.with(|context| read::search(query, context))
    }

    fn usage(&mut self) -> Result<UsageReport, String> {
        self.with(|context| Ok(read::usage(context)))
    }

    fn plan(&mut self, change: &Change) -> Result<Vec<String>, String> {
        self.with(|context| changes::plan(change, context))
    }

    fn apply(&mut self, change: &Change) -> Result<Vec<String>, String> {
        self.with(|context| changes::apply(change, context))
    }

    fn command(&mut self, client: Client, session: &SessionRow) -> Result<process::Command, String> {
        self.with(|context| changes::command(client, session, context))
    }

    fn take_warnings(&mut self) -> Vec<String> {
        self.warnings.take()
    }

    fn size(&mut self, file: &Path) -> Option<u64> {
        file.metadata().ok().map(|metadata| metadata.len())
    }

    fn now(&mut self) -> i64 {
        SystemSource.now()
    }
}
