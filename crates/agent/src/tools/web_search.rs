//! WebSearch: a search that the API itself carries out, in a request of its own. Who sends that is handed in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use annals_json::{ArrayWriter, Fields, write_string};

use super::answer::object;
use super::input::Input;
use super::spec::{Holds, Spec};
use super::{Asked, InputError, Order, Outcome, Replying, Running, Scene, Tool};
use crate::api::request::ToolSpec;

/// Searches in one call.
const MOST_USES: u64 = 8;
/// Calls in one session.
const MOST_CALLS: u64 = 200;

/// What is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The words.
    pub words: String,
    /// Only these hosts.
    pub allowed: Vec<String>,
    /// Not these hosts.
    pub blocked: Vec<String>,
}

impl Query {
    /// The server's tool, for the nested request.
    pub fn server_tool(&self) -> ToolSpec {
        let json = object(|tool| {
            tool.string("type", "web_search_20250305")
                .string("name", "web_search")
                .number("max_uses", MOST_USES);
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

/// A piece of the answer to a nested request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Pages that were found.
    Pages {
        /// The id of the server's call.
        tool_use: String,
        /// Title and address of each.
        pages: Vec<(String, String)>,
    },
    /// What the model made of them.
    Text(String),
}

/// Sends the nested request.
pub trait Searcher: Send + Sync {
    /// Searches; the pieces come in the order of the answer.
    fn search<'a>(&'a self, query: &'a Query) -> Replying<'a, Vec<Piece>>;
}

/// Searches the web.
pub struct WebSearch<'a> {
    searcher: Box<dyn Searcher + 'a>,
    calls: Arc<AtomicU64>,
}

impl<'a> WebSearch<'a> {
    /// With this one; all that share a count are one session.
    pub fn new(searcher: Box<dyn Searcher + 'a>, calls: Arc<AtomicU64>) -> Self {
        Self { searcher, calls }
    }

    async fn search(&self, input: &[u8], scene: &Scene<'_>) -> Result<Outcome, InputError> {
        let query = query(&Input::scan(input)?)?;
        if self.calls.fetch_add(1, Ordering::Relaxed) >= MOST_CALLS {
            return Err(InputError(format!(
                "There were {MOST_CALLS} searches in this session: no more are made."
            )));
        }
        let began = Instant::now();
        let pieces = match self.searcher.search(&query).await {
            Ok(reply) => reply.counted(scene),
            Err(why) => return Ok(Outcome::failed(format!("The search failed: {why}"), &why)),
        };
        let count = pieces.iter().filter(|piece| matches!(piece, Piece::Pages { .. })).count();
        let kept = object(|kept| {
            kept.string("query", &query.words).array("results", |list| write_pieces(list, &pieces));
            kept.float("durationSeconds", began.elapsed().as_secs_f64()).number("searchCount", count as u64);
        });
        let mut shown = format!("Web search results for query: {:?}\n", query.words);
        for piece in &pieces {
            match piece {
                Piece::Text(text) => shown.push_str(&format!("\n{text}\n")),
                Piece::Pages { pages, .. } => {
                    for (title, url) in pages {
                        shown.push_str(&format!("\n- {title}: {url}"));
                    }
                    shown.push('\n');
                }
            }
        }
        if pieces.is_empty() {
            shown.push_str("\nNothing was found.");
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

fn write_pieces(list: &mut ArrayWriter<'_>, pieces: &[Piece]) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => write_string(list.item(), text),
            Piece::Pages { tool_use, pages } => {
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
        Spec::new("WebSearch", "Searches the web and gives titles, addresses and a summary of what was found. Name the pages that an answer rests on.")
            .needs("query", Holds::Text, "What to search for")
            .may("allowed_domains", Holds::Texts, "Only pages of these hosts")
            .may("blocked_domains", Holds::Texts, "No pages of these hosts")
            .build()
    }

    fn order(&self) -> Order {
        Order::Beside
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        query(&Input::of(input))?;
        Ok(Asked::WebSearch)
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        Box::pin(
            async move { self.search(input, scene).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
