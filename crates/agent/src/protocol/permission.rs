//! Permission for tool calls: requests, answers, denials.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use annals_json::Value;
use annals_policy::Mode;
use annals_policy::rules::RuleList;

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
    /// The file or folder that the call is about, if it is about one.
    pub path: Option<PathBuf>,
    /// The sub-agent that makes the call; `None` if it is of the conversation itself.
    pub agent: Option<AgentLabel>,
}

/// What a person is told of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLabel {
    /// Its type.
    pub kind: String,
    /// What it is to do, in a few words.
    pub description: String,
}

/// An answer on its way.
pub type PermissionFuture<'p> = Pin<Box<dyn Future<Output = Permit> + Send + 'p>>;

/// Decides about calls in place of a person. Dropping the future takes the question back.
pub trait PermissionTool: fmt::Debug + Send + Sync {
    fn ask<'p>(&'p self, question: &'p PermissionRequest) -> PermissionFuture<'p>;
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
    /// The call runs with what the answer changes.
    AllowChanged(PermitChanges),
    /// The call does not run, and the message alone is its result.
    Reject {
        /// What the model is told.
        message: String,
        /// Whether the turn ends as if it was interrupted.
        should_interrupt: bool,
    },
    /// There is no answer: the call fails with this text.
    Fail(String),
}

impl Permit {
    /// Says how a call was allowed, for a person.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::AllowAlways(rules) => format!("yes, always: {}", rules.join(", ")),
            Self::AllowChanged(changes) => match (changes.mode, &changes.input, &*changes.rules) {
                (Some(mode), _, _) => format!("yes, and mode {} from now on", mode.name()),
                (None, Some(_), _) => "yes, with another input".to_owned(),
                (None, None, [_, ..]) => "yes, with rules".to_owned(),
                (None, None, []) => "yes".to_owned(),
            },
            Self::Allow => "yes".to_owned(),
            Self::Deny(_) | Self::Reject { .. } | Self::Fail(_) => "no".to_owned(),
        }
    }
}

/// What the answer to a permission request changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermitChanges {
    /// The input that the call gets instead: a JSON object.
    pub input: Option<Vec<u8>>,
    /// Rules until the conversation ends.
    pub rules: Vec<(RuleList, String)>,
    /// The permission mode from now on.
    pub mode: Option<Mode>,
}

impl PermitChanges {
    /// Adds a change of permissions: rules, or a mode. They hold for this session, wherever they were to be stored.
    pub fn add_update(&mut self, update: Value<'_>) {
        match text(update, "type").as_deref() {
            Some("setMode") => {
                let mode = text(update, "mode").and_then(|name| Mode::parse(&name));
                // Permissions are switched off at the start or not at all.
                self.mode = mode.filter(|mode| *mode != Mode::Bypass).or(self.mode);
            }
            Some("addRules") => {
                let list = match text(update, "behavior").as_deref() {
                    Some("allow") => RuleList::Allow,
                    Some("deny") => RuleList::Deny,
                    _ => RuleList::Ask,
                };
                for rule in update.get("rules").into_iter().flat_map(Value::items) {
                    let Some(tool) = text(rule, "toolName") else { continue };
                    let rule = match text(rule, "ruleContent") {
                        Some(content) => format!("{tool}({content})"),
                        None => tool,
                    };
                    self.rules.push((list, rule));
                }
            }
            _ => {}
        }
    }
}

fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.get(key)?.text().map(|text| text.to_string())
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
    pub why: String,
}
