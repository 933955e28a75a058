//! Bundles: a session goes from one store to another with everything that belongs to it, byte for byte, and back.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_demo::Plan as DemoPlan;
use annals_json::Value;
use annals_store::{ConfigDir, DataDir, Store};
use annals_surgery::apply::apply;
use annals_surgery::bundle::{
    Bundle, GatherError, ImportIds, ImportPlan, ImportPlanError, ImportTarget, gather, plan,
};
use annals_testkit::corpus;
use annals_testkit::depth::max_file_bytes;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_testkit::tree::tree;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::clone::rich;
use crate::steps::come_back_from_every_step;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// Through the file format, as between two machines.
fn sent(path: &Path) -> Bundle {
    let (bundle, _) = gather(path).unwrap();
    let mut bytes = Vec::new();
    bundle.write(&mut bytes).unwrap();
    let read = Bundle::read(&bytes[..]).unwrap();
    assert_eq!(read, bundle);
    read
}

fn import(
    bundle: &Bundle,
    home: &Home,
    cwd: Option<&str>,
    ids: ImportIds,
) -> Result<ImportPlan, ImportPlanError> {
    let config = ConfigDir::new(home.config_dir());
    let discovery = Store::open(config.path()).discover();
    let target = ImportTarget { config, cwd: cwd.map(str::to_owned) };
    plan(bundle, Path::new("x.bundle"), &target, ids, &discovery, &CountingSource::default())
}

fn carry_out(plan: &ImportPlan, home: &Home) {
    let data = DataDir::new(home.data_dir());
    apply(&plan.plan, &data, &CountingSource::default(), &mut |_| ControlFlow::Continue(())).unwrap();
}

/// What a client would send, without what names the session.
fn messages(path: &Path) -> Vec<Option<Vec<u8>>> {
    let bytes = fs::read(path).unwrap();
    let transcript = Transcript::parse(&bytes);
    let sent = |client: &Client| {
        let resumed = resume(&transcript, *client);
        let mut out = Vec::new();
        for message in resumed.outcome.ok()? {
            message.write_json(&mut out);
        }
        Some(out)
    };
    Client::ALL.iter().map(sent).collect()
}

/// A rich session with a plan, prompts and a paste, among those of others.
fn garden(home: &Home) -> PathBuf {
    let path = rich(home);
    let text = fs::read_to_string(&path).unwrap();
    let named = text.replacen("\"sessionId\"", "\"slug\":\"calm-oak\",\"sessionId\"", 1);
    fs::write(&path, named).unwrap();
    home.write("plans/calm-oak.md", "# Oaks\n");
    home.write("plans/other.md", "# Others\n");
    home.write("paste-cache/0123456789abcdef.txt", "a long paste");
    home.write("paste-cache/fedcba9876543210.txt", "of another");
    let prompt = |session: &str, paste: &str| {
        format!(
            r#"{{"display":"one","pastedContents":{{"1":{{"id":1,"type":"text","contentHash":"{paste}"}}}},"timestamp":1,"project":"/w","sessionId":"{session}"}}"#
        )
    };
    let history = [prompt(ID, "0123456789abcdef"), prompt("other", "fedcba9876543210")].join("\n") + "\n";
    home.write("history.jsonl", history);
    path
}

#[test]
fn every_byte_arrives() {
    let (from, to) = (Home::new(), Home::new());
    let path = garden(&from);
    // Clients run what is in here, so it stays.
    from.write(format!("session-env/{ID}/hook.sh"), "rm -rf /");
    let (bundle, left_out) = gather(&path).unwrap();
    assert!(left_out.iter().any(|path| path.ends_with("hook.sh")), "{left_out:?}");
    assert!(bundle.files.len() > 5, "{:?}", bundle.files.iter().map(|file| &file.path).collect::<Vec<_>>());
    carry_out(&import(&sent(&path), &to, None, ImportIds::Keep).unwrap(), &to);
    let original = tree(&from.config_dir());
    for (path, bytes) in tree(&to.config_dir()) {
        if path.ends_with("history.jsonl") {
            let prompts = fs::read_to_string(to.config_dir().join("history.jsonl")).unwrap();
            assert!(prompts.contains(ID) && !prompts.contains("other"), "{prompts}");
            continue;
        }
        let inside = path.strip_prefix(to.config_dir()).unwrap();
        assert_eq!(original.get(&from.config_dir().join(inside)), Some(&bytes), "{inside:?}");
    }
    let there = |name: &str| to.config_dir().join(name).exists();
    assert!(there("plans/calm-oak.md") && there("paste-cache/0123456789abcdef.txt"));
    assert!(!there("plans/other.md") && !there("paste-cache/fedcba9876543210.txt") && !there("session-env"));
    // And from there it is the same bundle again.
    assert_eq!(sent(&to.config_dir().join(format!("projects/-w/{ID}.jsonl"))), sent(&path));
}

#[test]
fn a_session_that_is_there_is_not_touched() {
    let home = Home::new();
    let path = garden(&home);
    let bundle = sent(&path);
    let refused = import(&bundle, &home, None, ImportIds::Keep).unwrap_err();
    assert!(matches!(refused, ImportPlanError::Exists { .. }), "{refused}");
    let before = tree(&home.config_dir());
    let planned = import(&bundle, &home, None, ImportIds::New).unwrap();
    assert_ne!(planned.session, ID);
    carry_out(&planned, &home);
    assert_eq!(messages(&planned.path).len(), messages(&path).len());
    for (file, digest) in before {
        // The prompts of the new one are added.
        if !file.ends_with("history.jsonl") {
            assert_eq!(tree(&home.config_dir()).get(&file), Some(&digest), "{file:?}");
        }
    }
}

#[test]
fn a_file_in_the_way_is_refused() {
    let (from, to) = (Home::new(), Home::new());
    let bundle = sent(&garden(&from));
    let taken = to.write(format!("projects/-w/{ID}/tool-results/toolu_9.txt"), "mine");
    let refused = import(&bundle, &to, None, ImportIds::Keep).unwrap_err();
    assert!(matches!(&refused, ImportPlanError::InTheWay { path } if *path == taken), "{refused}");
    // What sessions share stays as it is.
    let other = Home::new();
    other.write("plans/calm-oak.md", "# Mine\n");
    let planned = import(&bundle, &other, None, ImportIds::Keep).unwrap();
    assert!(planned.plan.notes.iter().any(|note| note.contains("calm-oak")), "{:?}", planned.plan.notes);
    carry_out(&planned, &other);
    assert_eq!(fs::read_to_string(other.config_dir().join("plans/calm-oak.md")).unwrap(), "# Mine\n");
}

#[test]
fn another_project_gets_its_folder_everywhere() {
    for ids in [ImportIds::Keep, ImportIds::New] {
        let (from, to) = (Home::new(), Home::new());
        let path = garden(&from);
        let planned = import(&sent(&path), &to, Some("/srv/new"), ids).unwrap();
        carry_out(&planned, &to);
        assert!(planned.path.starts_with(to.config_dir().join("projects/-srv-new")), "{:?}", planned.path);
        assert_eq!(planned.session == ID, ids == ImportIds::Keep);
        for line in fs::read_to_string(&planned.path).unwrap().lines() {
            let Ok(value) = Value::parse(line.as_bytes()) else { continue };
            let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
            assert!(text("cwd").is_none_or(|cwd| cwd == "/srv/new"), "{line}");
            assert!(text("sessionId").is_none_or(|id| planned.session == *id), "{line}");
        }
        let prompts = fs::read_to_string(to.config_dir().join("history.jsonl")).unwrap();
        assert!(prompts.contains("\"project\":\"/srv/new\"") && prompts.contains(planned.session.as_str()));
        let discovery = Store::open(to.config_dir()).discover();
        assert_eq!(discovery.agents_of(&planned.session).count(), 1);
        assert!(discovery.sessions.iter().all(|session| session.slug == "-srv-new"));
    }
    let home = Home::new();
    let bundle = sent(&garden(&home));
    assert!(matches!(
        import(&bundle, &home, Some("relative"), ImportIds::New),
        Err(ImportPlanError::Rewrite(_))
    ));
}

#[test]
fn prompts_of_other_sessions_do_not_come_in() {
    let (from, to) = (Home::new(), Home::new());
    let mut bundle = sent(&garden(&from));
    let prompts = bundle.files.iter_mut().find(|file| file.path == "history.jsonl").unwrap();
    let evil: &[u8] = b"{\"display\":\"evil\",\"sessionId\":\"another\"}\n";
    prompts.bytes = [&*prompts.bytes, evil].concat().into();
    let refused = import(&bundle, &to, None, ImportIds::Keep).unwrap_err();
    assert!(matches!(refused, ImportPlanError::Prompt { line: 2 }), "{refused}");
}

/// A store may come from somebody else, or its owner may have linked parts of it.
#[cfg(unix)]
#[test]
fn links_out_of_the_store_are_neither_sent_nor_written() {
    use std::os::unix::fs::symlink;
    let (from, to) = (Home::new(), Home::new());
    let path = garden(&from);
    let secret = from.path().join("secret");
    fs::write(&secret, "private").unwrap();
    for name in ["plans/calm-oak.md", "paste-cache/0123456789abcdef.txt"] {
        fs::remove_file(from.config_dir().join(name)).unwrap();
        symlink(&secret, from.config_dir().join(name)).unwrap();
    }
    let (bundle, left_out) = gather(&path).unwrap();
    assert!(bundle.files.iter().all(|file| *file.bytes != *b"private"));
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    // The history of the target leads elsewhere: the session is imported, and the link's target stays as it is.
    let elsewhere = to.path().join("history.jsonl");
    fs::write(&elsewhere, "").unwrap();
    symlink(&elsewhere, to.config_dir().join("history.jsonl")).unwrap();
    let planned = import(&bundle, &to, None, ImportIds::Keep).unwrap();
    assert!(planned.plan.notes.iter().any(|note| note.contains("prompts")), "{:?}", planned.plan.notes);
    carry_out(&planned, &to);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "");
}

#[test]
fn an_import_is_reverted_from_every_step() {
    let from = Home::new();
    let bundle = sent(&garden(&from));
    for ids in [ImportIds::Keep, ImportIds::New] {
        let make = || {
            let home = Home::new();
            home.write("history.jsonl", "{\"display\":\"mine\",\"sessionId\":\"mine\"}\n");
            let plan = import(&bundle, &home, Some("/srv/new"), ids).unwrap().plan;
            (home, plan)
        };
        come_back_from_every_step(8, make, |_, before, after| assert!(after.len() > before.len() + 5));
    }
}

#[test]
fn every_session_of_the_demo_store_arrives_and_resumes_equally() {
    let from = Home::new();
    from.fill(&DemoPlan::default());
    let discovery = Store::open(from.config_dir()).discover();
    let mut count = 0;
    for session in discovery.sessions.iter().filter(|session| session.bytes > 0) {
        let to = Home::new();
        let (_, left_out) = gather(&session.path).unwrap();
        assert!(left_out.iter().all(|path| path.to_string_lossy().contains("session-env")), "{left_out:?}");
        let bundle = sent(&session.path);
        let planned = match import(&bundle, &to, None, ImportIds::Keep) {
            Err(ImportPlanError::NoRecords) => continue,
            planned => planned.unwrap(),
        };
        carry_out(&planned, &to);
        assert_eq!(fs::read(&planned.path).unwrap(), fs::read(&session.path).unwrap());
        let agents = |home: &Home| Store::open(home.config_dir()).discover().agents_of(&session.key).count();
        assert_eq!(agents(&to), agents(&from), "{}", session.key);
        count += 1;
    }
    assert!(count > 10, "{count}");
}

#[test]
fn real_sessions_arrive_and_resume_equally() {
    let Some(corpus) = corpus::or_skip("real_sessions_arrive_and_resume_equally") else { return };
    for path in
        corpus.sample().into_iter().filter(|path| fs::metadata(path).unwrap().len() <= max_file_bytes())
    {
        let to = Home::new();
        if matches!(gather(&path), Err(GatherError::NotASession { .. })) {
            continue;
        }
        let bundle = sent(&path);
        for (cwd, ids) in [(None, ImportIds::Keep), (Some("/srv/new"), ImportIds::New)] {
            match import(&bundle, &to, cwd, ids) {
                Ok(planned) => {
                    carry_out(&planned, &to);
                    if ids == ImportIds::Keep {
                        assert_eq!(messages(&planned.path), messages(&path), "{}", path.display());
                    }
                }
                Err(ImportPlanError::NoRecords | ImportPlanError::Rewrite(_)) => {}
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }
}
