//! What every command gets: the store, the output, and the options that apply to all.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use annals_policy::secret::Secret;
use annals_store::{DataDir, Store};
use annals_transcript::price::Prices;
use jiff::tz::TimeZone;

use crate::args::{ColorChoice, GlobalArgs};
use crate::environment::Environment;
use crate::error::{Fault, Outcome};
use crate::output::Output;
use crate::progress::Progress;
use crate::source::SystemSource;
use crate::stderr;
use crate::unread::UnreadPaths;
use crate::zone;

/// The environment of a command.
pub(crate) struct Context {
    pub(crate) store: Store,
    /// Whether to print JSON.
    pub(crate) json: bool,
    /// Standard output.
    pub(crate) out: Output,
    /// The time zone of what is printed.
    pub(crate) zone: TimeZone,
    pub(crate) prices: Prices,
    pub(crate) current_dir: Option<PathBuf>,
    /// -1 with `--quiet`, 1 with `--verbose`.
    pub(crate) verbosity: i8,
    pub(crate) home: Option<PathBuf>,
    /// Environment variables for the API.
    pub(crate) api: Vec<(&'static str, Secret)>,
    /// Environment variables for child processes.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The bearer token of `annals collect`, from the environment.
    pub(crate) collect_token: Option<Secret>,
    /// Clock and randomness.
    pub(crate) source: SystemSource,
    data_dir: Option<PathBuf>,
    /// Whether progress is shown.
    shows_progress: bool,
    /// Whether a person can answer a question.
    pub(crate) can_prompt: bool,
    /// The sessions that the command found, which a question names.
    pub(crate) subjects: RefCell<Vec<PathBuf>>,
    /// What could not be read.
    pub(crate) unread: UnreadPaths,
    /// Whether the answer comes from an index that another process is updating.
    pub(crate) is_stale: Cell<bool>,
    /// Whether the store was named, by an option or a variable.
    store_is_named: bool,
    /// Whether standard input is a terminal.
    stdin_is_terminal: bool,
}

impl Context {
    /// From the global options and the environment.
    pub(crate) fn new(global: &GlobalArgs, environment: Environment) -> Result<Self, Fault> {
        let named = global.config_dir.clone().or_else(|| environment.claude_config_dir.clone());
        let store_is_named = named.is_some();
        let config_dir = named.or_else(|| environment.home.as_ref().map(|home| home.join(".claude")));
        let config_dir = config_dir.ok_or_else(|| {
            Fault::usage("no store to read: no home folder")
                .hint("use --config-dir DIR, or set CLAUDE_CONFIG_DIR")
        })?;
        let data_dir = global.data_dir.clone().or_else(|| environment.annals_data_dir.clone());
        let data_dir =
            data_dir.or_else(|| environment.platform_data_dir.as_ref().map(|dir| dir.join("annals")));
        let color = match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => environment.stdout_is_terminal && !environment.no_color,
        };
        let prices = prices(global.prices.as_deref(), data_dir.as_deref())?;
        Ok(Self {
            store: Store::open(config_dir),
            json: global.json,
            out: Output::new(&environment, color && !global.json),
            zone: zone::of_system(environment.time_zone.as_deref()),
            prices,
            shows_progress: environment.stderr_is_terminal && !global.quiet,
            can_prompt: environment.stdin_is_terminal && environment.stderr_is_terminal,
            subjects: RefCell::default(),
            unread: UnreadPaths::default(),
            is_stale: Cell::default(),
            store_is_named,
            stdin_is_terminal: environment.stdin_is_terminal,
            home: environment.home.clone(),
            api: environment.api,
            variables: environment.variables,
            collect_token: environment.collect_token,
            source: SystemSource,
            data_dir,
            current_dir: environment.current_dir,
            verbosity: i8::from(global.verbose) - i8::from(global.quiet),
        })
    }

    /// Flushes the output and reports what could not be read; a reader that went away is no error.
    pub(crate) fn finish(mut self, outcome: Outcome) -> Result<Outcome, Fault> {
        self.out.finish()?;
        Ok(self.settle_unread(outcome))
    }

    /// Fails if a store was named that does not exist: a mistyped name must not look like an empty store. The default
    /// store need not exist.
    pub(crate) fn check_store(&self) -> Result<(), Fault> {
        let path = self.store.config_dir().path();
        let message = match path.metadata() {
            Ok(metadata) if metadata.is_dir() => return Ok(()),
            Ok(_) => "not a folder, so it is no store".to_owned(),
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Fault::of_io(
                    &error,
                    format!("{}: cannot open the store: {error}", path.display()),
                ));
            }
            Err(_) if !self.store_is_named => return Ok(()),
            Err(_) => "there is no such store".to_owned(),
        };
        Err(Fault::usage(format!("{}: {message}", path.display()))
            .hint("--config-dir or CLAUDE_CONFIG_DIR names it; create the folder if the store is to be new"))
    }

    /// Starts a progress bar on standard error.
    pub(crate) fn progress(&self, label: &'static str, total: Option<u64>) -> Progress {
        Progress::new(label, total, self.shows_progress)
    }

    /// The data folder: index, locks, journal, trash and vault.
    pub(crate) fn data_dir(&self) -> Result<DataDir, Fault> {
        let data_dir = self.data_dir.clone().map(DataDir::new);
        data_dir.map(|data| data.used_by(self.store.config_dir())).ok_or_else(|| {
            Fault::usage("no data folder for the index and the journal of annals")
                .hint("use --data-dir DIR, or set ANNALS_DATA_DIR")
        })
    }

    /// Whether standard input is a terminal; else it is read.
    pub(crate) fn stdin_is_terminal(&self) -> bool {
        self.stdin_is_terminal
    }

    /// Prints a message to standard error, unless `--quiet`.
    pub(crate) fn say(&self, text: impl AsRef<str>) {
        if self.verbosity >= 0 {
            stderr::say(format_args!("annals: {}", text.as_ref()));
        }
    }

    /// The working directory as the client spells it.
    pub(crate) fn current_dir_text(&self) -> Option<String> {
        self.current_dir.as_ref().map(|dir| dir.to_string_lossy().into_owned())
    }
}

/// The built-in prices, overridden by `--prices FILE`, else by `prices.json` in the data folder.
fn prices(named: Option<&Path>, data_dir: Option<&Path>) -> Result<Prices, Fault> {
    let own = data_dir.map(|dir| dir.join("prices.json")).filter(|path| path.is_file());
    let Some(path) = named.map(Path::to_path_buf).or(own) else { return Ok(Prices::embedded()) };
    let text = annals_store::read::read_file(&path)?;
    let (overrides, problems) = Prices::parse(&text);
    match problems.first() {
        Some(problem) => Err(Fault::usage(format!("{}: {problem}", path.display()))
            .hint("annals help prices shows what a price file looks like")),
        None => Ok(Prices::embedded().overridden_by(overrides)),
    }
}
