//! How fast secrets are found in real sessions. Nothing fails here: `docs/benchmarks.md` has the figures.

use std::time::Instant;

use annals_testkit::corpus;
use annals_transcript::line::lines;
use annals_transcript::redact::{CallLog, FileText, JsonContext, SecretRules, rewrite_line};

#[test]
#[ignore = "measures; run it with --release --nocapture"]
fn megabytes_of_sessions_in_a_second() {
    let Some(corpus) = corpus::or_skip("megabytes_of_sessions_in_a_second") else { return };
    let rules = SecretRules::new(&[], &[]).unwrap();
    let (mut bytes, mut found, mut seconds) = (0, 0, 0.0);
    for path in corpus.transcripts() {
        let content = std::fs::read(&path).unwrap();
        let start = Instant::now();
        let mut log = CallLog::default();
        for line in lines(&content) {
            rewrite_line(&line, JsonContext::Record, &mut log, &mut |seen: FileText<'_>| {
                found += rules.find_in(&seen).len();
                Vec::new()
            });
        }
        seconds += start.elapsed().as_secs_f64();
        bytes += content.len();
    }
    let megabytes = bytes as f64 / 1e6;
    eprintln!("{megabytes:.1} MB in {seconds:.1} s: {:.1} MB/s, {found} found", megabytes / seconds);
}
