//! What every command gets: the store, the output, and the options that apply to all.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use annals_policy::secret::Secret;
use annals_store::DataDir;
use annals_team::query::ReadRight;
use annals_transcript::price::Prices;
use annals_ui::terminal::ColorMode;
use annals_vault::UnpackDir;
use jiff::tz::TimeZone;

use crate::args::{ColorChoice, GlobalArgs};
use crate::configuration::{ConfigKey, Configuration};
use crate::environment::Environment;
use crate::error::{Fault, Outcome};
use crate::output::Output;
use crate::progress::Progress;
use crate::source::SystemSource;
use crate::stderr;
use crate::stores::{Stores, split_list};
use crate::unread::UnreadPaths;
use crate::zone;

/// The environment of a command.
pub(crate) struct Context {
    /// The stores that are read; stands for the one in use.
    pub(crate) store: Stores,
    /// What the configuration file says.
    pub(crate) config: Configuration,
    /// Where that file is, or would be.
    pub(crate) config_file: Option<PathBuf>,
    /// The options of every command.
    pub(crate) global: GlobalArgs,
    /// Whether to print JSON.
    pub(crate) json: bool,
    /// Standard output.
    pub(crate) out: Output,
    /// The time zone of what is printed.
    pub(crate) zone: TimeZone,
    pub(crate) prices: LazyPrices,
    pub(crate) current_dir: Option<PathBuf>,
    /// -1 with `--quiet`, 1 with `--verbose`.
    pub(crate) verbosity: i8,
    pub(crate) home: Option<PathBuf>,
    /// Environment variables for the API.
    pub(crate) api: Vec<(&'static str, Secret)>,
    /// Environment variables for child processes.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// `ANNALS_SANDBOX`.
    pub(crate) sandbox: Option<String>,
    pub(crate) program: Option<PathBuf>,
    /// The bearer token of `annals collect`, from the environment.
    pub(crate) token: Option<Secret>,
    /// The login of a team's engine, from the environment.
    pub(crate) engine_login: Option<(String, Secret)>,
    /// What may be read of a team's sessions, if somebody else asks through this process.
    pub(crate) read_right: Option<ReadRight>,
    /// Clock and randomness.
    pub(crate) source: SystemSource,
    data_dir: Option<PathBuf>,
    /// The folder of what was fetched from a team's engine, removed at the end.
    fetched: Option<UnpackDir>,
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
    /// Whether standard input is a terminal.
    stdin_is_terminal: bool,
}

impl Context {
    /// From the global options and the environment.
    pub(crate) fn new(global: &GlobalArgs, mut environment: Environment) -> Result<Self, Fault> {
        let config = environment.config_file.as_deref().map(Configuration::read).unwrap_or_default();
        let pager = || config.text(ConfigKey::Pager).map(str::to_owned);
        environment.pager = environment.pager.take().or_else(pager);
        let store = Stores::choose(named_stores(global, &environment, &config), environment.usual_stores())?;
        let store = store.with_home(environment.home.clone());
        let data_dir = global.data_dir.clone().or_else(|| environment.annals_data_dir.clone());
        let data_dir =
            data_dir.or_else(|| environment.platform_data_dir.as_ref().map(|dir| dir.join("annals")));
        let mut out = Output::new(&environment, color_mode(global, &environment, &config));
        if global.no_pager {
            out.disable_pager();
        }
        let prices = prices(global.prices.as_deref(), data_dir.as_deref())?;
        Ok(Self {
            store,
            config,
            config_file: environment.config_file.clone(),
            global: global.clone(),
            json: global.json,
            out,
            zone: zone::of_system(environment.time_zone.as_deref()),
            prices,
            shows_progress: environment.stderr_is_terminal && !global.quiet,
            can_prompt: environment.stdin_is_terminal && environment.stderr_is_terminal,
            subjects: RefCell::default(),
            unread: UnreadPaths::default(),
            is_stale: Cell::default(),
            stdin_is_terminal: environment.stdin_is_terminal,
            home: environment.home.clone(),
            api: environment.api,
            variables: environment.variables,
            sandbox: environment.sandbox,
            program: environment.program,
            token: environment.token,
            engine_login: environment.engine_login,
            read_right: environment.read_right,
            source: SystemSource,
            data_dir,
            fetched: None,
            current_dir: environment.current_dir,
            verbosity: i8::from(global.verbose) - i8::from(global.quiet),
        })
    }

    /// Flushes the output and reports what could not be read; a reader that went away is no error.
    pub(crate) fn finish(mut self, outcome: Outcome) -> Result<Outcome, Fault> {
        self.out.finish()?;
        Ok(self.settle_unread(outcome))
    }

    /// Fails if the configuration file cannot be used, and says what in it is unknown.
    pub(crate) fn check_configuration(&self) -> Result<(), Fault> {
        self.config.unknown.iter().for_each(|unknown| self.say(unknown));
        self.config.check()
    }

    /// The patterns of secrets: those of an option, and those of the configuration file.
    pub(crate) fn redaction_patterns(&self, named: &[String]) -> Vec<String> {
        let configured = self.config.list(ConfigKey::RedactionPatterns);
        named.iter().chain(configured).cloned().collect()
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

    /// Reads stores in this folder from now on, with data of their own.
    pub(crate) fn read_instead(&mut self, stores: Stores, folder: UnpackDir) {
        (self.store, self.data_dir) = (stores, Some(folder.path().join("data")));
        self.fetched = Some(folder);
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

/// Whether there are colors, and which: an option wins over the variable, which wins over the theme of the configuration file.
fn color_mode(global: &GlobalArgs, environment: &Environment, config: &Configuration) -> ColorMode {
    let theme = config.text(ConfigKey::Theme);
    let is_colored = match global.color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => environment.stdout_is_terminal && !environment.no_color && theme != Some("none"),
    };
    match theme {
        _ if !is_colored || global.json => ColorMode::Plain,
        Some("dark") => ColorMode::Dark,
        Some("light") => ColorMode::Light,
        Some("dark-colorblind") => ColorMode::DarkColorBlind,
        Some("light-colorblind") => ColorMode::LightColorBlind,
        _ => ColorMode::Ansi,
    }
}

/// The stores that somebody named: options win over the variable, which wins over the configuration file.
fn named_stores(global: &GlobalArgs, environment: &Environment, config: &Configuration) -> Vec<PathBuf> {
    if !global.config_dir.is_empty() {
        return global.config_dir.clone();
    }
    match &environment.claude_config_dir {
        Some(value) => split_list(value),
        None => config.stores(environment.home.as_deref()),
    }
}

/// Prices that are parsed when one is needed: most commands start before, and some need none.
type LazyPrices = LazyLock<Prices, Box<dyn FnOnce() -> Prices + Send>>;

/// The built-in prices, overridden by `--prices FILE`, else by `prices.json` in the data folder.
fn prices(named: Option<&Path>, data_dir: Option<&Path>) -> Result<LazyPrices, Fault> {
    let own = data_dir.map(|dir| dir.join("prices.json")).filter(|path| path.is_file());
    let Some(path) = named.map(Path::to_path_buf).or(own) else {
        return Ok(LazyPrices::new(Box::new(Prices::embedded)));
    };
    let text = annals_store::read::read_file(&path)?;
    let (overrides, problems) = Prices::parse(&text);
    match problems.first() {
        Some(problem) => Err(Fault::usage(format!("{}: {problem}", path.display()))
            .hint("annals help prices shows what a price file looks like")),
        None => Ok(LazyPrices::new(Box::new(|| Prices::embedded().overridden_by(overrides)))),
    }
}
