//! WebSearch: a web search that the API carries out in a nested request. The caller supplies what sends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use annals_json::{ArrayWriter, Fields, write_string};

use super::answer::object;
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, ReplyFuture, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use crate::protocol::ToolProgress;

/// The most searches in one call.
const MAX_USES: u64 = 8;
/// The most calls in one session.
const MAX_CALLS: u64 = 200;

/// A search query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub words: String,
    /// Search only these hosts.
    pub allowed: Vec<String>,
    /// Leave out these hosts.
    pub blocked: Vec<String>,
}

impl Query {
    /// The server's tool, for the nested request.
    pub fn server_tool(&self) -> ToolSpec {
        let json = object(|tool| {
            tool.string("type", "web_search_20250305")
                .string("name", "web_search")
                .number("max_uses", MAX_USES);
            for (key, hosts) in [("allowed_domains", &self.allowed), ("blocked_domains", &self.blocked)] {
                if !hosts.is_empty() {
                    tool.array(key, |list| {
                        for host in hosts {
                            list.string(host);
                        }
                    });
                }
            }
        });
        ToolSpec { name: "web_search".to_owned(), json }
    }
}

/// A part of the answer to a nested request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchPart {
    /// Pages that were found.
    Pages {
        /// The id of the server's call.
        tool_use: String,
        /// Title and address of each.
        pages: Vec<(String, String)>,
    },
    /// The model's summary.
    Text(String),
}

/// Sends the nested request.
pub trait Searcher: Send + Sync {
    /// Searches; the parts come in the order of the answer.
    fn search<'a>(&'a self, query: &'a Query) -> ReplyFuture<'a, Vec<SearchPart>>;
}

pub struct WebSearch<'a> {
    searcher: Box<dyn Searcher + 'a>,
    calls: Arc<AtomicU64>,
}

impl<'a> WebSearch<'a> {
    /// The tool with this searcher. `calls` is shared by all tools of a session.
    pub fn new(searcher: Box<dyn Searcher + 'a>, calls: Arc<AtomicU64>) -> Self {
        Self { searcher, calls }
    }

    async fn search(&self, input: &[u8], call: &CallContext<'_>) -> Result<Outcome, InputError> {
        let query = query(&Input::scan(input)?)?;
        if self.calls.fetch_add(1, Ordering::Relaxed) >= MAX_CALLS {
            return Err(InputError(format!("The limit of {MAX_CALLS} searches per session is reached.")));
        }
        let began = Instant::now();
        (call.tell)(ToolProgress::SearchStarted { query: query.words.clone() });
        let pieces = match self.searcher.search(&query).await {
            Ok(reply) => reply.counted(call),
            Err(why) => return Ok(Outcome::failed(format!("The search failed: {why}"), &why)),
        };
        let pages = pieces.iter().map(|piece| match piece {
            SearchPart::Pages { pages, .. } => pages.len() as u64,
            SearchPart::Text(_) => 0,
        });
        (call.tell)(ToolProgress::SearchDone { query: query.words.clone(), pages: pages.sum() });
        let count = pieces.iter().filter(|piece| matches!(piece, SearchPart::Pages { .. })).count();
        let kept = object(|kept| {
            kept.string("query", &query.words).array("results", |list| write_pieces(list, &pieces));
            kept.float("durationSeconds", began.elapsed().as_secs_f64()).number("searchCount", count as u64);
        });
        let mut shown = format!("Web search results for query: {:?}\n", query.words);
        for piece in &pieces {
            match piece {
                SearchPart::Text(text) => shown.push_str(&format!("\n{text}\n")),
                SearchPart::Pages { pages, .. } => {
                    for (title, url) in pages {
                        shown.push_str(&format!("\n- {title}: {url}"));
                    }
                    shown.push('\n');
                }
            }
        }
        if pieces.is_empty() {
            shown.push_str("\nNo results.");
        }
        Ok(Outcome::text(shown, kept))
    }
}

fn query(input: &Input<'_>) -> Result<Query, InputError> {
    let query = Query {
        words: input.words("query")?,
        allowed: input.texts("allowed_domains")?,
        blocked: input.texts("blocked_domains")?,
    };
    if !query.allowed.is_empty() && !query.blocked.is_empty() {
        return Err(InputError("Give allowed_domains or blocked_domains, not both.".to_owned()));
    }
    Ok(query)
}

fn write_pieces(list: &mut ArrayWriter<'_>, pieces: &[SearchPart]) {
    for piece in pieces {
        match piece {
            SearchPart::Text(text) => write_string(list.item(), text),
            SearchPart::Pages { tool_use, pages } => {
                list.object(|found| {
                    found.string("tool_use_id", tool_use).array("content", |list| {
                        for (title, url) in pages {
                            list.object(|page| {
                                page.string("title", title).string("url", url);
                            });
                        }
                    });
                });
            }
        }
    }
}

impl Tool for WebSearch<'_> {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new("WebSearch", "Searches the web and returns titles, URLs and a summary of the results. Name the pages that an answer rests on.")
            .required("query", ParamType::Text, "What to search for")
            .optional("allowed_domains", ParamType::Texts, "Only pages of these hosts")
            .optional("blocked_domains", ParamType::Texts, "No pages of these hosts")
            .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        query(&Input::of(input))?;
        Ok(ToolRequest::WebSearch)
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(
            async move { self.search(input, call).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
