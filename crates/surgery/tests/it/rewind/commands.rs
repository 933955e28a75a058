//! Files that commands changed are rewound by what annals recorded, and what somebody else did since is left.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::command_changes::{
    ChangeOrigin, CommandChange, CommandChanges, CommandHistory, FileVersion, MAX_FILE_BYTES, NoCopyReason,
};
use annals_store::journal::Journal;
use annals_store::platform::{mode, set_mode};
use annals_store::{DataDir, SessionKey};
use annals_surgery::rewind::{
    FileOutcome, ForeignChanges, RewindOptions, RewindPlan, RewindScope, SkipReason, TurnRef, apply, turns,
};
use annals_testkit::source::CountingSource;

use super::world::{Era, ID, World};
use super::{carried_out, options, planned, undo};

const LEFT: ForeignChanges = ForeignChanges::Left;

/// A world of two turns whose commands are recorded.
struct CommandWorld {
    world: World,
    path: PathBuf,
    changes: CommandChanges,
}

impl CommandWorld {
    /// Two turns, in the second of which a tool edits `edited.txt`.
    fn new() -> Self {
        let mut world = World::new(Era::Snapshots);
        world.put("old.txt", "one\n");
        world.put("src/deep.rs", "deep\n");
        world.prompt("first");
        world.reply("done");
        world.prompt("second");
        world.put("edited.txt", "by command\n");
        world.edit("edited.txt", "by tool\n");
        world.reply("done");
        let path = world.write();
        let data = DataDir::new(world.home.data_dir());
        let changes = CommandChanges::of_session(&data, &SessionKey::new(ID)).unwrap();
        Self { world, path, changes }
    }

    fn version(&self, content: Option<&str>) -> FileVersion {
        match content {
            Some(content) => self.changes.copies().unwrap().put(content.as_bytes()).unwrap(),
            None => FileVersion::Absent,
        }
    }

    fn change(&self, turn: usize, name: &str, states: (FileVersion, FileVersion)) -> CommandChange {
        let session = annals_surgery::Session::load(&self.path).unwrap();
        CommandChange {
            folder: self.world.work.clone(),
            path: name.to_owned(),
            time: turns(&session)[turn - 1].time.unwrap(),
            call: "toolu_1".to_owned(),
            origin: ChangeOrigin::Command,
            before: states.0,
            mode: Some(0o750),
            after: states.1,
        }
    }

    /// A command of a turn changes a file.
    fn run(&self, turn: usize, name: &str, after: Option<&str>) {
        let path = self.world.work.join(name);
        let before = fs::read_to_string(&path).ok();
        let states = (self.version(before.as_deref()), self.version(after));
        self.changes.append(&[self.change(turn, name, states).line()]).unwrap();
        match after {
            Some(after) => self.world.put(name, after),
            None => fs::remove_file(path).unwrap(),
        }
    }

    fn history(&self) -> CommandHistory {
        self.changes.read().unwrap().unwrap()
    }

    fn planned(&self, turn: usize, foreign: ForeignChanges) -> RewindPlan {
        let history = self.history();
        let options = RewindOptions { commands: Some(&history), ..options(RewindScope::Code, foreign) };
        planned(&self.path, &TurnRef::Number(turn), options).unwrap()
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.world.work.join(name)).ok()
    }
}

/// The first turn changes a file, makes one and deletes one, the second changes the first again.
fn story() -> CommandWorld {
    let world = CommandWorld::new();
    world.run(1, "old.txt", Some("two\n"));
    world.run(1, "made/new.txt", Some("new\n"));
    world.run(1, "src/deep.rs", None);
    world.run(2, "old.txt", Some("three\n"));
    world
}

fn outcome(rewinding: &RewindPlan, name: &str) -> FileOutcome {
    rewinding.files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{name}")).outcome
}

#[test]
fn files_are_as_they_were_at_each_prompt() {
    let world = story();
    for (turn, old, new, deep) in [(2, "two\n", Some("new\n"), None), (1, "one\n", None, Some("deep\n"))] {
        let rewinding = world.planned(turn, LEFT);
        assert!(rewinding.files.iter().any(|file| file.name == "old.txt" && file.is_by_command));
        assert_eq!(rewinding.plan.notes, Vec::<String>::new());
        carried_out(&world.world.home, &rewinding).unwrap();
        let now = (world.text("old.txt"), world.text("made/new.txt"), world.text("src/deep.rs"));
        assert_eq!(now, (Some(old.to_owned()), new.map(str::to_owned), deep.map(str::to_owned)));
    }
    // What a rewind left is known, too.
    assert_eq!(outcome(&world.planned(2, LEFT), "old.txt"), FileOutcome::Restored);
}

#[test]
fn a_file_that_is_made_again_has_its_permissions() {
    let world = story();
    carried_out(&world.world.home, &world.planned(1, LEFT)).unwrap();
    let mode = |name: &str| mode(&fs::metadata(world.world.work.join(name)).unwrap()) & 0o777;
    assert_eq!(mode("src/deep.rs"), 0o750);
    // Of a release that recorded none, those of the folder.
    let world = CommandWorld::new();
    let states = (world.version(Some("deep\n")), FileVersion::Absent);
    let change = CommandChange { mode: None, ..world.change(1, "src/deep.rs", states) };
    world.changes.append(&[change.line()]).unwrap();
    fs::remove_file(world.world.work.join("src/deep.rs")).unwrap();
    let folder = world.world.work.join("src");
    set_mode(&folder, 0o755).unwrap();
    carried_out(&world.world.home, &world.planned(1, LEFT)).unwrap();
    let made = fs::metadata(folder.join("deep.rs")).unwrap();
    assert_eq!(annals_store::platform::mode(&made) & 0o777, 0o644);
}

#[test]
fn undo_brings_everything_back() {
    let world = story();
    let entry = carried_out(&world.world.home, &world.planned(1, LEFT)).unwrap();
    undo(&world.world.home, entry);
    assert_eq!(world.text("old.txt").as_deref(), Some("three\n"));
    assert_eq!((world.text("made/new.txt").as_deref(), world.text("src/deep.rs")), (Some("new\n"), None));
}

#[test]
fn what_somebody_changed_since_is_left() {
    let world = story();
    world.world.put("old.txt", "by hand\n");
    world.world.put("made/new.txt", "by hand\n");
    let rewinding = world.planned(1, LEFT);
    for name in ["old.txt", "made/new.txt"] {
        assert_eq!(outcome(&rewinding, name), FileOutcome::Skipped(SkipReason::ChangedSince), "{name}");
    }
    carried_out(&world.world.home, &rewinding).unwrap();
    assert_eq!(world.text("old.txt").as_deref(), Some("by hand\n"));
    let rewinding = world.planned(1, ForeignChanges::Overwritten);
    carried_out(&world.world.home, &rewinding).unwrap();
    assert_eq!((world.text("old.txt").as_deref(), world.text("made/new.txt")), (Some("one\n"), None));
}

#[test]
fn the_first_change_of_a_turn_decides_no_matter_who_made_it() {
    // The command was first: the tool's copy has what the command left.
    let world = CommandWorld::new();
    let states = (FileVersion::Absent, world.version(Some("by command\n")));
    world.changes.append(&[world.change(2, "edited.txt", states).line()]).unwrap();
    assert_eq!(outcome(&world.planned(2, LEFT), "edited.txt"), FileOutcome::Removed);
    // The tool was first.
    let world = CommandWorld::new();
    let states = (world.version(Some("by tool\n")), world.version(Some("later\n")));
    let change = world.change(2, "edited.txt", states);
    world.changes.append(&[CommandChange { time: change.time + 3_600_000, ..change }.line()]).unwrap();
    world.world.put("edited.txt", "later\n");
    let rewinding = world.planned(2, LEFT);
    carried_out(&world.world.home, &rewinding).unwrap();
    assert_eq!(world.text("edited.txt").as_deref(), Some("by command\n"), "{:?}", rewinding.files);
}

#[test]
fn what_cannot_be_restored_is_named_with_its_reason() {
    let world = CommandWorld::new();
    let large = "x".repeat(usize::try_from(MAX_FILE_BYTES).unwrap() + 1);
    let none = |why| FileVersion::NotCopied(why);
    let small = world.version(Some("small\n"));
    for (name, before, after) in [
        ("shrunk", none(NoCopyReason::TooLarge), small.clone()),
        ("grown", small.clone(), none(NoCopyReason::TooLarge)),
        ("hidden", none(NoCopyReason::Unwatched), small.clone()),
        ("evicted", FileVersion::Copy("0".repeat(64)), small.clone()),
        ("CLAUDE.md", FileVersion::Absent, small.clone()),
        ("../outside", FileVersion::Absent, small.clone()),
    ] {
        world.changes.append(&[world.change(1, name, (before, after)).line()]).unwrap();
        world.world.put(name, if name == "grown" { &large } else { "small\n" });
    }
    let background = world.change(1, "served", (FileVersion::Absent, small));
    let background = CommandChange { origin: ChangeOrigin::Background, ..background };
    let elsewhere = CommandChange { folder: Path::new("/elsewhere").into(), ..background.clone() };
    world.changes.append(&[background.line(), elsewhere.line(), b"torn".to_vec()]).unwrap();
    world.world.put("served", "small\n");
    let rewinding = world.planned(1, LEFT);
    for (name, why) in [
        ("shrunk", SkipReason::NotCopied(NoCopyReason::TooLarge)),
        ("grown", SkipReason::NotCopied(NoCopyReason::TooLarge)),
        ("hidden", SkipReason::NotCopied(NoCopyReason::Unwatched)),
        ("evicted", SkipReason::NoCopy),
        ("CLAUDE.md", SkipReason::Protected),
        ("../outside", SkipReason::PathRefusal(annals_store::files::PathRefusal::Outside)),
        ("served", SkipReason::Background),
    ] {
        assert_eq!(outcome(&rewinding, name), FileOutcome::Skipped(why), "{name}");
    }
    let notes =
        ["changes by commands in other folders stay: 1", "records of changes by commands cannot be read: 1"];
    assert_eq!(rewinding.plan.notes, notes);
    let forced = world.planned(1, ForeignChanges::Overwritten);
    assert_eq!(outcome(&forced, "served"), FileOutcome::Removed);
}

#[test]
fn stopped_half_way_it_is_undone_and_repeated() {
    for stop_at in 0.. {
        let world = story();
        let data = DataDir::new(world.world.home.data_dir());
        let mut watch =
            |step| if step == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let source = CountingSource::default();
        let is_done = apply(&world.planned(1, LEFT), &data, &source, &mut watch).is_ok();
        if let Some(entry) = Journal::new(&data).entries().into_iter().next().filter(|_| !is_done) {
            undo(&world.world.home, entry);
            assert_eq!(world.text("old.txt").as_deref(), Some("three\n"));
        }
        let rewinding = world.planned(1, LEFT);
        if !rewinding.plan.is_empty() {
            carried_out(&world.world.home, &rewinding).unwrap();
        }
        let now = (world.text("old.txt"), world.text("made/new.txt"), world.text("src/deep.rs"));
        assert_eq!(now, (Some("one\n".to_owned()), None, Some("deep\n".to_owned())), "step {stop_at}");
        if is_done {
            assert!(stop_at > 3, "only {stop_at} steps");
            break;
        }
    }
}
