//! Results of web tools.

use crate::view::views;
use annals_json::{Items, Text, Value};

views! {
    /// A page.
    WebFetchResult {
        /// Its address.
        url: Text<'a> = "url";
        /// The status.
        code: u64 = "code";
        /// The status in words.
        code_text: Text<'a> = "codeText";
        /// Its size.
        bytes: u64 = "bytes";
        /// What a model made of it.
        result: Text<'a> = "result";
        /// How long it took.
        duration_ms: u64 = "durationMs";
    }

    /// A web search.
    WebSearchResult {
        /// What was asked.
        query: Text<'a> = "query";
        /// What was found.
        results: Items<'a> = "results";
        /// How long it took.
        duration_seconds: f64 = "durationSeconds";
        /// How many searches.
        search_count: u64 = "searchCount";
    }

    /// Tools that were looked up.
    ToolSearchResult {
        /// What was asked.
        query: Text<'a> = "query";
        /// Tools found.
        matches: Items<'a> = "matches";
        /// Tools there are.
        total_deferred_tools: u64 = "total_deferred_tools";
    }

    /// A page that was published.
    ArtifactResult {
        /// Its address.
        url: Text<'a> = "url";
        /// Its file.
        path: Text<'a> = "path";
        title: Text<'a> = "title";
        /// Whether it was there before.
        updated: Value<'a> = "updated";
        /// Whether it follows the file.
        live_subscription: Value<'a> = "liveSubscription";
    }
}
