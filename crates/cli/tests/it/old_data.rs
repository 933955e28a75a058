//! Data of an earlier annals, opened by this one: vault, journal, trash, spool and index read, restore and undo.
//!
//! `scripts/make-old-data` recorded it with the binary before the types were renamed; names in code must not leak into
//! files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use annals_json::Value;
use annals_store::digest::short;
use annals_testkit::home::Home;
use annals_testkit::receiver::{Receiver, ReceiverBehavior};
use flate2::read::GzDecoder;

use crate::annals_exits;

const RECORDING: &[u8] = include_bytes!("../data/stored-before-plain-names.gz");
const TRASHED: &str = "c40b0910-16cc-4655-8aae-974056e7f655";
const STRIPPED: &str = "64e1c5a1-bf23-401c-a1bc-b228670652c9";

/// A home with what the old binary left, and the store as it was before the old binary changed it.
struct OldHome {
    home: Home,
    /// Paths below the config dir.
    before: BTreeMap<PathBuf, Vec<u8>>,
    versions: String,
}

impl OldHome {
    fn new() -> Self {
        let home = Home::new();
        let mut old = Self { home, before: BTreeMap::new(), versions: String::new() };
        let mut bytes = Vec::new();
        GzDecoder::new(RECORDING).read_to_end(&mut bytes).unwrap();
        let mut rest = &bytes[..];
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let head = std::str::from_utf8(&rest[..end]).unwrap();
            let [length, modified, path] = head.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!("{head}")
            };
            let (body, next) = rest[end + 1..].split_at(length.parse().unwrap());
            old.place(path, body, modified.parse().unwrap());
            rest = next;
        }
        assert_eq!(old.before.len(), 21);
        old
    }

    fn place(&mut self, path: &str, body: &[u8], modified_ns: u64) {
        if path == "versions.json" {
            self.versions = String::from_utf8(body.to_vec()).unwrap();
        } else if let Some(below) = path.strip_prefix("before/") {
            self.before.insert(below.into(), body.to_vec());
        } else if let Some(below) = path.strip_prefix("claude/") {
            write(&self.home.config_dir().join(below), body, modified_ns);
        } else {
            let body = if path.starts_with("data/journal") { self.with_paths(body) } else { body.to_vec() };
            write(&self.home.path().join(path), &body, modified_ns);
        }
    }

    fn with_paths(&self, body: &[u8]) -> Vec<u8> {
        let text = std::str::from_utf8(body).unwrap();
        let text = text.replace("@BASE@/claude", self.home.config_dir().to_str().unwrap());
        text.replace("@BASE@", self.home.path().to_str().unwrap()).into_bytes()
    }

    fn run(&self, arguments: &[&str]) -> String {
        annals_exits(&self.home, arguments, 0).out
    }
}

fn write(path: &Path, body: &[u8], modified_ns: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, body).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_nanos(modified_ns)).unwrap();
}

/// The files below a folder, by their path from it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Each session of `archive --list --json` with the ids of its versions.
fn version_ids(json: &str) -> BTreeMap<String, Vec<String>> {
    let text = |value: Value<'_>| value.text().unwrap().decode().into_owned();
    let list = Value::parse(json.trim().as_bytes()).unwrap();
    let sessions = list.get("sessions").unwrap().items();
    let ids = sessions.map(|session| {
        let versions = session.get("versions").unwrap().items();
        (
            text(session.get("session").unwrap()),
            versions.map(|one| text(one.get("version").unwrap())).collect(),
        )
    });
    ids.collect()
}

/// The name that this home's store or sink has in a folder of the data dir: the only one there with the extension.
fn name_in(folder: &Path, extension: &str) -> String {
    let mut names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = names.find(|path| path.extension().is_some_and(|end| end == extension)).unwrap();
    found.file_stem().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn every_change_in_an_old_journal_is_undone() {
    let old = OldHome::new();
    let list = old.run(&["undo", "--list"]);
    for what in ["rename", "strip", "redact", "clone", "trash"] {
        assert!(list.contains(what), "{list}");
    }
    assert!(old.run(&["trash", "--list"]).contains(&TRASHED[..8]));
    for _ in 0..5 {
        old.run(&["undo", "--yes"]);
    }
    assert!(files(&old.home.config_dir()) == old.before, "the store is not what it was before the changes");
}

#[test]
fn an_old_vault_lists_verifies_and_restores_every_version() {
    let old = OldHome::new();
    assert_eq!(version_ids(&old.run(&["archive", "--list", "--json"])), version_ids(&old.versions));
    old.run(&["archive", "--verify"]);
    for (session, versions) in version_ids(&old.versions) {
        for version in versions {
            let out = old.home.path().join("restored").join(&version);
            old.run(&["restore", &session, "--version", &version, "--to", out.to_str().unwrap(), "--yes"]);
            for (path, bytes) in files(&out) {
                let now = fs::read(old.home.config_dir().join(&path)).ok();
                let known = [old.before.get(&path), now.as_ref()];
                assert!(known.contains(&Some(&bytes)), "{session} {version}: {}", path.display());
            }
        }
    }
    assert!(files(&old.home.path().join("restored")).len() > 6 + 2 * 17);
}

#[test]
fn an_old_vault_shares_its_content_with_new_versions() {
    let old = OldHome::new();
    let packed = || files(&old.home.data_dir().join("vault/packs")).values().map(Vec::len).sum::<usize>();
    let before = packed();
    // The store lies elsewhere now, so every session gets a new version; nearly all of its content is in the old packs.
    old.run(&["archive", "--all", "--yes"]);
    let list = old.run(&["archive", "--list", "--json"]);
    let count = |json: &str| json.matches("\"version\":").count();
    assert_eq!(count(&list), count(&old.versions) + 5);
    assert!(packed() - before < before / 4, "{before} {}", packed());
}

#[test]
fn a_session_in_the_old_trash_comes_back() {
    let old = OldHome::new();
    old.run(&["restore", TRASHED, "--yes"]);
    let path = Path::new("projects/-home-mira-work-lantern-shop").join(format!("{TRASHED}.jsonl"));
    assert!(fs::read(old.home.config_dir().join(&path)).unwrap() == old.before[&path]);
}

#[test]
fn an_old_spool_is_sent() {
    let old = OldHome::new();
    fs::remove_dir_all(old.home.config_dir().join("projects")).unwrap();
    let receiver = Receiver::start(ReceiverBehavior::Good);
    let to = receiver.url();
    let collect = old.home.data_dir().join("collect");

    // A sink's files are named after its address: learn the name in another home, and hand the old files over under it.
    let other = Home::new();
    let empty = annals_exits(&other, &["collect", "--to", &to], 0);
    assert!(receiver.kept().is_empty(), "{}", empty.out);
    let (name, old_name) = (name_in(&other.data_dir().join("collect"), "json"), name_in(&collect, "json"));
    for extension in ["json", "spool"] {
        fs::rename(
            collect.join(format!("{old_name}.{extension}")),
            collect.join(format!("{name}.{extension}")),
        )
        .unwrap();
    }

    // A batch names its store after the path of it: the store lies elsewhere now.
    let store = short(old.home.config_dir().canonicalize().unwrap().as_os_str().as_encoded_bytes());
    for batch in fs::read_dir(collect.join(format!("{name}.spool"))).unwrap() {
        let path = batch.unwrap().path();
        let text = String::from_utf8(zstd::decode_all(&fs::read(&path).unwrap()[..]).unwrap()).unwrap();
        let named = text.split("\"store\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let here = text.replacen(named, &store, 1);
        fs::write(&path, zstd::encode_all(here.as_bytes(), 3).unwrap()).unwrap();
    }

    old.run(&["collect", "--to", &to]);
    let sent: Vec<u8> = receiver.kept().iter().flat_map(|batch| batch.decoded()).collect();
    assert!(sent.split(|&byte| byte == b'\n').count() > 50);
    let sent = String::from_utf8(sent).unwrap();
    assert!(sent.contains(STRIPPED));
    // Under the names that it had, in case it has arrived already.
    assert!(!sent.contains("\"v\":") && !sent.contains("\"store\":"));
    assert!(!collect.join(format!("{name}.spool/000000000001.ndjson.zst")).exists());
}

#[test]
fn an_old_index_is_read_without_a_rebuild() {
    let old = OldHome::new();
    let index = old.home.data_dir().join("index");
    let old_name = name_in(&index, "db");

    // An index is named after the path of its store: learn the name, and hand the old files over under it.
    let elsewhere = old.home.path().join("elsewhere");
    old.run(&["--data-dir", elsewhere.to_str().unwrap(), "index"]);
    let name = name_in(&elsewhere.join("index"), "db");
    for extension in ["db", "words", "seen"] {
        fs::rename(index.join(format!("{old_name}.{extension}")), index.join(format!("{name}.{extension}")))
            .unwrap();
    }

    // Only the old index knows the session that was moved to the trash.
    let count = "select count(*) from messages m join files f on f.id = m.file where f.session = '";
    let count = format!("{count}{TRASHED}'");
    let fresh = old.run(&["--data-dir", elsewhere.to_str().unwrap(), "sql", &count]);
    let carried = old.run(&["sql", &count]);
    assert_ne!(carried, fresh, "the rows of the old index are lost");
    old.run(&["search", "pack writer"]);
    old.run(&["usage"]);
}
