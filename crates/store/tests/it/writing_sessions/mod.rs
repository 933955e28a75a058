//! Writing sessions: the promise after a crash, faults of the disk, other writers, changes that are undone.

mod busy;
mod faults;
mod handle;
mod journal;
mod messages;
mod model;
mod promise;
mod sessions;
mod side_record;

use std::path::{Path, PathBuf};

use annals_store::session::{NewSession, OnBusy};
use annals_store::source::{Clock, Source};
use annals_store::{ConfigDir, DataDir, SessionWriter};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::draft::{Draft, PromptContent};
use annals_transcript::transcript::Transcript;

/// A home with a store to write to.
struct Place {
    home: Home,
    config: ConfigDir,
    data: DataDir,
    source: CountingSource,
}

impl Place {
    fn new() -> Self {
        let home = Home::new();
        let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
        Self { home, config, data, source: CountingSource::default() }
    }

    fn create(&self) -> SessionWriter<'_> {
        let new = NewSession { cwd: self.home.work_dir(), ..NewSession::default() };
        SessionWriter::create(&self.config, &self.data, &self.source, new).unwrap()
    }

    fn open(&self, path: &Path) -> SessionWriter<'_> {
        SessionWriter::open(path, &self.data, &self.source, OnBusy::Append).unwrap()
    }

    /// A session with some prompts, closed; its file and the ids.
    fn session(&self, prompts: usize) -> (PathBuf, Vec<String>) {
        let mut writer = self.create();
        let add = |at: usize| writer.append_settled(&prompt(&format!("prompt {at}"))).unwrap().uuid.unwrap();
        let ids = (0..prompts).map(add).collect();
        (writer.path().to_path_buf(), ids)
    }
}

fn prompt(text: &str) -> Draft {
    Draft::prompt(PromptContent::Text(text))
}

/// The ids of a file's chain, in order.
fn ids(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap();
    let transcript = Transcript::parse(&bytes);
    transcript.nodes().iter().filter_map(|node| node.uuid).map(|id| id.to_string()).collect()
}

/// The parent of each line of a file's chain.
fn parents(path: &Path) -> Vec<Option<String>> {
    let bytes = std::fs::read(path).unwrap();
    let transcript = Transcript::parse(&bytes);
    let chain = transcript.nodes().iter().filter(|node| node.uuid.is_some());
    chain.map(|node| node.parent.id().map(|id| id.to_string())).collect()
}

/// A source whose time is the machine's, for what compares with times of files.
#[derive(Debug)]
struct Now(CountingSource);

impl Clock for Now {
    fn now(&self) -> i64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    }

    fn pause(&self, millis: u64) {
        std::thread::sleep(std::time::Duration::from_millis(millis));
    }
}

impl Source for Now {
    fn random(&self) -> [u8; 16] {
        self.0.random()
    }
}
