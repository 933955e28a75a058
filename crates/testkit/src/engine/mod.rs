//! A team's engine for tests: the program `scripts/engine`, ended with the value, and a stand-in that answers as a test says.

mod scripted;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

pub use self::scripted::{EngineAnswer, EngineRequest, ScriptedEngine};
use crate::shared::skipped;
use crate::workspace_root;

/// The exit code of a script that did not run.
const SKIPPED: i32 = 77;

/// An engine with no tables, on this machine.
#[derive(Debug)]
pub struct TestEngine {
    process: Child,
    /// The engine ends when this is closed.
    input: Option<ChildStdin>,
    address: String,
}

impl TestEngine {
    /// Starts an engine; where it cannot be installed, says that `test` is skipped, and why.
    ///
    /// # Panics
    ///
    /// If it can be installed and does not start.
    pub fn start(test: &str) -> Option<Self> {
        Self::start_with(test, &[])
    }

    /// The same with options of the script.
    ///
    /// # Panics
    ///
    /// If it can be installed and does not start.
    pub fn start_with(test: &str, options: &[&OsStr]) -> Option<Self> {
        let script = workspace_root().join("scripts/engine");
        let mut command = Command::new("python3");
        let started = command.arg(script).args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = match started {
            Ok(process) => process,
            Err(error) => {
                skipped(test, &format!("python3: {error}"));
                return None;
            }
        };
        let mut line = String::new();
        if let Some(output) = process.stdout.as_mut() {
            BufReader::new(output).read_line(&mut line).unwrap_or_else(|error| panic!("engine: {error}"));
        }
        let line = line.trim();
        if !line.starts_with("http://") {
            let code = process.wait().ok().and_then(|status| status.code());
            assert_eq!(code, Some(SKIPPED), "the engine did not start: {line}");
            skipped(test, line.trim_start_matches("skipped: "));
            return None;
        }
        let input = process.stdin.take();
        Some(Self { process, input, address: line.to_owned() })
    }

    /// The address for `--at` and `--to`, with a database of this name.
    pub fn at(&self, database: &str) -> String {
        format!("clickhouse+{}/{database}", self.address)
    }
}

impl Drop for TestEngine {
    fn drop(&mut self) {
        self.input = None;
        // It ends by itself now; if not, the test is over anyway.
        let _ = self.process.wait();
    }
}
