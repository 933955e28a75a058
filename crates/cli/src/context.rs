//! What every command is given: the store to read, where to write, and how.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use annals_policy::secret::Secret;
use annals_store::{DataDir, Store};
use annals_transcript::price::Prices;
use jiff::tz::TimeZone;

use crate::args::{Care, ColorChoice, Global};
use crate::error::{Fault, Outcome};
use crate::output::Output;
use crate::progress::Progress;
use crate::source::SystemSource;
use crate::stderr;
use crate::surroundings::Surroundings;
use crate::zone;

/// The surroundings of a command.
pub(crate) struct Context {
    /// The store that is read.
    pub(crate) store: Store,
    /// Whether programs read the output.
    pub(crate) json: bool,
    /// Standard output.
    pub(crate) out: Output,
    /// The time zone of what people read.
    pub(crate) zone: TimeZone,
    /// What tokens cost.
    pub(crate) prices: Prices,
    /// Where the command runs.
    pub(crate) current_dir: Option<PathBuf>,
    /// How much is said.
    pub(crate) verbosity: i8,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// Variables that say how the API is reached.
    pub(crate) api: Vec<(&'static str, Secret)>,
    /// All variables for commands that are run.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The bearer token for a receiver, from the environment.
    pub(crate) collect_token: Option<Secret>,
    /// Time and chance.
    pub(crate) source: SystemSource,
    data_dir: Option<PathBuf>,
    /// Whether somebody watches standard error.
    is_watched: bool,
    /// Whether somebody can answer a question.
    can_ask: bool,
    /// Whether standard input is a terminal.
    has_person: bool,
}

impl Context {
    /// Puts the surroundings and the global options together.
    pub(crate) fn new(global: &Global, surroundings: Surroundings) -> Result<Self, Fault> {
        let config_dir = global.config_dir.clone().or_else(|| surroundings.claude_config_dir.clone());
        let config_dir = config_dir.or_else(|| surroundings.home.as_ref().map(|home| home.join(".claude")));
        let config_dir = config_dir.ok_or_else(|| {
            Fault::usage("there is no home folder, so there is no store to read")
                .hint("name one: annals --config-dir DIR, or set CLAUDE_CONFIG_DIR")
        })?;
        let data_dir = global.data_dir.clone().or_else(|| surroundings.annals_data_dir.clone());
        let data_dir =
            data_dir.or_else(|| surroundings.platform_data_dir.as_ref().map(|dir| dir.join("annals")));
        let color = match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => surroundings.stdout_is_terminal && !surroundings.no_color,
        };
        let prices = prices(global.prices.as_deref(), data_dir.as_deref())?;
        Ok(Self {
            store: Store::open(config_dir),
            json: global.json,
            out: Output::new(&surroundings, color && !global.json),
            zone: zone::of_machine(surroundings.time_zone.as_deref()),
            prices,
            is_watched: surroundings.stderr_is_terminal && !global.quiet,
            can_ask: surroundings.stdin_is_terminal && surroundings.stderr_is_terminal,
            has_person: surroundings.stdin_is_terminal,
            home: surroundings.home.clone(),
            api: surroundings.api,
            variables: surroundings.variables,
            collect_token: surroundings.collect_token,
            source: SystemSource,
            data_dir,
            current_dir: surroundings.current_dir,
            verbosity: i8::from(global.verbose) - i8::from(global.quiet),
        })
    }

    /// Flushes what was written; a reader that went away is no error.
    pub(crate) fn finish(mut self, outcome: Outcome) -> Result<Outcome, Fault> {
        self.out.finish()?;
        Ok(outcome)
    }

    /// A word on standard error about long work.
    pub(crate) fn progress(&self, label: &'static str, total: Option<u64>) -> Progress {
        Progress::new(label, total, self.is_watched)
    }

    /// Our own folder, for locks, the journal and the trash.
    pub(crate) fn data_dir(&self) -> Result<DataDir, Fault> {
        self.data_dir.clone().map(DataDir::new).ok_or_else(|| {
            Fault::usage("there is no folder for the locks and the journal of annals")
                .hint("name one: annals --data-dir DIR, or set ANNALS_DATA_DIR")
        })
    }

    /// Whether a person sits at standard input; else it is a program's, to be read.
    pub(crate) fn has_person(&self) -> bool {
        self.has_person
    }

    /// Asks the person, where there is one and `--yes` was not said; else the answer is yes.
    pub(crate) fn agrees(&mut self, care: Care, question: &str) -> Result<bool, Fault> {
        if care.yes || !self.can_ask {
            return Ok(true);
        }
        self.out.flush()?;
        let mut error = io::stderr();
        write!(error, "{question} [y/N] ")?;
        error.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Whether somebody can answer a question.
    pub(crate) fn can_ask(&self) -> bool {
        self.can_ask
    }

    /// A word on standard error, unless none is wanted.
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

/// The prices of the project, with those of the user's file over them: `--prices FILE`, else `prices.json` in our folder.
fn prices(named: Option<&Path>, data_dir: Option<&Path>) -> Result<Prices, Fault> {
    let own = data_dir.map(|dir| dir.join("prices.json")).filter(|path| path.is_file());
    let Some(path) = named.map(Path::to_path_buf).or(own) else { return Ok(Prices::embedded()) };
    let text = annals_store::read::read_file(&path)?;
    let (overrides, problems) = Prices::parse(&text);
    match problems.first() {
        Some(problem) => Err(Fault::usage(format!("{}: {problem}", path.display()))
            .hint("docs/usage.md shows the form of a price file")),
        None => Ok(Prices::embedded().overridden_by(overrides)),
    }
}
