//! Commands in the background: when the model learns that one has ended.

use super::remembering::{END, call};
use super::{Stage, say};

/// A command in the background that fails once there is a file `go`.
const WAITS: &str = r#""command":"while [ ! -e go ]; do sleep 0.02; done; exit 3","run_in_background":true"#;

#[tokio::test]
async fn the_model_learns_within_a_turn_that_a_background_command_ended() {
    let ends = call("Bash", r#""command":"touch go; sleep 1""#);
    let stage = Stage::scripts(&format!(r#"{{"a":[{},{ends},{END}]}}"#, call("Bash", WAITS)));
    let mut agent = stage.new_real_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    drop(agent);
    stage.holds();
    stage.only_grew();
    let sent = stage.sent();
    let told = |at: usize| sent[at].last().unwrap().contains("bash_1 has ended (failed, exit code 3)");
    assert_eq!([told(1), told(2)], [false, true], "{sent:#?}");
}

#[tokio::test]
async fn the_model_learns_that_a_background_command_ended() {
    let start = call("Bash", WAITS);
    let stage = Stage::scripts(&format!(r#"{{"a":[{start},{END}],"b":[{END}]}}"#));
    let mut agent = stage.new_real_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    std::fs::write(stage.home.work_dir().join("go"), "").unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(say(&mut agent, "@@b@@").await.is_done());
    assert!(say(&mut agent, "@@b@@ again").await.is_done());
    drop(agent);
    stage.holds();
    stage.only_grew();
    let sent = stage.sent();
    let told = |at: usize| sent[at].last().unwrap().contains("bash_1 has ended (failed, exit code 3)");
    assert_eq!([told(1), told(2), told(3)], [false, true, false], "{sent:#?}");
}
