//! Our statistics: every line and response once, local days, written apart from the client's, compared by key.

use std::fs;

use annals_demo::Plan;
use annals_store::stats_cache::{
    DayStats, Statistics, StatsCache, StatsDifference, StatsError, differences, read_stats_cache, recompute,
    write,
};
use annals_store::{ConfigDir, JsonFile, Store};
use annals_testkit::home::Home;
use annals_testkit::temp::TempDir;
use annals_transcript::price::Prices;

use super::{empty, expect_mode, names};

const HOUR: i64 = 3_600_000;

fn user(uuid: &str, time: &str) -> String {
    format!(r#"{{"type":"user","uuid":"{uuid}","timestamp":"{time}","message":{{"content":"hi"}}}}"#)
}

fn assistant(uuid: &str, message: &str, time: &str, output: u32) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"{uuid}","timestamp":"{time}","message":{{"id":"{message}","model":"opus","content":[{{"type":"tool_use","id":"t-{uuid}","name":"Bash","input":{{}}}}],"usage":{{"input_tokens":10,"output_tokens":{output},"cache_read_input_tokens":100}}}}}}"#
    )
}

/// A session, a fork of it with one line more, a sub-agent, and a file that holds no message.
fn store() -> (TempDir, ConfigDir) {
    let (temp, config) = empty();
    let first = [
        user("u1", "2026-01-01T22:30:00.000Z"),
        assistant("a1", "m1", "2026-01-01T22:30:10.000Z", 1),
        assistant("a2", "m1", "2026-01-01T22:30:20.000Z", 7),
    ];
    temp.write("config/projects/-p/one.jsonl", first.join("\n"));
    let more = [&first[..], &[user("u2", "2026-01-02T09:00:00.000Z")]].concat();
    temp.write("config/projects/-p/two.jsonl", more.join("\n"));
    let agent = assistant("a9", "m9", "2026-01-02T10:00:00.000Z", 5)
        .replace("{\"type\"", "{\"isSidechain\":true,\"type\"");
    temp.write("config/projects/-p/one/subagents/agent-x.jsonl", agent);
    temp.write("config/projects/-p/empty.jsonl", "");
    (temp, config)
}

fn compute(config: &ConfigDir, offset: i64) -> Statistics {
    let discovery = Store::open(config.path()).discover();
    let (stats, problems) = recompute(&discovery, &Prices::embedded(), 1_767_600_000_000, |_| offset);
    assert_eq!(problems, []);
    stats
}

#[test]
fn lines_and_responses_count_once() {
    let (_temp, config) = store();
    let stats = compute(&config, 0);
    let days: Vec<_> = stats.days.iter().map(|(date, day)| (date.as_str(), *day)).collect();
    let day = |messages, sessions, tool_calls| DayStats { messages, sessions, tool_calls };
    assert_eq!(days, [("2026-01-01", day(3, 2, 2)), ("2026-01-02", day(1, 0, 1))]);
    assert_eq!((stats.sessions, stats.messages), (2, 4));
    let longest = stats.longest.clone().unwrap();
    assert_eq!(
        (longest.session.as_str(), longest.duration, longest.messages),
        ("two", 10 * HOUR + HOUR / 2, 4)
    );
    let expected = concat!(
        r#"{"version":3,"lastComputedDate":"2026-01-05","dailyActivity":["#,
        r#"{"date":"2026-01-01","messageCount":3,"sessionCount":2,"toolCallCount":2},"#,
        r#"{"date":"2026-01-02","messageCount":1,"sessionCount":0,"toolCallCount":1}],"#,
        r#""dailyModelTokens":[{"date":"2026-01-01","tokensByModel":{"opus":17}},{"date":"2026-01-02","tokensByModel":{"opus":15}}],"#,
        r#""modelUsage":{"opus":{"inputTokens":20,"outputTokens":12,"cacheReadInputTokens":200,"cacheCreationInputTokens":0,"webSearchRequests":0,"costUSD":COST,"contextWindow":0,"maxOutputTokens":0}},"#,
        r#""totalSessions":2,"totalMessages":4,"longestSession":{"sessionId":"two","duration":37800000,"messageCount":4,"timestamp":"2026-01-01T22:30:00.000Z"},"#,
        r#""firstSessionDate":"2026-01-01T22:30:00.000Z","hourCounts":{"22":2}}"#,
    );
    let cost = stats.models[0].cost.dollars().to_string();
    assert_eq!(String::from_utf8(stats.bytes()).unwrap(), expected.replace("COST", &cost));
}

#[test]
fn days_and_hours_are_those_of_the_reader() {
    let (_temp, config) = store();
    let stats = compute(&config, 2 * HOUR);
    assert_eq!(stats.days.keys().collect::<Vec<_>>(), ["2026-01-02"]);
    assert_eq!((stats.hours.clone(), stats.day_tokens["2026-01-02"]["opus"]), ([(0, 2)].into(), 32));
    let west = compute(&config, -23 * HOUR);
    assert_eq!(west.days.keys().collect::<Vec<_>>(), ["2025-12-31", "2026-01-01"]);
}

#[test]
fn they_are_written_outside_the_store_only() {
    let (temp, config) = store();
    temp.write("config/stats-cache.json", "theirs");
    let stats = compute(&config, 0);
    let inside = ["stats-cache.json", "ours.json", "new/ours.json"].map(|name| config.path().join(name));
    let around =
        ["config/../config/ours.json", "none/../config/ours.json"].map(|name| temp.path().join(name));
    for path in inside.into_iter().chain(around) {
        let refused = write(&config, &path, &stats);
        assert!(matches!(refused, Err(StatsError::InStore { .. })), "{}", path.display());
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(config.path(), temp.path().join("link")).unwrap();
        assert!(write(&config, &temp.path().join("link/ours.json"), &stats).is_err());
    }
    assert_eq!(fs::read(config.stats_cache()).unwrap(), b"theirs");
    assert!(!names(config.path()).iter().any(|name| name.contains("ours")));
    let path = temp.path().join("data/ours.json");
    write(&config, &path, &stats).unwrap();
    assert_eq!(fs::read(&path).unwrap(), stats.bytes());
    expect_mode(&path, 0o600);
    expect_mode(path.parent().unwrap(), 0o700);
}

#[test]
fn differences_are_told_by_key() {
    let file = |text: &str| JsonFile { path: "f".into(), bytes: text.as_bytes().to_vec(), modified: None };
    let ours = file(
        r#"{"version":3,"dailyActivity":[{"date":"d1","messageCount":1},{"date":"d2","messageCount":2}],"totalSessions":5,"modelUsage":{"a":{"inputTokens":1.0,"webSearchRequests":0}},"firstSessionDate":"\u0078"}"#,
    );
    let theirs = file(
        r#"{"version":5,"dailyActivity":[{"messageCount":3,"date":"d2"},{"date":"d1","messageCount":1}],"totalSessions":5,"modelUsage":{"a":{"inputTokens":1}},"firstSessionDate":"x","shotDistribution":{"1":4}}"#,
    );
    let stats = |file: &JsonFile| differences_of(file, &theirs);
    let text = |text: &str| Some(text.to_owned());
    let key = |key: &str, ours, theirs| StatsDifference { key: key.to_owned(), ours, theirs };
    assert_eq!(
        stats(&ours),
        [
            key("dailyActivity.d2.messageCount", text("2"), text("3")),
            key("shotDistribution.1", None, text("4"))
        ]
    );
    assert_eq!(stats(&theirs), []);
}

fn differences_of(ours: &JsonFile, theirs: &JsonFile) -> Vec<StatsDifference> {
    differences(&StatsCache::of_file(ours).unwrap(), &StatsCache::of_file(theirs).unwrap())
}

#[test]
fn a_made_up_store_can_be_counted_and_compared() {
    let home = Home::new();
    home.fill(&Plan::default());
    let config = ConfigDir::new(home.config_dir());
    let stats = compute(&config, 0);
    assert!(stats.sessions > 10 && stats.messages > 100 && stats.models.len() > 1);
    let per_day: u64 = stats.days.values().map(|day| day.messages).sum();
    assert!(per_day <= stats.messages);
    assert_eq!(stats.hours.values().sum::<u64>(), stats.days.values().map(|day| day.sessions).sum::<u64>());
    let path = home.data_dir().join("stats.json");
    write(&config, &path, &stats).unwrap();
    let (ours, theirs) = (JsonFile::read(&path).unwrap(), read_stats_cache(&config).unwrap().unwrap());
    assert_eq!(differences_of(&ours, &ours), []);
    assert!(differences_of(&ours, &theirs).iter().all(|found| found.ours != found.theirs));
}
