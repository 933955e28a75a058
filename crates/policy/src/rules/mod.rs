//! Permission rules: `Tool` and `Tool(what)`, in three lists, from several sources. A rule that cannot be parsed never allows
//! anything, and is reported.

mod command_pattern;
mod parse;
mod path_pattern;

use std::fmt;

pub use command_pattern::{CommandPattern, CommandSpellings, Match};
pub(crate) use path_pattern::PatternReach;
pub use path_pattern::{CaseSensitivity, PathPattern, PatternBases};

/// Where a rule, or a setting, comes from; the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingsSource {
    /// Settings that an administrator wrote.
    Managed,
    /// `--allowedTools`, `--disallowedTools`, `--settings`.
    CommandLine,
    /// Granted by the user during this session.
    Session,
    /// `.claude/settings.local.json` of the project.
    Local,
    /// `.claude/settings.json` of the project, which came with its files.
    Project,
    User,
}

impl SettingsSource {
    /// Whether it is one of the project's files, which others may have written.
    pub fn is_of_project(self) -> bool {
        matches!(self, Self::Local | Self::Project)
    }
}

impl fmt::Display for SettingsSource {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Managed => "managed settings",
            Self::CommandLine => "the command line",
            Self::Session => "this session",
            Self::Local => "the project's local settings",
            Self::Project => "the project's settings",
            Self::User => "the user's settings",
        })
    }
}

/// The three lists of rules, in the order in which they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleList {
    /// Denied calls.
    Deny,
    /// Calls that the user is asked about.
    Ask,
    /// Calls that are allowed without asking.
    Allow,
}

impl RuleList {
    /// The key of the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// What a rule matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// Every use of a tool.
    Whole(String),
    /// Every tool there is; only a deny or ask rule can say so.
    Everything,
    /// Commands of Bash.
    Command(CommandPattern),
    /// Files, for the tool that is named.
    Path {
        /// `Read`, `Edit`, `Write`, …
        tool: String,
        /// Which files.
        pattern: PathPattern,
    },
    /// `WebFetch(domain:…)`
    Domain(String),
    /// `Agent(type)`, `Task(type)`
    Agent(String),
    /// `Skill(name)`, `Skill(name *)`
    Skill(String),
    /// `mcp__server`, `mcp__server__tool` and `mcp__server__to*`
    Mcp {
        /// The server; empty for all, which only a deny or ask rule can say.
        server: String,
        /// The tool, or the beginning of its name before `*`; `None` for all tools of the server.
        tool: Option<String>,
    },
    /// A rule that cannot be parsed, and why.
    Unknown(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As it was written.
    pub text: String,
    pub list: RuleList,
    /// Where it comes from.
    pub source: SettingsSource,
    /// What it matches.
    pub matcher: Matcher,
}

impl Rule {
    /// Parses a rule; one that cannot be parsed is kept and matches nothing.
    pub fn new(text: &str, list: RuleList, source: SettingsSource) -> Self {
        let text = text.trim();
        Self { text: text.to_owned(), list, source, matcher: parse::matcher(text, list) }
    }

    /// Why it cannot be parsed, if so.
    pub fn unknown(&self) -> Option<&'static str> {
        match self.matcher {
            Matcher::Unknown(why) => Some(why),
            _ => None,
        }
    }
}

/// All rules, the strongest source first within a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Adds a rule after those of its source.
    pub fn add(&mut self, rule: Rule) {
        let place = self.0.partition_point(|other| (other.list, other.source) <= (rule.list, rule.source));
        self.0.insert(place, rule);
    }

    /// The rules of a list.
    pub fn of(&self, list: RuleList) -> impl Iterator<Item = &Rule> {
        self.0.iter().filter(move |rule| rule.list == list)
    }

    /// Rules that cannot be parsed.
    pub fn unknown(&self) -> impl Iterator<Item = (&Rule, &'static str)> {
        self.0.iter().filter_map(|rule| rule.unknown().map(|why| (rule, why)))
    }
}

impl Extend<Rule> for Rules {
    fn extend<T: IntoIterator<Item = Rule>>(&mut self, rules: T) {
        rules.into_iter().for_each(|rule| self.add(rule));
    }
}

/// Splits a list of rules at commas and spaces outside brackets.
pub fn listed(text: &str) -> Vec<String> {
    let mut depth = 0_u32;
    let mut rules = vec![String::new()];
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_between = depth == 0 && (letter == ',' || letter.is_whitespace());
        match rules.last_mut() {
            Some(rule) if !is_between => rule.push(letter),
            _ => rules.push(String::new()),
        }
    }
    rules.retain(|rule| !rule.is_empty());
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_told_apart() {
        assert_eq!(listed("Bash(git log:*, -p),Edit Read"), ["Bash(git log:*, -p)", "Edit", "Read"]);
        assert_eq!(listed(" , "), [""; 0]);
    }
}
