//! Tokens and cost: one usage per response, once over the store, at the price of its class.

mod carry;
mod corpus;
mod cost;
mod files;
mod items;
mod ledger;
mod spelling;
mod truth;

use annals_transcript::line::lines;
use annals_transcript::objects::read_objects;
use annals_transcript::transcript::Transcript;
use annals_transcript::usage::{ResponseUsage, Tokens, UsageCollector, responses_of_bytes, responses_usage};

/// An assistant line with whatever else it has.
struct Line {
    uuid: String,
    message: &'static str,
    output: u64,
    usage: String,
    model: &'static str,
    extra: String,
}

/// A line of the response `message`, of which so much output is there.
fn line(message: &'static str, output: u64) -> Line {
    Line {
        uuid: format!("{message}-{output}"),
        message,
        output,
        usage: r#","input_tokens":3,"cache_read_input_tokens":100"#.to_owned(),
        model: "claude-opus-4-5-20251101",
        extra: r#","timestamp":"2026-01-01T00:00:00.000Z""#.to_owned(),
    }
}

impl Line {
    fn usage(self, usage: &str) -> Self {
        Self { usage: format!(",{usage}"), ..self }
    }

    fn with(mut self, extra: &str) -> Self {
        self.extra.push(',');
        self.extra.push_str(extra);
        self
    }

    fn at(self, time: &str) -> Self {
        Self { extra: format!(r#","timestamp":"{time}""#), ..self }
    }

    fn model(self, model: &'static str) -> Self {
        Self { model, ..self }
    }

    fn json(&self) -> String {
        let Self { uuid, message, output, usage, model, extra } = self;
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","requestId":"req-{message}","message":{{"id":"{message}","model":"{model}","content":[],"usage":{{"output_tokens":{output}{usage}}}}}{extra}}}"#
        )
    }
}

fn file(lines: &[Line]) -> String {
    lines.iter().map(|line| line.json() + "\n").collect()
}

/// The responses of a file, by all ways of reading, which must agree.
fn read(file: &[u8]) -> Vec<ResponseUsage> {
    let whole = responses_usage(&Transcript::parse(file));
    let mut collector = UsageCollector::new();
    let mut index = 0;
    for line in lines(file) {
        read_objects(
            &line,
            |fields, _| {
                collector.feed(index, &fields);
                index += 1;
            },
            |_| {},
        );
    }
    assert_eq!(whole, collector.finish());
    // Where only lines that can hold usage are read, places are in bytes; all else is the same.
    let placed = |mut response: ResponseUsage, at: usize| {
        response.position = at;
        response
    };
    let numbered = |responses: Vec<ResponseUsage>| -> Vec<ResponseUsage> {
        responses.into_iter().enumerate().map(|(at, response)| placed(response, at)).collect()
    };
    let searched = responses_of_bytes(file);
    assert!(searched.is_sorted_by_key(|response| response.position));
    assert_eq!(numbered(searched), numbered(whole.clone()));
    whole
}

fn outputs(responses: &[ResponseUsage]) -> Vec<u64> {
    responses.iter().map(|response| response.reading.tokens.output).collect()
}

fn sum(responses: &[ResponseUsage]) -> Tokens {
    responses.iter().map(ResponseUsage::tokens).sum()
}
