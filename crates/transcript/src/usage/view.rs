//! The view of `message.usage`.

use crate::view::views;
use annals_json::{Fields, Items, Text, Value};

views! {
    /// `message.usage`, as written.
    Usage {
        /// Fresh input.
        input: u64 = "input_tokens";
        output: u64 = "output_tokens";
        /// Input written to the cache, all classes.
        cache_creation: u64 = "cache_creation_input_tokens";
        /// Input read from the cache.
        cache_read: u64 = "cache_read_input_tokens";
        /// Input written to the cache, by class.
        cache_creation_split: CacheCreation<'a> = "cache_creation";
        /// Tools that the API ran.
        server_tool_use: ServerTools<'a> = "server_tool_use";
        /// `standard`, `batch`, `priority`.
        service_tier: Text<'a> = "service_tier";
        /// `standard`, `fast`.
        speed: Text<'a> = "speed";
        /// Where the model ran.
        inference_geo: Text<'a> = "inference_geo";
        /// The model calls of one response, where there were several.
        iterations: Items<'a> = "iterations";
        /// Of an entry of `iterations`: what the call was for.
        call: Text<'a> = "type";
        /// Of an entry of `iterations`: the model that was called.
        model: Text<'a> = "model";
        /// More about the output.
        output_details: Fields<'a> = "output_tokens_details";
        /// What was refunded after another model took over.
        fallback_credit: Value<'a> = "fallback_credit";
    }

    /// Cache writes by how long they are kept.
    CacheCreation {
        five_minutes: u64 = "ephemeral_5m_input_tokens";
        one_hour: u64 = "ephemeral_1h_input_tokens";
    }

    /// Tools that the API ran.
    ServerTools {
        /// Web searches, which cost extra.
        web_search_requests: u64 = "web_search_requests";
        /// Pages fetched.
        web_fetch_requests: u64 = "web_fetch_requests";
    }
}
