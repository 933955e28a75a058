//! Files are rewound to their state at a prompt, in the format of every release, and only those that may be.

use std::fs;

use annals_store::files::PathRefusal;
use annals_surgery::rewind::{
    Conversation, FileOutcome, ForeignChanges, RewindError, RewindOptions, RewindScope, SkipReason, TurnRef,
    turns,
};
use annals_testkit::tree::tree;

use super::world::{ERAS, Era, ID, World, story};
use super::{carried_out, options, planned, undo};
use crate::steps::come_back_from_every_step;

const LEFT: ForeignChanges = ForeignChanges::Left;

fn outcome(rewinding: &annals_surgery::rewind::RewindPlan, name: &str) -> FileOutcome {
    rewinding
        .files
        .iter()
        .find(|file| file.name == name)
        .unwrap_or_else(|| panic!("{name}: {rewinding:?}"))
        .outcome
}

#[test]
fn every_turn_of_every_era_is_as_the_model_says() {
    for era in ERAS {
        for turn in 1..=4 {
            let mut world = story(era);
            let path = world.write();
            let (before, lines) = (world.now(), fs::read(&path).unwrap());
            let rewinding = planned(&path, &TurnRef::Number(turn), options(RewindScope::Code, LEFT)).unwrap();
            assert_eq!(rewinding.conversation, Conversation::Stays);
            assert!(rewinding.plan.locked.is_empty(), "a session that is open can be gone back in");
            let entry = carried_out(&world.home, &rewinding).unwrap();
            assert_eq!(world.now(), world.models[turn - 1], "{era:?}, turn {turn}: {:?}", rewinding.files);
            assert_eq!(fs::read(&path).unwrap(), lines);
            undo(&world.home, entry);
            assert_eq!(world.now(), before, "{era:?}, turn {turn}");
        }
    }
}

#[test]
fn turns_tell_what_they_changed() {
    let mut world = story(Era::Snapshots);
    let path = world.write();
    let session = annals_surgery::Session::load(&path).unwrap();
    let listed: Vec<_> =
        turns(&session).into_iter().map(|turn| (turn.number, turn.prompt, turn.files)).collect();
    let expected = [(1, "first", 2), (2, "second", 2), (3, "third", 0), (4, "fourth", 2)];
    assert_eq!(listed, expected.map(|(number, prompt, files)| (number, prompt.to_owned(), files)));
}

#[test]
fn going_back_twice_needs_no_force() {
    let mut world = story(Era::Snapshots);
    let path = world.write();
    for turn in [3, 1, 4, 2] {
        let rewinding = planned(&path, &TurnRef::Number(turn), options(RewindScope::Code, LEFT)).unwrap();
        assert_eq!(rewinding.foreign().count(), 0, "turn {turn}");
        if !rewinding.plan.is_empty() {
            carried_out(&world.home, &rewinding).unwrap();
        }
        assert_eq!(world.now(), world.models[turn - 1], "turn {turn}");
    }
}

#[test]
fn what_somebody_else_changed_is_left_unless_it_is_meant() {
    let mut world = story(Era::Snapshots);
    let path = world.write();
    world.put("old.txt", "by hand\n");
    fs::remove_file(world.work.join("src/deep.rs")).unwrap();
    let rewinding = planned(&path, &TurnRef::Number(1), options(RewindScope::Code, LEFT)).unwrap();
    assert_eq!(outcome(&rewinding, "old.txt"), FileOutcome::Skipped(SkipReason::ChangedSince));
    assert_eq!(rewinding.foreign().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["old.txt"]);
    // A deleted file is restored: nothing is lost by it.
    assert_eq!(outcome(&rewinding, "src/deep.rs"), FileOutcome::Created);
    let rewinding =
        planned(&path, &TurnRef::Number(1), options(RewindScope::Code, ForeignChanges::Overwritten)).unwrap();
    assert_eq!(outcome(&rewinding, "old.txt"), FileOutcome::Restored);
    assert!(rewinding.files.iter().any(|file| file.name == "old.txt" && file.changed_since));
    let entry = carried_out(&world.home, &rewinding).unwrap();
    assert_eq!(world.now(), world.models[0]);
    undo(&world.home, entry);
    assert_eq!(fs::read_to_string(world.work.join("old.txt")).unwrap(), "by hand\n");
    assert!(!world.work.join("src/deep.rs").exists());
}

/// A snapshot of the first prompt with these entries.
fn claiming(tracked: &[(&str, &str)]) -> World {
    let mut world = World::new(Era::Snapshots);
    world.put("mine.txt", "mine\n");
    world.prompt("first");
    let prompt = world.last_prompt();
    world.home.write(format!("file-history/{ID}/00ff00ff00ff00ff@v1"), "theirs\n");
    world.home.write("file-history/secret", "secret\n");
    world.side("file-history-snapshot", |object| {
        object.string("messageId", &prompt).object("snapshot", |object| {
            object.string("messageId", &prompt).object("trackedFileBackups", |files| {
                for (name, copy) in tracked {
                    files.object(name, |file| {
                        match *copy {
                            "" => file.raw("backupFileName", b"null"),
                            copy => file.string("backupFileName", copy),
                        };
                        file.number("version", 1_u64);
                    });
                }
            });
        });
    });
    world.reply("done");
    world
}

#[test]
fn files_that_configure_programs_are_left_unless_it_is_meant() {
    const COPY: &str = "00ff00ff00ff00ff@v1";
    let names = [
        ".claude/settings.local.json",
        ".envrc",
        ".vscode/tasks.json",
        "CLAUDE.md",
        "sub/.husky/pre-commit",
        ".github/workflows/ci.yml",
        ".Npmrc",
    ];
    let tracked: Vec<_> = names.iter().chain(&["fine.txt"]).map(|name| (*name, COPY)).collect();
    let mut world = claiming(&tracked);
    let path = world.write();
    let rewinding = planned(&path, &TurnRef::Last, options(RewindScope::Code, LEFT)).unwrap();
    for name in names {
        assert_eq!(outcome(&rewinding, name), FileOutcome::Skipped(SkipReason::Protected), "{name}");
    }
    assert_eq!(outcome(&rewinding, "fine.txt"), FileOutcome::Created);
    carried_out(&world.home, &rewinding).unwrap();
    assert_eq!(tree(&world.work).len(), 2);
    let rewinding =
        planned(&path, &TurnRef::Last, options(RewindScope::Code, ForeignChanges::Overwritten)).unwrap();
    for name in names {
        assert_eq!(outcome(&rewinding, name), FileOutcome::Created, "{name}");
    }
}

#[test]
fn names_that_lead_elsewhere_are_left() {
    const COPY: &str = "00ff00ff00ff00ff@v1";
    let mut world = claiming(&[
        ("../outside.txt", COPY),
        ("a/../../outside.txt", ""),
        ("/etc/passwd", COPY),
        (".git/hooks/pre-commit", COPY),
        ("traversal.txt", "../secret"),
        ("absolute.txt", "/etc/passwd"),
        ("odd.txt", "00FF00ff00ff00ff@v1"),
        ("gone.txt", "11ff00ff00ff00ff@v1"),
        ("fine.txt", COPY),
    ]);
    let outside = world.home.path().join("outside.txt");
    fs::write(&outside, "not mine\n").unwrap();
    let path = world.write();
    let rewinding =
        planned(&path, &TurnRef::Last, options(RewindScope::Code, ForeignChanges::Overwritten)).unwrap();
    let skipped = |why| FileOutcome::Skipped(why);
    for (name, expected) in [
        ("../outside.txt", skipped(SkipReason::PathRefusal(PathRefusal::Outside))),
        ("a/../../outside.txt", skipped(SkipReason::PathRefusal(PathRefusal::Outside))),
        ("/etc/passwd", skipped(SkipReason::PathRefusal(PathRefusal::Outside))),
        (".git/hooks/pre-commit", skipped(SkipReason::PathRefusal(PathRefusal::OfGit))),
        ("traversal.txt", skipped(SkipReason::BadName)),
        ("absolute.txt", skipped(SkipReason::BadName)),
        ("odd.txt", skipped(SkipReason::BadName)),
        ("gone.txt", skipped(SkipReason::NoCopy)),
        ("fine.txt", FileOutcome::Created),
    ] {
        assert_eq!(outcome(&rewinding, name), expected, "{name}");
    }
    carried_out(&world.home, &rewinding).unwrap();
    let there = tree(&world.work);
    assert_eq!(there.len(), 2, "{there:?}");
    assert_eq!(there[&world.work.join("fine.txt")], b"theirs\n");
    assert_eq!(fs::read_to_string(outside).unwrap(), "not mine\n");
}

#[cfg(unix)]
#[test]
fn links_are_left_also_those_that_come_between() {
    use std::os::unix::fs::symlink;
    let mut world = story(Era::Snapshots);
    let path = world.write();
    let elsewhere = world.home.path().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("deep.rs"), "not mine\n").unwrap();
    fs::hard_link(world.work.join("new.txt"), world.work.join("twin.txt")).unwrap();
    let rewinding = planned(&path, &TurnRef::Number(1), options(RewindScope::Code, LEFT)).unwrap();
    assert_eq!(
        outcome(&rewinding, "new.txt"),
        FileOutcome::Skipped(SkipReason::PathRefusal(PathRefusal::HardLink))
    );
    // The folder is replaced by a link after the plan was made.
    fs::rename(world.work.join("src"), world.work.join("src-before")).unwrap();
    symlink(&elsewhere, world.work.join("src")).unwrap();
    let before = tree(world.home.path());
    let refused = carried_out(&world.home, &rewinding).unwrap_err();
    assert!(!refused.to_string().is_empty());
    let mut after = tree(world.home.path());
    after.retain(|path, _| !path.starts_with(world.home.data_dir()));
    let mut before = before;
    before.retain(|path, _| !path.starts_with(world.home.data_dir()));
    assert_eq!(after, before, "{refused}");
    let rewinding = planned(&path, &TurnRef::Number(1), options(RewindScope::Code, LEFT)).unwrap();
    assert_eq!(
        outcome(&rewinding, "src/deep.rs"),
        FileOutcome::Skipped(SkipReason::PathRefusal(PathRefusal::SymbolicLink))
    );
    fs::remove_file(world.work.join("old.txt")).unwrap();
    symlink(elsewhere.join("deep.rs"), world.work.join("old.txt")).unwrap();
    let refused = carried_out(&world.home, &rewinding).unwrap_err();
    assert_eq!(fs::read_to_string(elsewhere.join("deep.rs")).unwrap(), "not mine\n", "{refused}");
}

#[cfg(unix)]
#[test]
fn a_copy_that_is_a_link_is_no_copy_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let mut world = story(Era::Snapshots);
    let path = world.write();
    let old = world.work.join("old.txt");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
    let copies = world.home.config_dir().join("file-history").join(ID);
    // Clients that resume hard-link copies.
    for (number, entry) in fs::read_dir(&copies).unwrap().flatten().enumerate() {
        fs::hard_link(entry.path(), world.home.path().join(format!("twin-{number}"))).unwrap();
    }
    let rewinding = planned(&path, &TurnRef::Number(2), options(RewindScope::Code, LEFT)).unwrap();
    carried_out(&world.home, &rewinding).unwrap();
    assert_eq!(world.now(), world.models[1]);
    assert_eq!(fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o755);
    for entry in fs::read_dir(copies).unwrap().flatten() {
        fs::remove_file(entry.path()).unwrap();
        symlink("/etc/passwd", entry.path()).unwrap();
    }
    let rewinding =
        planned(&path, &TurnRef::Number(1), options(RewindScope::Code, ForeignChanges::Overwritten)).unwrap();
    assert_eq!(outcome(&rewinding, "old.txt"), FileOutcome::Skipped(SkipReason::NoCopy));
}

#[test]
fn sessions_that_claim_the_disk_or_a_home_change_nothing() {
    let mut world = story(Era::Snapshots);
    let path = world.write();
    let work = world.work.clone();
    let home = RewindOptions { home: Some(&work), ..options(RewindScope::Code, LEFT) };
    assert!(matches!(planned(&path, &TurnRef::Last, home), Err(RewindError::WorkFolder { .. })));
    fs::rename(&work, work.with_file_name("moved")).unwrap();
    let gone = planned(&path, &TurnRef::Last, options(RewindScope::Both, LEFT));
    assert!(matches!(gone, Err(RewindError::WorkFolder { .. })));
    assert!(planned(&path, &TurnRef::Last, options(RewindScope::Conversation, LEFT)).is_ok());
}

#[test]
fn a_file_that_is_written_to_after_the_plan_is_not_touched() {
    let mut world = story(Era::Snapshots);
    let path = world.write();
    let rewinding = planned(&path, &TurnRef::Number(1), options(RewindScope::Both, LEFT)).unwrap();
    world.put("old.txt", "meanwhile\n");
    let before = world.now();
    assert!(carried_out(&world.home, &rewinding).is_err());
    assert_eq!(world.now(), before);
}

#[test]
fn stopped_at_any_step_it_comes_back_whole() {
    // The working directory is in the config dir, so that its files are compared as well.
    let make = || {
        let mut world = story(Era::Snapshots);
        let path = world.write();
        let rewinding = planned(&path, &TurnRef::Number(2), options(RewindScope::Both, LEFT)).unwrap();
        assert!(matches!(rewinding.conversation, Conversation::Back { .. }));
        (world.home, rewinding.plan)
    };
    come_back_from_every_step(8, make, |_, before, after| assert_ne!(before, after));
}
