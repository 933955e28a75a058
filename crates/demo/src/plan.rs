//! The input and the output of the generator, and what the output contains.

/// How large a store, and which one.
///
/// The showcase (about thirty sessions, each made for something) is always there. `sessions` and `bytes` add ordinary
/// sessions until both are reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The minimum number of session files.
    pub sessions: Option<u32>,
    /// The minimum number of bytes over all files.
    pub bytes: Option<u64>,
    /// Another seed gives other people the same habits: other ids and texts, the same features.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self { sessions: None, bytes: None, seed: 1 }
    }
}

/// One file of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoFile {
    /// The path, relative to the config dir, with `/` between the parts.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// When it was last changed, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// The content of a generated store, which a correct reader must find.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub files: u64,
    /// Session files (`projects/<slug>/<uuid>.jsonl`), the empty ones too.
    pub sessions: u64,
    /// Sub-agent files (`agent-*.jsonl`).
    pub sub_agents: u64,
    /// Lines in session and sub-agent files; a last line without a line end counts.
    pub lines: u64,
    /// Bytes over all files.
    pub bytes: u64,
    /// What the sessions say, everything counted once over the store.
    pub truth: Truth,
    /// What forks repeat. Counting file by file gives `truth + copied`.
    pub copied: Truth,
}

/// The figures of a store that are easy to get wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Truth {
    /// Responses of a model: `message.id` with `requestId`, `<synthetic>` ones left out.
    pub responses: u64,
    pub tokens: Tokens,
    /// Prompts by a person, each of which opens a turn. Those of sub-agents are not by a person.
    pub prompts: u64,
    /// `tool_use` blocks.
    pub tool_calls: u64,
    /// `tool_use` blocks without a `tool_result` in their file.
    pub unanswered: u64,
}

/// Tokens by price class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Fresh input.
    pub input: u64,
    /// Output, thinking included.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to the five-minute cache.
    pub cache_write_5m: u64,
    /// Input written to the one-hour cache.
    pub cache_write_1h: u64,
    /// Web searches, which are paid by number.
    pub web_searches: u64,
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, more: Self) {
        self.input += more.input;
        self.output += more.output;
        self.cache_read += more.cache_read;
        self.cache_write_5m += more.cache_write_5m;
        self.cache_write_1h += more.cache_write_1h;
        self.web_searches += more.web_searches;
    }
}

impl std::ops::AddAssign for Truth {
    fn add_assign(&mut self, more: Self) {
        self.responses += more.responses;
        self.tokens += more.tokens;
        self.prompts += more.prompts;
        self.tool_calls += more.tool_calls;
        self.unanswered += more.unanswered;
    }
}
