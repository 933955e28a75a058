//! The result of a turn: how it ended, the answer, its cost.

use annals_agent::protocol::{TurnEnd, TurnReport};
use annals_json::ObjectWriter;
use annals_store::source::new_uuid;
use annals_transcript::price::Prices;
use annals_transcript::usage::{ServiceTier, Speed, Tokens};

use super::prompt::Refusal;
use crate::source::SystemSource;

/// Returns the error of a turn, if any.
pub(super) fn complaint(finished: &TurnReport) -> Option<String> {
    match &finished.ending {
        TurnEnd::Done => None,
        TurnEnd::MaxResponses => Some(format!("stopped after {} responses", finished.responses)),
        TurnEnd::Interrupted => Some("interrupted".to_owned()),
        TurnEnd::Failed(error) => Some(error.to_string()),
    }
}

/// Writes the result.
pub(super) fn write(object: &mut ObjectWriter<'_>, finished: &TurnReport, session: &str, prices: &Prices) {
    let subtype = match &finished.ending {
        TurnEnd::Done => "success",
        TurnEnd::MaxResponses => "error_max_turns",
        TurnEnd::Interrupted | TurnEnd::Failed(_) => "error_during_execution",
    };
    line(object, subtype, complaint(finished), finished, session, prices);
}

/// Writes the result for a refused message.
pub(super) fn refused(object: &mut ObjectWriter<'_>, why: &Refusal, session: &str) {
    let complaint = Some(why.to_string());
    line(object, "error_during_execution", complaint, &TurnReport::empty(), session, &Prices::default());
}

fn line(
    object: &mut ObjectWriter<'_>,
    subtype: &str,
    complaint: Option<String>,
    finished: &TurnReport,
    session: &str,
    prices: &Prices,
) {
    object.string("type", "result").string("subtype", subtype).boolean("is_error", complaint.is_some());
    object.number("duration_ms", finished.millis).number("duration_api_ms", finished.api_millis);
    object.number("num_turns", finished.responses).string("result", &finished.text);
    if let Some(complaint) = complaint {
        object.array("errors", |list| {
            list.string(&complaint);
        });
    }
    object.string_or_null("stop_reason", finished.stop_reason.as_deref()).string("session_id", session);
    let dollars = |(model, tokens): &(String, Tokens)| {
        let cost = prices.cost(tokens, model, ServiceTier::Standard, Speed::Standard);
        cost.usd().map_or(0.0, |usd| usd.dollars())
    };
    object.float("total_cost_usd", total(finished.counted.iter().map(dollars)));
    let all: Tokens = finished.spent.values().copied().sum();
    object.object("usage", |usage| {
        usage.number("input_tokens", all.input).number("cache_creation_input_tokens", all.cache_write());
        usage.number("cache_read_input_tokens", all.cache_read).number("output_tokens", all.output);
        usage.object("server_tool_use", |tools| {
            tools.number("web_search_requests", all.web_searches);
            tools.number("web_fetch_requests", all.web_fetches);
        });
    });
    object.object("modelUsage", |models| {
        for (model, tokens) in &finished.spent {
            models.object(model, |usage| {
                usage.number("inputTokens", tokens.input).number("outputTokens", tokens.output);
                usage.number("cacheReadInputTokens", tokens.cache_read);
                usage.number("cacheCreationInputTokens", tokens.cache_write());
                usage.number("webSearchRequests", tokens.web_searches);
                let of_model = finished.counted.iter().filter(|(name, _)| name == model);
                usage.float("costUSD", total(of_model.map(dollars)));
            });
        }
    });
    object.array("permission_denials", |list| {
        for denial in &finished.denials {
            list.object(|entry| {
                entry.string("tool_name", &denial.tool).string("tool_use_id", &denial.call);
                entry.raw("tool_input", &denial.input);
            });
        }
    });
    object.string("uuid", &new_uuid(&SystemSource));
}

/// Returns a sum; an empty one is 0, not the -0 of `sum`.
fn total(dollars: impl Iterator<Item = f64>) -> f64 {
    dollars.fold(0.0, |sum, dollars| sum + dollars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing() {
        let mut finished = TurnReport::empty();
        finished.spent.insert("m".to_owned(), Tokens::default());
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        write(&mut object, &finished, "s", &Prices::embedded());
        object.end();
        let json = String::from_utf8(json).unwrap();
        assert!(json.contains(r#""total_cost_usd":0,"#) && json.contains(r#""costUSD":0}"#), "{json}");
    }

    #[test]
    fn a_message_that_is_refused_is_an_error() {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        refused(&mut object, &Refusal::NoBlock(3), "s");
        object.end();
        let json = String::from_utf8(json).unwrap();
        let begin = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"#;
        assert!(json.starts_with(begin) && json.contains(r#""errors":["block 3 of"#), "{json}");
    }
}
