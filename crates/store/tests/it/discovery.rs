//! Discovery of a generated store.

use std::path::Path;

use annals_store::layout::{AgentLocation, FileRole};
use annals_store::project_path::{Evidence, folders_of_slug};
use annals_store::{Discovery, SessionKey, Store, project_slug};
use annals_testkit::temp::TempDir;

const LINE: &str =
    r#"{"type":"user","uuid":"u","sessionId":"s1","cwd":"/home/me/app","message":{"content":"hi"}}"#;

fn store() -> TempDir {
    let temp = TempDir::new("discovery");
    temp.write("projects/-home-me-app/s1.jsonl", LINE);
    temp.write("projects/-home-me-app/s2.jsonl", "");
    temp.write("projects/-home-me-app/agent-beside.jsonl", LINE);
    temp.write("projects/-home-me-app/agent-nobody.jsonl", "{}\n");
    temp.write("projects/-home-me-app/s1/subagents/agent-under.jsonl", "");
    temp.write("projects/-home-me-app/s1/subagents/agent-under.meta.json", "{}");
    temp.write("projects/-home-me-app/s1/subagents/workflows/wf_1/agent-deep.jsonl", "");
    temp.write("projects/-home-me-app/s1/subagents/workflows/wf_1/journal.jsonl", "");
    temp.write("projects/-home-me-app/s1/tool-results/t.txt", "long");
    temp.write("projects/-home-me-app/s1/custom-title.json", "{}");
    temp.write("projects/-home-me-app/group/by-hand.jsonl", "");
    temp.write("projects/-home-me-app/sessions-index.json", "{}");
    temp.write("projects/-worktree/agent-beside.jsonl", LINE);
    temp.write("projects/-worktree/s1/subagents/agent-far.jsonl", "");
    temp.write("projects/-empty/notes.txt", "");
    temp.write("todos/s1-agent-s1.json", "[]");
    temp.write("tasks/s1/1.json", "{}");
    temp.write("tasks/s1/.lock", "");
    temp.write("file-history/s1/0123456789abcdef@v1", "");
    temp.write("plans/calm-sea.md", "");
    temp.write("history.jsonl", "");
    temp.write("unknown.bin", "x");
    temp.write("plugins/a/b/c.json", "{}");
    for folder in ["session-env/s1", "history.jsonl.lock"] {
        std::fs::create_dir_all(temp.path().join(folder)).unwrap();
    }
    temp
}

fn names(temp: &TempDir, paths: impl Iterator<Item = impl AsRef<Path>>) -> Vec<String> {
    let relative = |path: &Path| path.strip_prefix(temp.path()).unwrap().to_string_lossy().replace('\\', "/");
    paths.map(|path| relative(path.as_ref())).collect()
}

#[test]
fn everything_is_found_in_a_fixed_order() {
    let temp = store();
    let found = Store::open(temp.path()).discover();
    assert_eq!(found.problems, []);
    let slugs: Vec<_> = found.projects.iter().map(|project| project.slug.as_str()).collect();
    assert_eq!(slugs, ["-empty", "-home-me-app", "-worktree"]);
    let sessions: Vec<_> = found.sessions.iter().map(|session| session.key.as_str()).collect();
    assert_eq!(sessions, ["by-hand", "s1", "s2"]);
    assert_eq!(
        names(&temp, found.agents.iter().map(|agent| &agent.path)),
        [
            "projects/-home-me-app/agent-beside.jsonl",
            "projects/-home-me-app/agent-nobody.jsonl",
            "projects/-home-me-app/s1/subagents/agent-under.jsonl",
            "projects/-home-me-app/s1/subagents/workflows/wf_1/agent-deep.jsonl",
            "projects/-worktree/agent-beside.jsonl",
            "projects/-worktree/s1/subagents/agent-far.jsonl",
        ]
    );
    let unknown = found.side_files.iter().filter(|file| file.role == FileRole::Unknown);
    assert_eq!(names(&temp, unknown.map(|file| &file.path)), ["projects/-empty/notes.txt", "unknown.bin"]);
    assert_eq!(found.side_files.iter().filter(|file| file.role == FileRole::Lock).count(), 2);
    let env = found.side_files.iter().filter(|file| matches!(file.role, FileRole::SessionEnv { .. }));
    assert_eq!(env.count(), 1);
    assert_eq!((found.todos().count(), found.tasks().count(), found.plans().count()), (1, 1, 1));
}

#[test]
fn sub_agents_know_their_session_wherever_they_are() {
    let temp = store();
    let found = Store::open(temp.path()).discover();
    let of_session: Vec<_> =
        found.agents_of(&SessionKey::from("s1")).map(|agent| agent.key.as_str()).collect();
    assert_eq!(of_session, ["beside", "under", "deep", "beside", "far"]);
    let nobody = found.agents.iter().find(|agent| agent.key == "nobody").unwrap();
    assert_eq!((nobody.session.clone(), nobody.place.clone()), (None, AgentLocation::Beside));
    let with_meta: Vec<_> = found.agents.iter().filter(|agent| agent.meta.is_some()).collect();
    assert_eq!(with_meta.len(), 1);
    assert_eq!(with_meta[0].key, "under");
}

#[test]
fn a_store_that_is_not_there_is_empty() {
    let temp = TempDir::new("discovery");
    let found = Store::open(temp.path().join("nothing")).discover();
    assert!(found.sessions.is_empty() && found.problems.is_empty());
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_a_problem_and_the_rest_is_there() {
    use std::os::unix::fs::symlink;

    let temp = store();
    let project = temp.path().join("projects/-home-me-app");
    symlink(temp.path().join("gone"), project.join("dangling.jsonl")).unwrap();
    symlink(&project, project.join("loop")).unwrap();
    let found = Store::open(temp.path()).discover();
    assert_eq!(found.sessions.iter().filter(|session| session.key == "s1").count(), 1);
    let paths = names(&temp, found.problems.iter().map(|problem| &problem.path));
    assert!(paths.contains(&"projects/-home-me-app/dangling.jsonl".to_owned()), "{paths:?}");
}

/// A store of somebody else must not choose files of its reader: whatever is linked, nothing of it is found, and each link
/// is named.
#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_store() {
    use std::os::unix::fs::symlink;

    let outside = TempDir::new("outside");
    let secret = outside.write("secret.jsonl", "{\"sessionId\":\"s1\"}\n");
    outside.write("folder/agent-x.jsonl", "{\"sessionId\":\"s1\"}\n");
    let temp = store();
    let credentials = temp.write(".credentials.json", "{}");
    let app = temp.path().join("projects/-home-me-app");
    let links = [
        (app.join("linked.jsonl"), secret.clone()),
        (app.join("agent-zz.jsonl"), secret.clone()),
        (app.join("s1/subagents/agent-zz.jsonl"), secret.clone()),
        (app.join("s1/subagents/agent-own.jsonl"), credentials),
        (app.join("s1/subagents/more"), outside.path().join("folder")),
        (app.join("s1/tool-results/out.txt"), secret.clone()),
        (app.join("memory"), outside.path().join("folder")),
        (temp.path().join("projects/-linked"), outside.path().join("folder")),
        (temp.path().join("plans/stolen.md"), secret.clone()),
        (temp.path().join("todos/s9-agent-s9.json"), secret.clone()),
        (temp.path().join("image-cache"), outside.path().to_path_buf()),
    ];
    for (link, target) in &links {
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }
    // Inside: the folder of a project under a second name, and a session in a second project.
    symlink(&app, temp.path().join("projects/-renamed")).unwrap();
    symlink(app.join("s1.jsonl"), temp.path().join("projects/-worktree/s1.jsonl")).unwrap();
    let found = Store::open(temp.path()).discover();
    let paths = found.sessions.iter().map(|session| &session.path);
    let paths = paths.chain(found.agents.iter().map(|agent| &agent.path));
    let real: Vec<_> = paths
        .chain(found.side_files.iter().map(|file| &file.path))
        .map(|path| path.canonicalize().unwrap())
        .collect();
    let root = temp.path().canonicalize().unwrap();
    assert!(real.iter().all(|path| path.starts_with(&root)), "{real:?}");
    let named: Vec<_> = found.problems.iter().map(|problem| problem.path.clone()).collect();
    for (link, _) in &links {
        assert!(named.contains(link), "{}: {named:?}", link.display());
        assert!(found.side_files.iter().all(|file| file.path != *link), "{}", link.display());
        assert!(found.agents.iter().all(|agent| agent.path != *link), "{}", link.display());
    }
    assert_eq!(found.sessions.iter().filter(|session| session.key == "s1").count(), 3);
    let recent = Store::open(temp.path()).discover_since(0);
    assert!(recent.sessions.iter().all(|session| session.key != "linked"));
    assert!(recent.agents.iter().all(|agent| agent.key != "zz"));
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_hides_only_itself() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let temp = store();
    let closed = temp.path().join("projects/-home-me-app/s1/subagents");
    set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
    let found = Store::open(temp.path()).discover();
    let is_closed = std::fs::read_dir(&closed).is_err();
    set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    assert!(found.sessions.iter().any(|session| session.key == "s1"));
    // Root reads everything, and then there is no problem to report.
    let expected: Vec<_> = is_closed.then_some(closed).into_iter().collect();
    assert_eq!(found.problems.iter().map(|problem| problem.path.clone()).collect::<Vec<_>>(), expected);
}

#[test]
fn a_project_has_a_path_and_a_reason() {
    let temp = store();
    let store = Store::open(temp.path());
    let found: Discovery = store.discover();
    let path_of = |slug: &str| {
        let project = found.projects.iter().find(|project| project.slug == slug).unwrap();
        store.project_path(&found, project).0.map(|path| (path.path, path.evidence))
    };
    assert_eq!(path_of("-home-me-app"), Some(("/home/me/app".to_owned(), Evidence::CwdOfSlug)));
    assert_eq!(path_of("-worktree"), Some(("/home/me/app".to_owned(), Evidence::MostCommonCwd)));
}

#[test]
fn a_folder_on_disk_can_answer_for_a_slug() {
    let temp = TempDir::new("on_disk");
    for folder in ["a-b/c", "a/b-c", "a/b/d", "x"] {
        std::fs::create_dir_all(temp.path().join(folder)).unwrap();
    }
    let wanted = project_slug(&format!("{}/a/b/c", temp.path().display()));
    let found = folders_of_slug(temp.path(), &wanted);
    assert_eq!(names(&temp, found.iter()), ["a/b-c", "a-b/c"]);
}
