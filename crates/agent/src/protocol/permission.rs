//! Permission for tool calls: requests, answers, denials.

/// A call that a person must decide about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRequest {
    /// The id of this request: calls of several sub-agents may share theirs.
    pub id: String,
    /// The id of the call.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The input, as the model wrote it.
    pub input: Vec<u8>,
    /// Why a decision is needed.
    pub why: String,
    /// Rules that would allow such calls in the future.
    pub suggestions: Vec<String>,
}

/// The decision of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permit {
    /// The call runs.
    Allow,
    /// The call runs, and so do all calls that these rules allow, until the conversation ends.
    AllowAlways(Vec<String>),
    /// The call does not run; optionally with a message to the model.
    Deny(Option<String>),
}

/// A call that was denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The id of the call.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The input, as the model wrote it.
    pub input: Vec<u8>,
    /// The reason.
    pub why: String,
}
