//! The result of a turn: how it ended, the answer, its cost.

use annals_agent::api::call::CallError;
use annals_agent::api::model::Model;
use annals_agent::protocol::{TerminalReason, TurnEnd, TurnError, TurnReport};
use annals_json::ObjectWriter;
use annals_store::source::new_uuid;
use annals_transcript::price::Prices;
use annals_transcript::usage::{ServiceTier, Speed, Tokens};

use super::prompt::Refusal;
use crate::source::SystemSource;

/// Usage of each response, by model: long requests may have another price.
pub(super) type UsageList = [(String, Tokens)];

/// Returns the error of a turn, if any.
pub(super) fn complaint(finished: &TurnReport) -> Option<String> {
    match &finished.ending {
        TurnEnd::Done => None,
        TurnEnd::MaxResponses => Some(format!("stopped after {} responses", finished.responses)),
        TurnEnd::BudgetSpent => Some("stopped: the budget is spent".to_owned()),
        TurnEnd::PromptBlocked(why) => Some(format!("a hook refused the prompt: {why}")),
        TurnEnd::Interrupted => Some("interrupted".to_owned()),
        TurnEnd::Failed(error) => Some(error.to_string()),
    }
}

/// Writes the result; `counted` is the usage of all turns of the session so far.
pub(super) fn write(
    object: &mut ObjectWriter<'_>,
    finished: &TurnReport,
    session: &str,
    counted: &UsageList,
    prices: &Prices,
) {
    let api_error = api_error(finished);
    let subtype = match &finished.ending {
        TurnEnd::Done | TurnEnd::PromptBlocked(_) => "success",
        TurnEnd::Failed(_) if api_error.is_some() => "success",
        TurnEnd::MaxResponses => "error_max_turns",
        TurnEnd::BudgetSpent => "error_max_budget_usd",
        TurnEnd::Failed(TurnError::Output { .. }) => "error_max_structured_output_retries",
        TurnEnd::Interrupted | TurnEnd::Failed(_) => "error_during_execution",
    };
    let complaint = complaint(finished).filter(|_| !matches!(finished.ending, TurnEnd::PromptBlocked(_)));
    line(object, subtype, complaint, finished, session, SessionUsage { counted, prices });
}

/// Writes the result for a refused message.
pub(super) fn refused(object: &mut ObjectWriter<'_>, why: &Refusal, session: &str) {
    let complaint = Some(why.to_string());
    let usage = SessionUsage { counted: &[], prices: &Prices::default() };
    line(object, "error_during_execution", complaint, &TurnReport::empty(), session, usage);
}

/// Returns the failure of a request, and its status: the result of such a turn is its text.
fn api_error(finished: &TurnReport) -> Option<(String, Option<u16>)> {
    let TurnEnd::Failed(TurnError::Call(error)) = &finished.ending else { return None };
    let status = match error {
        CallError::Failed { failure, .. }
        | CallError::PromptTooLong(failure)
        | CallError::TooLarge(failure)
        | CallError::ThinkingRefused(failure) => failure.status(),
        CallError::Request(_) => None,
    };
    Some((format!("API Error: {error}"), status))
}

/// What all turns of the session used, and what that costs.
struct SessionUsage<'u> {
    counted: &'u UsageList,
    prices: &'u Prices,
}

fn line(
    object: &mut ObjectWriter<'_>,
    subtype: &str,
    complaint: Option<String>,
    finished: &TurnReport,
    session: &str,
    SessionUsage { counted, prices }: SessionUsage<'_>,
) {
    object.string("type", "result").string("subtype", subtype).boolean("is_error", complaint.is_some());
    object.number("duration_ms", finished.millis).number("duration_api_ms", finished.api_millis);
    // The original counts the request that was to follow.
    let is_cut = matches!(
        finished.reason,
        TerminalReason::MaxTurns | TerminalReason::HookStopped | TerminalReason::OutputAttempts
    );
    object.number("num_turns", finished.responses + u64::from(is_cut));
    let api_error = api_error(finished);
    match &api_error {
        Some((text, status)) => {
            object.string("result", text);
            match status {
                Some(status) => object.number("api_error_status", *status),
                None => object.raw("api_error_status", b"null"),
            };
        }
        _ if subtype == "success" => {
            object.string("result", &finished.text);
        }
        _ => {}
    }
    if let Some(complaint) = complaint.filter(|_| api_error.is_none()) {
        object.array("errors", |list| {
            list.string(&complaint);
        });
    }
    object.string_or_null("stop_reason", finished.stop_reason.as_deref()).string("session_id", session);
    object.float("total_cost_usd", dollars(counted, prices));
    usage(object, finished);
    model_usage(object, counted, prices);
    object.array("permission_denials", |list| {
        for denial in &finished.denials {
            list.object(|entry| {
                entry.string("tool_name", &denial.tool).string("tool_use_id", &denial.call);
                entry.raw("tool_input", &denial.input);
            });
        }
    });
    if let Some(call) = &finished.deferred {
        object.object("deferred_tool_use", |deferred| {
            deferred.string("id", &call.id).string("name", &call.tool).raw("input", &call.input);
        });
    }
    if let Some(output) = &finished.structured {
        object.raw("structured_output", output);
    }
    object.string("terminal_reason", finished.reason.name()).string("uuid", &new_uuid(&SystemSource));
}

/// Writes the usage of this turn.
fn usage(object: &mut ObjectWriter<'_>, finished: &TurnReport) {
    let all: Tokens = finished.spent.values().copied().sum();
    object.object("usage", |usage| {
        usage.number("input_tokens", all.input).number("cache_creation_input_tokens", all.cache_write());
        usage.number("cache_read_input_tokens", all.cache_read).number("output_tokens", all.output);
        usage.object("server_tool_use", |tools| {
            tools.number("web_search_requests", all.web_searches);
            tools.number("web_fetch_requests", all.web_fetches);
        });
    });
}

/// Writes the usage of all turns, by model.
fn model_usage(object: &mut ObjectWriter<'_>, counted: &UsageList, prices: &Prices) {
    let mut models: Vec<&str> = counted.iter().map(|(model, _)| model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    object.object("modelUsage", |object| {
        for name in models {
            let of_model: Vec<_> = counted.iter().filter(|(model, _)| model == name).cloned().collect();
            let tokens: Tokens = of_model.iter().map(|(_, tokens)| *tokens).sum();
            let model = Model::of(name);
            object.object(name, |usage| {
                usage.number("inputTokens", tokens.input).number("outputTokens", tokens.output);
                usage.number("cacheReadInputTokens", tokens.cache_read);
                usage.number("cacheCreationInputTokens", tokens.cache_write());
                usage.number("webSearchRequests", tokens.web_searches);
                usage.float("costUSD", dollars(&of_model, prices));
                usage.number("contextWindow", model.window).number("maxOutputTokens", model.max_output);
            });
        }
    });
}

/// Returns what responses cost; an empty sum is 0, not the -0 of `sum`.
pub(super) fn dollars(counted: &UsageList, prices: &Prices) -> f64 {
    let one = |(model, tokens): &(String, Tokens)| {
        let cost = prices.cost(tokens, model, ServiceTier::Standard, Speed::Standard);
        cost.usd().map_or(0.0, |usd| usd.dollars())
    };
    counted.iter().map(one).fold(0.0, |sum, dollars| sum + dollars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing() {
        let counted = [("m".to_owned(), Tokens::default())];
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        write(&mut object, &TurnReport::empty(), "s", &counted, &Prices::embedded());
        object.end();
        let json = String::from_utf8(json).unwrap();
        assert!(json.contains(r#""total_cost_usd":0,"#) && json.contains(r#""costUSD":0,"#), "{json}");
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
