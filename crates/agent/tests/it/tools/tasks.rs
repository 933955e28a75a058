//! TaskCreate, TaskUpdate, TaskGet and TaskList: results as newer clients record them, and the files.

use std::fs;
use std::sync::Arc;

use annals_agent::tools::tasks::Tasks;
use annals_agent::tools::{TaskCreate, TaskGet, TaskList, TaskUpdate};
use annals_store::todos::TaskFolder;
use annals_store::{ConfigDir, SessionKey};
use annals_testkit::temp::TempDir;

use super::{Raw, Text, refused, run, shape, shown};

/// The steps of a whole list, and what is kept of each.
async fn play(tasks: &Arc<Tasks>) {
    let (create, update) = (TaskCreate::new(tasks.clone()), TaskUpdate::new(tasks.clone()));
    let (get, list) = (TaskGet::new(tasks.clone()), TaskList::new(tasks.clone()));
    let kept = |outcome: &annals_agent::tools::Outcome| String::from_utf8(outcome.kept.clone()).unwrap();
    assert_eq!(shown(&run(&list, &[]).await), "There are no tasks.");
    let metadata = ("metadata", Raw(r#"{"k":[1],"gone":1}"#));
    let outcome = run(&create, &[("subject", Text("One")), ("description", Text("first")), metadata]).await;
    assert_eq!(
        (shape(&outcome), kept(&outcome).as_str()),
        ("Task", r#"{"task":{"id":"1","subject":"One"}}"#)
    );
    for subject in ["Two", "Three"] {
        run(&create, &[("subject", Text(subject)), ("description", Text("")), ("activeForm", Text("Doing"))])
            .await;
    }
    let changes = [
        ("taskId", Text("2")),
        ("status", Text("in_progress")),
        ("owner", Text("me")),
        ("addBlockedBy", Raw(r#"["1","99","2"]"#)),
        ("addBlocks", Raw(r#"["3"]"#)),
    ];
    let outcome = run(&update, &changes).await;
    assert_eq!(
        (shape(&outcome), kept(&outcome).as_str()),
        (
            "TaskUpdate",
            r#"{"success":true,"taskId":"2","updatedFields":["owner","status","blocks","blockedBy"],"statusChange":{"from":"pending","to":"in_progress"}}"#
        )
    );
    let outcome = run(&list, &[]).await;
    assert_eq!(shape(&outcome), "TaskList");
    assert_eq!(
        shown(&outcome),
        "#1 [pending] One\n#2 [in_progress] Two (me) [blocked by #1]\n#3 [pending] Three [blocked by #2]"
    );
    let outcome = run(&get, &[("taskId", Text("2"))]).await;
    assert_eq!(
        kept(&outcome),
        r#"{"task":{"id":"2","subject":"Two","description":"","status":"in_progress","blocks":["3"],"blockedBy":["1"]}}"#
    );
    run(
        &update,
        &[
            ("taskId", Text("1")),
            ("status", Text("completed")),
            ("metadata", Raw(r#"{"gone":null,"n":true}"#)),
        ],
    )
    .await;
    assert!(
        shown(&run(&list, &[]).await).contains("#2 [in_progress] Two (me)\n"),
        "what is done blocks nothing"
    );
    let outcome = run(&update, &[("taskId", Text("2")), ("status", Text("deleted"))]).await;
    assert_eq!(
        kept(&outcome),
        r#"{"success":true,"taskId":"2","updatedFields":["deleted"],"statusChange":{"from":"in_progress","to":"deleted"}}"#
    );
    run(&create, &[("subject", Text("Four")), ("description", Text(""))]).await;
    assert_eq!(shown(&run(&list, &[]).await), "#1 [completed] One\n#3 [pending] Three\n#4 [pending] Four");
    // What is not there is no error, as in the original.
    let outcome = run(&get, &[("taskId", Text("9"))]).await;
    assert_eq!((outcome.is_error, kept(&outcome).as_str()), (false, r#"{"task":null}"#));
    let outcome = run(&update, &[("taskId", Text("9")), ("status", Text("completed"))]).await;
    assert_eq!(
        kept(&outcome),
        r#"{"success":false,"taskId":"9","updatedFields":[],"error":"Task not found"}"#
    );
    refused(&run(&update, &[("taskId", Text("1")), ("status", Text("soon"))]).await, "must be one of");
    refused(&run(&create, &[("subject", Text(" ")), ("description", Text(""))]).await, "is empty");
}

#[tokio::test]
async fn tasks_are_kept_in_files() {
    let temp = TempDir::new("tasks");
    let folder = TaskFolder::new(&ConfigDir::new(temp.path()), &SessionKey::new("s")).unwrap();
    play(&Arc::new(Tasks::new(Some(folder)))).await;
    let file = |name: &str| fs::read_to_string(temp.path().join("tasks/s").join(name)).unwrap();
    assert_eq!(
        file("1.json"),
        "{\n  \"id\": \"1\",\n  \"subject\": \"One\",\n  \"description\": \"first\",\n  \"status\": \"completed\",\n  \"blocks\": [],\n  \"blockedBy\": [],\n  \"metadata\": {\n    \"k\": [\n      1\n    ],\n    \"n\": true\n  }\n}"
    );
    assert!(file("3.json").contains("\"blockedBy\": []"));
    assert_eq!(file(".highwatermark"), "2");
}

#[tokio::test]
async fn tasks_of_a_session_that_is_not_stored_are_the_same() {
    play(&Arc::new(Tasks::new(None))).await;
}
