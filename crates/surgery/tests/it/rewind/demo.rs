//! The sessions of the demo store in a working directory: every turn against the results of tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use annals_demo::Plan;
use annals_json::Value;
use annals_store::files::PathRefusal;
use annals_store::{Store, project_slug};
use annals_surgery::rewind::{FileOutcome, FileRewind, ForeignChanges, RewindScope, SkipReason, TurnRef};
use annals_testkit::home::Home;
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::turns;

use super::{carried_out, options, planned, undo};

type Model = BTreeMap<PathBuf, Option<String>>;

/// An edit: the content after, or what was replaced by what.
enum Edit {
    Whole(String),
    Part(String, String),
}

/// The content of a file before an edit according to its result, if it has it, and the edit.
fn told(line: &[u8]) -> Option<(PathBuf, Option<String>, Edit)> {
    let result = Value::parse(line).ok()?.get("toolUseResult")?;
    let text = |key: &str| result.get(key).and_then(Value::text).map(|text| text.to_string());
    let (path, before) = (PathBuf::from(text("filePath")?), text("originalFile"));
    result.get("structuredPatch")?;
    let edit = match text("content") {
        Some(content) => Edit::Whole(content),
        None => Edit::Part(text("oldString")?, text("newString")?),
    };
    Some((path, before, edit))
}

/// A session with its folder moved to here: its file, and the states of its files at each prompt and in the end.
fn moved(bytes: &[u8], work: &Path) -> Option<(Vec<u8>, Vec<Model>, Model)> {
    let transcript = Transcript::parse(bytes);
    let cwd =
        transcript.records().find_map(|(_, record)| record.envelope().cwd().map(|cwd| cwd.to_string()))?;
    let is_plain = cwd.starts_with('/') && !cwd.contains('"');
    let text = String::from_utf8(bytes.to_vec()).ok().filter(|_| is_plain)?;
    let text = text.replace(&cwd, &work.display().to_string());
    let transcript = Transcript::parse(text.as_bytes());
    let prompts: Vec<_> = turns(&transcript).iter().map(|turn| turn.prompt).collect();
    let (mut model, mut models, mut untold) = (Model::new(), Vec::new(), Vec::new());
    // The first known state of a file is the original one. Files elsewhere, such as a plan, are neither written nor
    // rewound.
    let told = |node| told(transcript.fields(node).raw()).filter(|(path, ..)| path.starts_with(work));
    for node in transcript.indices() {
        if let Some((path, before, edit)) = told(node)
            && !model.contains_key(&path)
            && !untold.contains(&path)
        {
            // Of some files the original state is unknown.
            let is_known = before.is_some() || matches!(edit, Edit::Whole(_));
            if is_known {
                model.insert(path, before);
            } else {
                untold.push(path);
            }
        }
    }
    for node in transcript.indices() {
        if prompts.contains(&node) {
            models.push(model.clone());
        }
        if let Some((path, _, edit)) = told(node) {
            let after = match (edit, model.get(&path)) {
                (Edit::Whole(content), Some(_)) => content,
                (Edit::Part(old, new), Some(Some(before))) => before.replacen(&old, &new, 1),
                _ => continue,
            };
            model.insert(path, Some(after));
        }
    }
    // The newest of the demo sessions records one edit and not those before it, which no client does.
    let has_history = text.contains("\"file-history-snapshot\"");
    let bytes = text.clone().into_bytes();
    (has_history && !model.is_empty()).then_some((bytes, models, model))
}

fn put(model: &Model, work: &Path) {
    for (path, content) in model {
        assert!(path.starts_with(work));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content {
            Some(content) => fs::write(path, content).unwrap(),
            None => drop(fs::remove_file(path)),
        }
    }
}

fn now(model: &Model) -> Model {
    model.keys().map(|path| (path.clone(), fs::read_to_string(path).ok())).collect()
}

fn filled(plan: &Plan) -> Home {
    let home = Home::new();
    home.fill(plan);
    home
}

#[test]
fn every_turn_of_the_demo_sessions_is_as_their_results_tell() {
    let (mut sessions, mut states, mut files) = (0, 0, 0);
    let stores: Vec<Home> = (1..=4).map(|seed| filled(&Plan { seed, ..Plan::default() })).collect();
    let found = stores.iter().map(|store| (store, Store::open(store.config_dir()).discover()));
    let all = found.flat_map(|(store, found)| found.sessions.into_iter().map(move |entry| (store, entry)));
    for (store, entry) in all {
        let home = Home::new();
        let work = home.path().join("work");
        let Some((bytes, models, end)) = moved(&fs::read(&entry.path).unwrap(), &work) else { continue };
        let key = entry.key.as_str();
        let slug = project_slug(&work.display().to_string());
        let path = home.write(format!("projects/{slug}/{key}.jsonl"), bytes);
        let copies = store.config_dir().join("file-history").join(key);
        for copy in fs::read_dir(copies).into_iter().flatten().flatten() {
            let name = copy.file_name().display().to_string();
            home.write(format!("file-history/{key}/{name}"), fs::read(copy.path()).unwrap());
        }
        put(&end, &work);
        for (turn, model) in models.iter().enumerate() {
            let rewinding =
                planned(&path, &TurnRef::Number(turn + 1), options(RewindScope::Code, ForeignChanges::Left))
                    .unwrap();
            let outside = FileOutcome::Skipped(SkipReason::PathRefusal(PathRefusal::Outside));
            let no_snapshot = FileOutcome::Skipped(SkipReason::NoSnapshot);
            let is_left = |file: &FileRewind| {
                matches!(file.outcome, FileOutcome::Skipped(_))
                    && file.outcome != outside
                    && file.outcome != no_snapshot
            };
            let left = rewinding.files.iter().any(is_left);
            assert!(!left, "{key}, turn {}: {:?}", turn + 1, rewinding.files);
            // Files that the session has no copies of stay as they are, and are named.
            let known: Vec<_> = rewinding.files.iter().filter_map(|file| file.path.clone()).collect();
            for (path, then) in
                model.iter().filter(|(path, then)| !known.contains(path) && end[*path] != **then)
            {
                let is_it = |file: &FileRewind| Path::new(&file.name) == path && file.outcome == no_snapshot;
                assert!(rewinding.files.iter().any(is_it), "{}: {then:?}", path.display());
            }
            let expected: Model = model
                .iter()
                .map(|(path, then)| {
                    let state = if known.contains(path) { then } else { &end[path] };
                    (path.clone(), state.clone())
                })
                .collect();
            let entry = (!rewinding.plan.is_empty()).then(|| carried_out(&home, &rewinding).unwrap());
            assert!(now(model) == expected, "{key}, turn {}: {:?}", turn + 1, rewinding.files);
            states += 1;
            files += known.len();
            if let Some(entry) = entry {
                undo(&home, entry);
            }
            assert_eq!(now(&end), end);
        }
        sessions += 1;
    }
    println!("{sessions} sessions, {states} turns, {files} files");
    assert!(sessions >= 5 && states > 20 && files > 20, "{sessions} {states} {files}");
}
