//! Parts of JSON output that several commands share.

use annals_json::ObjectWriter;
use annals_surgery::repair::RepairKind;
use annals_transcript::problem::Problem;
use annals_transcript::usage::{Tokens, UsageRow};

/// A number, or `null`.
pub(crate) fn number_or_null(object: &mut ObjectWriter<'_>, key: &str, number: Option<u64>) {
    match number {
        Some(number) => object.number(key, number),
        None => object.raw(key, b"null"),
    };
}

/// `{"input","output","cacheRead","cacheWrite5m","cacheWrite1h"}`
pub(crate) fn tokens(object: &mut ObjectWriter<'_>, key: &str, tokens: &Tokens) {
    object.object(key, |object| token_fields(object, tokens));
}

/// The token classes, as fields of this object.
pub(crate) fn token_fields(object: &mut ObjectWriter<'_>, tokens: &Tokens) {
    object
        .number("input", tokens.input)
        .number("output", tokens.output)
        .number("cacheRead", tokens.cache_read);
    object.number("cacheWrite5m", tokens.cache_write_5m).number("cacheWrite1h", tokens.cache_write_1h);
}

/// `costUsd`, and the models without a price, if any.
pub(crate) fn cost(object: &mut ObjectWriter<'_>, row: &UsageRow) {
    object.float("costUsd", row.cost.dollars());
    if !row.unpriced.is_empty() {
        names(object, "unpriced", &row.unpriced);
    }
}

/// A list of names.
pub(crate) fn names<T: AsRef<str>>(
    object: &mut ObjectWriter<'_>,
    key: &str,
    names: impl IntoIterator<Item = T>,
) {
    object.array(key, |list| {
        for name in names {
            list.string(name.as_ref());
        }
    });
}

/// A row of a usage report.
pub(crate) fn usage_row(object: &mut ObjectWriter<'_>, row: &UsageRow) {
    object.string("key", &row.key).number("responses", row.responses);
    token_fields(object, &row.tokens);
    object.number("webSearches", row.tokens.web_searches);
    object.float("costUsd", row.cost.dollars());
    names(object, "models", &row.models);
}

/// A problem, with the repair for it.
pub(crate) fn problem(object: &mut ObjectWriter<'_>, problem: &Problem) {
    object.string("kind", problem.kind.name()).string("severity", problem.kind.severity().name());
    object.number("line", problem.line as u64).number("offset", problem.span.offset as u64);
    object.number("length", problem.span.length as u64).string("message", &problem.message());
    object.string_or_null("repair", RepairKind::for_problem(problem.kind).map(RepairKind::name));
}
