//! What commands change is recorded: contents before and after, within limits, and not what others change.

use std::sync::Arc;
use std::time::Duration;

use annals_agent::tools::Bash;
use annals_agent::tools::bash::CommandRecorder;
use annals_store::command_changes::{
    ChangeOrigin, CommandChange, CommandChanges, CommandHistory, FileVersion, MAX_FILE_BYTES, NoCopyReason,
};
use annals_store::{DataDir, SessionKey};
use annals_testkit::source::CountingSource;

use super::{Fixture, Flag, Text, run};

/// A workspace whose commands are recorded.
struct RecordedFixture {
    fixture: Fixture,
    changes: CommandChanges,
}

impl RecordedFixture {
    fn new() -> Self {
        let mut kept = None;
        let fixture = Fixture::with(|settings| {
            let temp = settings.scratch.parent().unwrap().to_path_buf();
            let data = DataDir::new(temp.join("data"));
            let changes = CommandChanges::of_session(&data, &SessionKey::new("s")).unwrap();
            // Every file is recent to a clock of the past, so contents decide.
            let clock = Box::new(CountingSource::default());
            let recorder = CommandRecorder::new(&temp.join("work"), changes.clone(), Box::new(()), clock);
            settings.recorder = Some(Arc::new(recorder));
            kept = Some(changes);
        });
        Self { fixture, changes: kept.unwrap() }
    }

    fn tool(&self) -> Bash {
        Bash::new(self.fixture.context.clone(), self.fixture.shells.clone())
    }

    async fn bash(&self, command: &str) {
        run(&self.tool(), &[("command", Text(command))]).await;
    }

    fn history(&self) -> CommandHistory {
        self.changes.read().unwrap().expect("something was recorded")
    }

    /// The changes as text: `path: before -> after`.
    fn told(&self) -> Vec<String> {
        let history = self.history();
        let content = |version: &FileVersion| match version {
            FileVersion::Absent => "absent".to_owned(),
            FileVersion::Copy(digest) => String::from_utf8(history.copy(digest).unwrap()).unwrap(),
            FileVersion::NotCopied(why) => format!("{why:?}"),
        };
        let told = |change: &CommandChange| {
            format!("{}: {} -> {}", change.path, content(&change.before), content(&change.after))
        };
        let mut told: Vec<String> = history.changes.iter().map(told).collect();
        told.sort();
        told
    }
}

#[tokio::test]
async fn changes_have_the_content_before_and_after() {
    let recorded = RecordedFixture::new();
    recorded.fixture.write("a.txt", "one");
    recorded.fixture.write("b/c.txt", "two");
    recorded.fixture.write("gone.txt", "old");
    recorded.fixture.write("same.txt", "same");
    recorded.bash("printf 1 > a.txt; rm gone.txt; printf new > b/new.txt; touch same.txt").await;
    assert_eq!(recorded.told(), ["a.txt: one -> 1", "b/new.txt: absent -> new", "gone.txt: old -> absent"]);
    // The same size, at once.
    recorded.bash("printf 2 > a.txt").await;
    assert!(recorded.told().contains(&"a.txt: 1 -> 2".to_owned()));
    let calls: Vec<_> = recorded.history().changes.into_iter().map(|change| change.call).collect();
    assert!(calls.iter().all(|call| call == "toolu_01"), "{calls:?}");
}

#[tokio::test]
async fn what_others_change_between_commands_is_not_recorded() {
    let recorded = RecordedFixture::new();
    recorded.fixture.write("a.txt", "one");
    recorded.bash("printf 1 > made.txt").await;
    recorded.fixture.write("a.txt", "by hand");
    recorded.fixture.write("mine.txt", "mine");
    recorded.bash("printf 2 > made.txt").await;
    assert_eq!(recorded.told(), ["made.txt: 1 -> 2", "made.txt: absent -> 1"]);
    // But what it is by then is what the next change starts from.
    recorded.bash("printf 3 > a.txt").await;
    assert!(recorded.told().contains(&"a.txt: by hand -> 3".to_owned()), "{:?}", recorded.told());
}

#[tokio::test]
async fn reading_looks_at_nothing() {
    let recorded = RecordedFixture::new();
    recorded.fixture.write("a.txt", "one");
    recorded.bash("cat a.txt | head -1").await;
    assert!(!recorded.fixture.temp.path().join("data").exists());
    recorded.bash("true").await;
    assert_eq!(recorded.changes.read().unwrap(), None, "nothing was changed");
}

#[tokio::test]
async fn what_is_ignored_or_of_git_is_left_out() {
    let recorded = RecordedFixture::new();
    recorded.fixture.write(".gitignore", "target\n");
    recorded.fixture.write("target/x", "x");
    recorded.fixture.write(".git/config", "x");
    recorded.fixture.write(".hidden", "x");
    recorded.bash("printf y > target/x; printf y > .git/config; printf y > .hidden").await;
    assert_eq!(recorded.told(), [".hidden: x -> y"]);
    // A file that becomes visible was not created by the command.
    recorded.bash("printf '' > .gitignore").await;
    let told = recorded.told();
    assert!(told.contains(&"target/x: Unwatched -> y".to_owned()), "{told:?}");
    recorded.bash("printf 'target\\n' > .gitignore").await;
    assert_eq!(
        recorded.told().iter().filter(|line| line.starts_with("target")).count(),
        1,
        "it still exists"
    );
}

#[tokio::test]
async fn large_files_are_named_and_not_copied() {
    let recorded = RecordedFixture::new();
    let large = vec![b'x'; usize::try_from(MAX_FILE_BYTES).unwrap() + 1];
    recorded.fixture.write("large", &large);
    recorded.bash("printf small > large; head -c 1048577 /dev/zero > fresh").await;
    let history = recorded.history();
    let too_large = FileVersion::NotCopied(NoCopyReason::TooLarge);
    let of = |path: &str| history.changes.iter().find(|change| change.path == path).unwrap();
    assert_eq!(of("large").before, too_large);
    assert_eq!((&of("fresh").before, &of("fresh").after), (&FileVersion::Absent, &too_large));
}

#[tokio::test]
async fn an_interrupted_command_is_recorded() {
    let recorded = RecordedFixture::new();
    recorded.fixture.write("a.txt", "one");
    let (tool, made) = (recorded.tool(), recorded.fixture.work().join("made.txt"));
    let args = [("command", Text("printf 1 > a.txt; printf x > made.txt; sleep 600"))];
    let seen = async {
        while !made.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = run(&tool, &args) => panic!("it ended"),
        () = seen => {}
    }
    let told = recorded.told();
    assert!(told.contains(&"a.txt: one -> 1".to_owned()), "{told:?}");
}

#[tokio::test]
async fn what_changes_while_a_command_runs_in_the_background_is_marked() {
    let recorded = RecordedFixture::new();
    recorded.fixture.write("a.txt", "one");
    let made = recorded.fixture.work().join("made.txt");
    let command = "printf x > made.txt; sleep 600";
    run(&recorded.tool(), &[("command", Text(command)), ("run_in_background", Flag(true))]).await;
    while std::fs::read(&made).unwrap_or_default() != b"x" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    recorded.fixture.shells.record_background();
    recorded.fixture.write("b.txt", "by hand");
    // It still runs.
    recorded.bash("printf 1 > a.txt").await;
    let mut origins: Vec<_> =
        recorded.history().changes.into_iter().map(|change| (change.path, change.origin)).collect();
    origins.sort_by(|left, right| left.0.cmp(&right.0));
    let expected = [
        ("a.txt", ChangeOrigin::Command),
        ("b.txt", ChangeOrigin::Background),
        ("made.txt", ChangeOrigin::Background),
    ];
    assert_eq!(origins, expected.map(|(path, origin)| (path.to_owned(), origin)));
    recorded.fixture.shells.end_all();
}
