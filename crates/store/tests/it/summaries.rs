//! Summaries for lists: short and exact ones agree on what both know.

use annals_store::summary::Coverage;
use annals_store::{FullSummary, Store, Summary, SummaryListing};
use annals_testkit::temp::TempDir;
use annals_transcript::title::TitleSource;

const FIRST: &str = r#"{"type":"user","uuid":"u1","sessionId":"s","cwd":"/home/me/app","version":"2.1.1","gitBranch":"main","entrypoint":"cli","timestamp":"2026-01-01T00:00:00Z","message":{"content":"fix the bug"}}"#;
const REPLY: &str = r#"{"type":"assistant","uuid":"u2","sessionId":"s","cwd":"/home/me/app","version":"2.1.2","gitBranch":"fix","timestamp":"2026-01-01T00:01:00Z","message":{"id":"m","model":"opus","usage":{"input_tokens":3,"output_tokens":5},"content":[{"type":"text","text":"done"}]}}"#;

fn summary_of(temp: &TempDir, text: &str) -> Summary {
    temp.write("projects/-home-me-app/s.jsonl", text);
    let store = Store::open(temp.path());
    let (mut summaries, problems) = store.summaries(&store.discover());
    assert!(problems.is_empty());
    summaries.remove(0)
}

#[test]
fn a_small_file_is_summarised_exactly() {
    let temp = TempDir::new("summaries");
    let link = r#"{"type":"pr-link","prNumber":7,"prUrl":"https://x/7","prRepository":"a/b"}"#;
    let tag = r#"{"type":"tag","tag":"urgent"}"#;
    let found = summary_of(&temp, &format!("{FIRST}\n{REPLY}\n{link}\n{link}\n{tag}"));
    assert_eq!(found.coverage, Coverage::Whole);
    assert_eq!(found.project.as_ref().unwrap().path, "/home/me/app");
    assert_eq!(found.title, Some((TitleSource::FirstPrompt, "fix the bug".to_owned())));
    assert_eq!(found.created.as_deref(), Some("2026-01-01T00:00:00Z"));
    assert_eq!(found.active_millis.unwrap() - found.created_millis.unwrap(), 60_000);
    assert_eq!(found.git_branch.as_deref(), Some("fix"));
    assert_eq!((found.versions.len(), found.models.clone()), (2, vec!["opus".to_owned()]));
    assert_eq!((found.entrypoint.as_deref(), found.tag.as_deref()), (Some("cli"), Some("urgent")));
    let [link] = found.pull_requests.as_slice() else { panic!("{:?}", found.pull_requests) };
    assert_eq!(link.number, Some(7));
    assert_eq!((link.url.as_deref(), link.repository.as_deref()), (Some("https://x/7"), Some("a/b")));
    assert!(found.has_conversation && !found.is_warm_up && !found.is_sidechain_first && !found.is_empty());
    assert!(found.is_listed_by_client());
}

#[test]
fn titles_come_from_the_end_of_a_large_file_and_from_beside_it() {
    let temp = TempDir::new("summaries");
    let filler = format!("{REPLY}\n").repeat(2000);
    let titles = r#"{"type":"custom-title","customTitle":"Old"}
{"type":"custom-title","customTitle":"Mine"}"#;
    let text = format!("{FIRST}\n{filler}{titles}\n");
    let found = summary_of(&temp, &text);
    assert_eq!(found.coverage, Coverage::HeadAndTail);
    assert_eq!(found.title_text(), Some("Mine"));
    assert_eq!(found.first_prompt.as_deref(), Some("fix the bug"));
    let cleared = format!("{text}{{\"type\":\"custom-title\",\"customTitle\":\"\"}}\n");
    assert_eq!(summary_of(&temp, &cleared).title_text(), Some("fix the bug"));
    temp.write("projects/-home-me-app/s/custom-title.json", r#"{"customTitle":"Beside"}"#);
    assert_eq!(summary_of(&temp, &cleared).title, Some((TitleSource::CustomFile, "Beside".to_owned())));
}

#[test]
fn long_lines_at_both_ends_do_not_hide_what_stands_behind_them() {
    let temp = TempDir::new("summaries");
    let long = format!(r#"{{"type":"api-request-body","body":"{}"}}"#, "x".repeat(200_000));
    let filler = format!("{REPLY}\n").repeat(1000);
    let found = summary_of(&temp, &format!("{long}\n{FIRST}\n{filler}{long}\n"));
    assert_eq!(found.first_prompt.as_deref(), Some("fix the bug"));
    assert_eq!(found.git_branch.as_deref(), Some("fix"));
}

#[test]
fn a_summary_in_another_file_names_the_session() {
    let temp = TempDir::new("summaries");
    temp.write(
        "projects/-home-me-app/t.jsonl",
        r#"{"type":"summary","summary":"About the bug","leafUuid":"u2"}"#,
    );
    let found = summary_of(&temp, &format!("{FIRST}\n{REPLY}\n"));
    assert_eq!(found.title, Some((TitleSource::Summary, "About the bug".to_owned())));
}

#[test]
fn empty_and_broken_files_have_summaries_too() {
    let temp = TempDir::new("summaries");
    let empty = summary_of(&temp, "");
    assert!(empty.is_empty() && !empty.has_conversation && empty.title.is_none());
    let broken = summary_of(&temp, &format!("\0\0\n{{\"torn\":\n{FIRST}{REPLY}\n"));
    assert_eq!(broken.first_prompt.as_deref(), Some("fix the bug"));
    assert_eq!(broken.models, ["opus"]);
}

#[test]
fn the_exact_summary_counts() {
    let temp = TempDir::new("summaries");
    let second = REPLY.replace("\"u2\"", "\"u3\"").replace("\"output_tokens\":5", "\"output_tokens\":9");
    let file =
        temp.write("projects/-home-me-app/s.jsonl", format!("{FIRST}\n{REPLY}\n\n{second}\nnot json\n"));
    let full = FullSummary::read_path(&file).unwrap();
    assert_eq!((full.lines, full.records, full.turns, full.problem_count()), (5, 3, 1, 2));
    assert_eq!((full.responses.len(), full.tokens().output, full.tokens().input), (1, 9, 3));
    assert_eq!(full.summary, Summary::read_path(&file).unwrap());
}

#[test]
fn a_listing_that_is_made_again_is_what_it_would_be_at_first() {
    let temp = TempDir::new("summaries");
    let store = Store::open(temp.path());
    let mut listing = SummaryListing::default();
    let mut check = |expected: &[Option<&str>]| {
        let discovery = store.discover();
        let again = listing.summaries(&discovery);
        assert_eq!(again, store.summaries(&discovery));
        let titles: Vec<_> = again.0.iter().map(Summary::title_text).collect();
        assert_eq!(titles, expected);
    };
    temp.write("projects/-home-me-app/s.jsonl", format!("{FIRST}\n{REPLY}\n"));
    check(&[Some("fix the bug")]);
    // Only another file changes.
    let summary = r#"{"type":"summary","summary":"About the bug","leafUuid":"u2"}"#;
    let other = temp.write("projects/-home-me-app/t.jsonl", summary);
    check(&[Some("About the bug"), None]);
    std::fs::remove_file(other).unwrap();
    check(&[Some("fix the bug")]);
    // Only the title beside it changes.
    let title = temp.write("projects/-home-me-app/s/custom-title.json", r#"{"customTitle":"Beside"}"#);
    check(&[Some("Beside")]);
    std::fs::remove_file(title).unwrap();
    check(&[Some("fix the bug")]);
    temp.write("projects/-home-me-app/s.jsonl", format!("{}\n", FIRST.replace("the bug", "another bug")));
    check(&[Some("fix another bug")]);
}
