//! Every changing command, killed before each step of its change, on one file system and with the data folder on another:
//! `annals undo` restores every byte of the store, also if it is itself killed before any of its steps.
//!
//! Each kill hits a separate process: this test binary, started again for the one test that applies a change and sends
//! itself the signal. Nothing is flushed or dropped; locks end with the process.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, process, thread};

use annals_demo::Plan as DemoPlan;
use annals_store::changes::{self, Change};
use annals_store::digest::sha256;
use annals_store::files::Steps;
use annals_store::journal::Journal;
use annals_store::session::append_side_record;
use annals_store::todos::{TodoItem, list_bytes};
use annals_store::trash::sessions;
use annals_store::{AgentKey, DataDir, Discovery, Project, SessionEntry, Store, reset};
use annals_surgery::apply::apply;
use annals_surgery::merge::SessionPair;
use annals_surgery::move_project::{CwdMode, Projects, Route};
use annals_surgery::repair::RepairOptions;
use annals_surgery::strip::{StripOptions, StripPart, TurnRange};
use annals_surgery::{
    Plan, Session, bundle, clone, compress, file_versions, fork, merge, move_project, redact, repair,
    restore, rewind, session_files, strip, trash,
};
use annals_testkit::builder;
use annals_testkit::depth::is_in_share;
use annals_testkit::home::Home;
use annals_testkit::skipped;
use annals_testkit::source::CountingSource;
use annals_testkit::tree::{copy, exact_tree};
use annals_transcript::draft::Draft;
use annals_transcript::redact::SecretRules;

use crate::{annals, annals_exits};

/// Where the process that is killed finds its order.
const ORDER: &str = "ANNALS_TEST_KILLED";

fn demo() -> DemoPlan {
    DemoPlan { sessions: Some(6), ..DemoPlan::default() }
}

/// Every file below a folder with its digest, but for new bytes that never took their name: no file of the user's.
fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                waiting.push(path);
            } else if !path.to_string_lossy().ends_with(".annals-new") {
                found.insert(path.clone(), sha256(&fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// Every file has the bytes that it had, and there is no other.
#[track_caller]
fn is_as_before(home: &Home, before: &BTreeMap<PathBuf, String>, what: &str) {
    let after = tree(&home.config_dir());
    let of = |path: &PathBuf| (before.get(path), after.get(path));
    let paths: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let odd: Vec<_> = paths.into_iter().filter(|path| of(path).0 != of(path).1).collect();
    assert!(odd.is_empty(), "{what}: {odd:?}");
}

/// The largest session: it has all that an operation can want.
fn largest(discovery: &Discovery) -> &SessionEntry {
    discovery.sessions.iter().max_by_key(|session| (session.bytes, &session.path)).unwrap()
}

/// A store in which there is something to do for each change, copied from one that was [`made`].
fn store(made: &Home) -> Home {
    store_in(Home::new(), made)
}

fn store_in(home: Home, made: &Home) -> Home {
    copy(&made.config_dir(), &home.config_dir());
    // Something to go back to: it names its folder, so it cannot be copied.
    let time =
        fs::metadata(&largest(&Store::open(home.config_dir()).discover()).path).unwrap().modified().unwrap();
    let (told, _) = crate::rewind::told_in(&home, &home.config_dir().join("garden"));
    fs::File::options().write(true).open(&told).unwrap().set_modified(time).unwrap();
    home
}

/// What is the same for every change: made once, since that takes longer than to copy it.
fn made() -> Home {
    let home = Home::new();
    // The store is copied and compared at each step.
    home.fill_sample(&demo());
    let discovery = Store::open(home.config_dir()).discover();
    let path = &largest(&discovery).path;
    let times = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    // Something for a repair.
    bytes.extend_from_slice(b"{\"type\":\"user\",\"uuid\":\"torn");
    fs::write(path, bytes).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(times).unwrap();
    // Something to merge with it.
    let second = "5ec0ffee-0000-4000-8000-000000000000";
    let half = builder::Session::new().id(second).prompt("and then").reply("so").into_bytes();
    let beside = path.with_file_name(format!("{second}.jsonl"));
    fs::write(&beside, half).unwrap();
    fs::File::options().write(true).open(&beside).unwrap().set_modified(times).unwrap();
    home
}

/// One project with a file, a folder and a file elsewhere: each path that a reset moves is several steps.
#[cfg(unix)]
fn made_to_reset() -> Home {
    let (home, id) = (Home::new(), "5ec0ffee-0000-4000-8000-000000000000");
    home.write(
        format!("projects/-p/{id}.jsonl"),
        builder::Session::new().id(id).prompt("a").reply("b").into_bytes(),
    );
    home.write(format!("projects/-p/{id}/tool-results/out.txt"), "out");
    home.write(format!("todos/{id}-agent-{id}.json"), "[]");
    home
}

/// The session whose files can go back; its work folder is in the store, so that it is looked at as well.
fn path_of_rewind(largest: &Path) -> PathBuf {
    let projects = largest.ancestors().nth(2).unwrap();
    let discovery = Store::open(projects.parent().unwrap()).discover();
    let wanted = |session: &&SessionEntry| session.key.as_str() == crate::rewind::ID;
    discovery.sessions.iter().find(wanted).unwrap().path.clone()
}

fn discovery_of(session: &Session) -> Discovery {
    let (config, _) = session.home.as_ref().unwrap();
    Store::open(config.path()).discover()
}

fn plan_of(name: &str, path: &Path) -> Plan {
    let source = CountingSource::default();
    let session = Session::load(path).unwrap();
    match name {
        "clone" | "fork" => {
            let (session, files) = session_files::load(path).unwrap();
            if name == "clone" {
                return clone::plan(&session, &files, &clone::CloneTarget::SameProject, &source)
                    .unwrap()
                    .plan;
            }
            fork::plan(&session, &files, &fork::ForkPoint::End, fork::ForkIds::New, &source).unwrap().plan
        }
        "import" => {
            let (bundle, _) = bundle::gather(path).unwrap();
            let discovery = discovery_of(&session);
            let config = discovery.config_dir.clone();
            let target = bundle::ImportTarget { config, cwd: Some("/moved/there".to_owned()) };
            let ids = bundle::ImportIds::New;
            bundle::plan(&bundle, Path::new("x"), &target, ids, &discovery, &source).unwrap().plan
        }
        "strip" => {
            let parts = vec![StripPart::Thinking, StripPart::Progress];
            let wish = StripOptions {
                tools: None,
                parts: parts.into_iter().collect(),
                large_results: Some(100),
                range: TurnRange::Any,
            };
            strip::strip(&session, &wish).unwrap()
        }
        "compress" => compress::compress(&session, 1, &source).unwrap(),
        "redact" => {
            let discovery = session.home.as_ref().map(|(config, _)| Store::open(config.path()).discover());
            let files = redact::files_to_redact(&session, discovery.as_ref()).unwrap();
            redact::plan(&session, &files, &SecretRules::new(&[], &["(?i)the".to_owned()]).unwrap()).unwrap()
        }
        "repair" => repair::repair(&session, &RepairOptions::default()).unwrap(),
        "trash" => {
            let discovery = discovery_of(&session);
            trash::plan(&[path.to_path_buf()], &discovery, trash::PromptHistory::Remove).unwrap().plan
        }
        "move-project" => {
            let discovery = discovery_of(&session);
            // The project with the fewest files: each is a step, or two.
            let files = |project: &Project| discovery.sessions_of(&project.slug).count();
            let project = discovery
                .projects
                .iter()
                .filter(|project| files(project) > 0)
                .min_by_key(|project| files(project));
            let route = Route::of_slug(project.unwrap().slug.clone(), None, "/moved/there").unwrap();
            move_project::plan(&Projects::load(&discovery, route).unwrap(), CwdMode::Follows).unwrap().plan
        }
        "merge" => {
            let second = path.with_file_name("5ec0ffee-0000-4000-8000-000000000000.jsonl");
            let pair = SessionPair::load(path, &second).unwrap();
            merge::plan(&pair, merge::MergeMode::Anyway).unwrap().plan
        }
        "rewind" => {
            let (session, files) = session_files::load(&path_of_rewind(path)).unwrap();
            let wish = rewind::RewindOptions {
                scope: rewind::RewindScope::Both,
                foreign: rewind::ForeignChanges::Left,
                home: None,
                commands: None,
            };
            rewind::plan(&session, &files, &rewind::TurnRef::Last, wish, &source).unwrap().plan
        }
        "files --restore" => {
            let path = path_of_rewind(path);
            let sessions = [Session::load(&path).unwrap()];
            let file = path.ancestors().nth(3).unwrap().join("garden/old.txt");
            let versions = file_versions::versions(&sessions, &file);
            let first = versions.iter().find(|version| version.bytes() == Some(b"one\n")).unwrap();
            let wish = file_versions::RestoreOptions { foreign: rewind::ForeignChanges::Left, home: None };
            file_versions::plan_restore(&sessions[0], &file, &versions, first, wish).unwrap().plan
        }
        _ => panic!("{name} has no plan"),
    }
}

/// Undoes the last change, or restores the session that went last, if that is the order.
fn goes_back(
    name: &str,
    data: &DataDir,
    source: &CountingSource,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> bool {
    match name {
        "undo" => {
            let journal = Journal::new(data);
            let entry = journal.entries().remove(0);
            journal.undo_in_steps(entry, &mut Steps::new(watch)).unwrap();
        }
        "restore" => {
            let plan = restore::plan(&sessions(data)[0]).unwrap();
            drop(apply(&plan, data, source, watch).unwrap());
        }
        _ => return false,
    }
    true
}

/// The reset with the fewest paths, since each is several steps, that moves files, folders and files outside the project.
fn smallest_reset(discovery: &Discovery) -> reset::ResetPlan {
    let config = &discovery.config_dir;
    let plans = discovery.projects.iter().map(|project| reset::plan(discovery, config, &project.slug));
    let has_all = |plan: &reset::ResetPlan| {
        let is_elsewhere = |path: &PathBuf| !path.starts_with(config.projects());
        plan.paths.iter().any(|path| path.is_dir() && !is_elsewhere(path))
            && plan.paths.iter().any(|path| path.is_file() && !is_elsewhere(path))
            && plan.paths.iter().any(is_elsewhere)
    };
    plans.filter(has_all).min_by_key(|plan| plan.paths.len()).unwrap()
}

/// Carries a change out, and dies before one of its steps. Started by the test below, in a process of its own.
#[test]
#[ignore = "started by the tests of before_each_step"]
fn dies_before_a_step() {
    let order = env::var(ORDER).unwrap();
    let (name, step) = order.rsplit_once(' ').unwrap();
    let fatal: usize = step.parse().unwrap();
    let mut watch = |step: usize| {
        if step == fatal {
            Command::new("kill").args(["-KILL", &process::id().to_string()]).status().unwrap();
            // It is on its way.
            thread::sleep(Duration::from_secs(60));
        }
        ControlFlow::Continue(())
    };
    let data = DataDir::new(PathBuf::from(env::var_os("ANNALS_DATA_DIR").unwrap()));
    let (store, source) = (Store::open(env::var_os("CLAUDE_CONFIG_DIR").unwrap()), CountingSource::default());
    let (config, discovery) = (store.config_dir().clone(), store.discover());
    if goes_back(name, &data, &source, &mut watch) {
        return;
    }
    let session = largest(&discovery);
    match name {
        "rename" | "tag" => {
            let draft = if name == "tag" { Draft::tag("a-tag") } else { Draft::custom_title("A title") };
            drop(append_side_record(&session.path, &draft, name, &data, &source, &mut watch).unwrap());
        }
        "reset-project" => {
            let plan = smallest_reset(&discovery);
            changes::apply(&plan.changes(), name, config.path(), &data, &source, &mut watch).unwrap();
        }
        "todos set" => {
            let items = TodoItem::list(br#"["one","two"]"#).unwrap();
            let path = config.todo(&session.key, &AgentKey::new(session.key.as_str()));
            let replaced = [Change::Replace { path, bytes: list_bytes(&items).into() }];
            changes::apply(&replaced, name, config.path(), &data, &source, &mut watch).unwrap();
        }
        _ => drop(apply(&plan_of(name, &session.path), &data, &source, &mut watch).unwrap()),
    }
}

/// Runs a change in a process of its own, which dies before a step; whether it got to the end.
#[cfg(unix)]
fn finishes(home: &Home, name: &str, step: usize) -> bool {
    let mut command = home.command(env::current_exe().unwrap());
    command.args(["--exact", "killed::dies_before_a_step", "--ignored"]);
    let answer = home.finish(command.env(ORDER, format!("{name} {step}")));
    let finished = answer.code == Some(0);
    assert!(finished || answer.code.is_none(), "{name} {step}: {}{}", answer.out, answer.error);
    finished
}

/// Kills a change before its steps (at least `least`): `annals undo` gives every byte back.
#[cfg(unix)]
fn killed_before_each_step(name: &str, least: usize) {
    let made = if name == "reset-project" { made_to_reset() } else { made() };
    forwards(name, least, &made, Home::new, 0);
    if Home::on_two_file_systems().is_none() {
        skipped(name, "there is no second file system");
        return;
    }
    let two = || Home::on_two_file_systems().unwrap();
    forwards(name, least, &made, two, 1);
    backwards(name, &made, two);
}

/// The steps to die before: all of them at full depth, else the first and every third from `phase` on. The parts of a test have
/// different phases, so that no step is left out by all of them.
#[cfg(unix)]
fn steps(phase: usize) -> impl Iterator<Item = usize> {
    (0..).filter(move |step| *step == 0 || is_in_share(*step, phase, 3))
}

/// Kills the undo of a change before its steps, twice: the next one goes on.
#[cfg(unix)]
fn backwards(name: &str, made: &Home, home: fn() -> Home) {
    for step in steps(2) {
        let home = store_in(home(), made);
        let before = exact_tree(&home.config_dir());
        assert!(finishes(&home, name, usize::MAX));
        let finished = finishes(&home, "undo", step);
        if !finished && !finishes(&home, "undo", step / 2) {
            annals_exits(&home, &["undo", "--yes"], 0);
        }
        assert_same(
            &before,
            &exact_tree(&home.config_dir()),
            &format!("undo of {name}, killed before step {step}"),
        );
        if finished {
            assert!(step >= 2, "the undo of {name} has only {step} steps");
            break;
        }
    }
}

/// Both have the same files, folders and links, with the same bytes, modes and times.
#[track_caller]
fn assert_same(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>, what: &str) {
    let paths: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let odd: Vec<_> = paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).collect();
    assert!(odd.is_empty(), "{what}: {odd:?}");
}

#[cfg(unix)]
fn forwards(name: &str, least: usize, made: &Home, home: fn() -> Home, phase: usize) {
    for step in steps(phase) {
        let home = store_in(home(), made);
        let before = tree(&home.config_dir());
        let finished = finishes(&home, name, step);
        if finished {
            assert_ne!(tree(&home.config_dir()), before, "{name} did nothing");
        }
        let undone = annals(&home, &["undo", "--yes"]);
        // Before the change is noted nothing is done that could be undone.
        assert!(matches!(undone.code, Some(0 | 1)), "{name} {step}: {}", undone.error);
        assert!(undone.code == Some(0) || !finished, "{name} {step}: {}", undone.error);
        is_as_before(&home, &before, &format!("{name}, killed before step {step}"));
        if finished {
            assert!(step >= least, "{name} has only {step} steps");
            break;
        }
    }
}

/// A test for each change, so that they run side by side.
macro_rules! killed_before_each_step {
    ($($test:ident: $name:literal has $least:literal steps),* $(,)?) => {
        #[cfg(unix)]
        mod before_each_step {
            $(#[test]
            fn $test() {
                super::killed_before_each_step($name, $least);
            })*
        }
    };
}

killed_before_each_step!(
    clone: "clone" has 3 steps,
    import: "import" has 3 steps,
    fork: "fork" has 3 steps,
    strip: "strip" has 3 steps,
    compress: "compress" has 3 steps,
    redact: "redact" has 3 steps,
    repair: "repair" has 3 steps,
    rename: "rename" has 3 steps,
    tag: "tag" has 3 steps,
    reset_project: "reset-project" has 3 steps,
    todos_set: "todos set" has 3 steps,
    trash: "trash" has 3 steps,
    move_project: "move-project" has 3 steps,
    merge: "merge" has 3 steps,
    rewind: "rewind" has 8 steps,
    files_restore: "files --restore" has 3 steps,
);

/// A restore that is killed before any of its steps is finished by the next one, or undone by undo.
#[cfg(unix)]
#[test]
fn a_killed_restore_is_run_again_or_undone() {
    let made = made();
    let mut homes: Vec<fn() -> Home> = vec![Home::new];
    match Home::on_two_file_systems() {
        Some(_) => homes.push(|| Home::on_two_file_systems().unwrap()),
        None => skipped("a_killed_restore_is_run_again_or_undone", "there is no second file system"),
    }
    for (phase, home) in homes.into_iter().enumerate() {
        for step in steps(phase) {
            let mut finished = false;
            for ending in ["restore", "undo"] {
                let home = store_in(home(), &made);
                let before = exact_tree(&home.config_dir());
                let discovery = Store::open(home.config_dir()).discover();
                let id = largest(&discovery).key.to_string();
                annals_exits(&home, &["trash", &id, "--yes"], 0);
                let trashed = exact_tree(&home.config_dir());
                finished = finishes(&home, "restore", step);
                let what = format!("restore, killed before step {step}, then {ending}");
                if ending == "restore" {
                    // Once it is done there is nothing to restore.
                    annals_exits(&home, &["restore", &id, "--yes"], i32::from(finished));
                    assert_same(&before, &exact_tree(&home.config_dir()), &what);
                } else {
                    // Before the restore is noted, it is the change before it that is undone.
                    annals_exits(&home, &["undo", "--yes"], 0);
                    let after = exact_tree(&home.config_dir());
                    assert_same(if step == 0 { &before } else { &trashed }, &after, &what);
                }
            }
            if finished {
                break;
            }
        }
    }
}

#[test]
fn undo_after_every_command_gives_every_byte_back() {
    let (items, made) = (Home::new(), made());
    let list = items.write("items.json", br#"["one","two"]"#).display().to_string();
    let commands: [&[&str]; 14] = [
        &["clone"],
        &["fork"],
        &["fork", "--turn", "1"],
        &["fork", "--keep-ids"],
        &["strip", "--tools", "all", "--thinking"],
        &["strip", "--tools", "all", "--keep-calls", "--images", "--progress", "--attachments"],
        &["strip", "--large-results", "100"],
        &["compress", "--keep-turns", "1"],
        &["redact", "--pattern", "(?i)the"],
        &["repair"],
        &["rename", "Another name"],
        &["tag", "a-tag"],
        &["todos set", "--file", &list],
        &["reset-project"],
    ];
    for words in commands {
        let home = store(&made);
        let before = exact_tree(&home.config_dir());
        let discovery = Store::open(home.config_dir()).discover();
        let session = largest(&discovery);
        // The session stands right behind the command. The name of a project begins as an option does.
        let mut arguments: Vec<&str> = words[0].split(' ').collect();
        match words[0] {
            "reset-project" => arguments.extend(["--yes", "--", session.slug.as_str()]),
            _ => {
                arguments.push(session.key.as_str());
                arguments.extend(&words[1..]);
                arguments.push("--yes");
            }
        }
        annals_exits(&home, &arguments, 0);
        assert_ne!(exact_tree(&home.config_dir()), before, "{words:?} did nothing");
        annals_exits(&home, &["undo", "--yes"], 0);
        assert_same(&before, &exact_tree(&home.config_dir()), &format!("{words:?}"));
    }
}
