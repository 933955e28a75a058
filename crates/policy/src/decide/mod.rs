//! Decides about a call: by deny rules, ask rules, protected paths, allow rules, and the mode, in this order.

mod bash;
mod below;
mod candidates;
mod configuring;
mod confined;
mod contents;
mod expansion;
mod files;
mod git_taking;
mod globs;
mod later;
mod listing;
mod mentions;
mod operands;
mod suggest;
mod takers;
mod taking;
mod variables;
mod xargs;

use std::path::Path;

use super::call::Call;
use super::decision::{Decision, Reason};
use super::mode::Mode;
use super::paths::{FileSystem, Workspace};
use super::rules::{Matcher, Rule, RuleList, Rules};

/// Everything that a decision depends on.
pub struct Policy<'p> {
    /// The rules of all sources.
    pub rules: &'p Rules,
    /// The permission mode.
    pub mode: Mode,
    /// The folders of the session.
    pub workspace: &'p Workspace,
    /// The file system.
    pub files: &'p dyn FileSystem,
}

impl Policy<'_> {
    /// Decides about a call, for a user who can be asked; see [`Decision::headless`] for sessions without one.
    pub fn decide(&self, call: &Call<'_>) -> Decision {
        let decision = self.decide_anyhow(call);
        match self.mode {
            Mode::DontAsk => decision.headless(),
            _ => decision,
        }
    }

    /// The same, for a command that starts in this real folder.
    pub fn decide_in(&self, call: &Call<'_>, folder: &Path) -> Decision {
        let workspace = self.workspace.at(folder);
        Policy { workspace: &workspace, ..*self }.decide(call)
    }

    fn decide_anyhow(&self, call: &Call<'_>) -> Decision {
        let tool = call.tool();
        for list in [RuleList::Deny, RuleList::Ask] {
            if let Some(rule) = self.rules.of(list).find(|rule| is_whole(rule, tool)) {
                // An ask rule for the whole tool does not override a deny rule for files.
                let decided = stated(rule, tool);
                return if list == RuleList::Deny { decided } else { decided.and(self.by_kind(call)) };
            }
        }
        self.by_kind(call)
    }

    fn by_kind(&self, call: &Call<'_>) -> Decision {
        match call {
            Call::Bash(text) => self.bash(text),
            Call::Read(tool, path) => self.read(tool.name(), path),
            Call::Edit(tool, path) => self.edit(tool.name(), path),
            Call::WebFetch(address) => {
                let Some(domain) = host(address) else {
                    return Decision::deny(Reason::NotCovered((*address).to_owned()));
                };
                self.by_rules(
                    "WebFetch",
                    &domain,
                    vec![format!("WebFetch(domain:{domain})")],
                    |matcher, list| {
                        let Matcher::Domain(rule) = matcher else { return false };
                        // A deny or ask rule for a domain includes its subdomains.
                        let below = list != RuleList::Allow && is_within(&domain, &format!("*.{rule}"));
                        below || is_within(&domain, rule)
                    },
                )
            }
            Call::Agent(kind) => {
                let named = |matcher: &Matcher, _| matches!(matcher, Matcher::Agent(rule) if rule == kind);
                match self.by_rules("Agent", kind, Vec::new(), named) {
                    // Every call of a sub-agent is decided about again.
                    Decision::Ask { because: Reason::NotCovered(_), .. } => Decision::allow(Reason::Inward),
                    decided => decided,
                }
            }
            Call::Skill(name) | Call::GrantingSkill(name) => {
                let named = |matcher: &Matcher, _| matches!(matcher, Matcher::Skill(rule) if rule == name);
                match self.by_rules("Skill", name, vec![format!("Skill({name})")], named) {
                    // It is a text: every call that follows from it is decided about.
                    Decision::Ask { because: Reason::NotCovered(_), .. }
                        if matches!(call, Call::Skill(_)) =>
                    {
                        Decision::allow(Reason::Inward)
                    }
                    decided => decided,
                }
            }
            Call::Mcp(name) => self
                .by_rules(name, name, vec![(*name).to_owned()], |matcher, list| is_mcp(matcher, name, list)),
            Call::WebSearch => {
                self.by_rules("WebSearch", "WebSearch", vec!["WebSearch".to_owned()], |_, _| false)
            }
            Call::Plan => match self.mode {
                Mode::Plan => Decision::ask(Reason::Plan),
                _ => Decision::deny(Reason::NoPlan),
            },
            Call::Inward(_) => Decision::allow(Reason::Inward),
            Call::Other(name) => self.by_rules(name, name, vec![(*name).to_owned()], |_, _| false),
        }
    }

    /// A call that one word describes.
    fn by_rules(
        &self,
        tool: &str,
        about: &str,
        suggestions: Vec<String>,
        speaks: impl Fn(&Matcher, RuleList) -> bool,
    ) -> Decision {
        for list in [RuleList::Deny, RuleList::Ask, RuleList::Allow] {
            let hit = self.rules.of(list).find(|rule| speaks(&rule.matcher, list) || is_whole(rule, tool));
            match hit {
                // A plan must not be carried out by tools with unknown effects.
                Some(rule) if list == RuleList::Allow && self.mode == Mode::Plan && !is_of_web(tool) => {
                    return Decision::ask(Reason::Mode(Mode::Plan))
                        .and(Decision::allow(Reason::rule(rule, about)));
                }
                Some(rule) => return stated(rule, about),
                None => {}
            }
        }
        match self.mode {
            Mode::Bypass => Decision::allow(Reason::Mode(Mode::Bypass)),
            _ => Decision::Ask { because: Reason::NotCovered(about.to_owned()), suggestions },
        }
    }

    /// The first rule of a list that matches every call of a tool.
    fn whole(&self, list: RuleList, tool: &str) -> Option<&Rule> {
        self.rules.of(list).find(|rule| is_whole(rule, tool))
    }
}

/// The decision of a rule's list.
fn stated(rule: &Rule, about: &str) -> Decision {
    let because = Reason::rule(rule, about);
    match rule.list {
        RuleList::Deny => Decision::deny(because),
        RuleList::Ask => Decision::ask(because),
        RuleList::Allow => Decision::allow(because),
    }
}

fn is_of_web(tool: &str) -> bool {
    matches!(tool, "WebFetch" | "WebSearch" | "Agent" | "Skill")
}

/// Whether a rule matches every call of a tool. `Edit` means all tools that change files, `Read` all that read them.
fn is_whole(rule: &Rule, tool: &str) -> bool {
    match &rule.matcher {
        Matcher::Everything => true,
        Matcher::Whole(name) => {
            name == tool
                || (name == "Edit" && matches!(tool, "Write" | "NotebookEdit"))
                || (name == "Read" && matches!(tool, "Glob" | "Grep"))
        }
        matcher => is_mcp(matcher, tool, rule.list) && matches!(matcher, Matcher::Mcp { tool: None, .. }),
    }
}

/// Whether a rule matches a tool of a server. Names of servers can hold `__`: where a server ends is not known, so a rule that
/// denies or asks also matches as the whole name of a server.
fn is_mcp(matcher: &Matcher, name: &str, list: RuleList) -> bool {
    let Matcher::Mcp { server, tool } = matcher else { return false };
    let Some(rest) = name.strip_prefix("mcp__") else { return false };
    if server.is_empty() {
        return true;
    }
    let Some(rest) = rest.strip_prefix(server.as_str()) else { return false };
    match (tool, rest.strip_prefix("__")) {
        (_, None) => rest.is_empty() && tool.is_none(),
        (None, Some(_)) => true,
        (Some(tool), Some(called)) => match tool.strip_suffix('*') {
            Some(beginning) => called.starts_with(beginning),
            None => {
                let is_server = called.strip_prefix(tool.as_str()).is_some_and(|more| more.starts_with("__"));
                called == tool || (is_server && list != RuleList::Allow)
            }
        },
    }
}

/// The host of a URL, in lower case.
fn host(address: &str) -> Option<String> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    // The part before `@` is not the host, though it looks like one.
    if authority.contains('@') {
        return None;
    }
    let host = match authority.strip_prefix('[') {
        Some(six) => six.split(']').next()?,
        None => authority.split(':').next()?,
    };
    let plain =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte));
    plain.then(|| host.trim_end_matches('.').to_ascii_lowercase())
}

/// Whether a host is the domain of a rule; `*.` before it means those below.
fn is_within(host: &str, rule: &str) -> bool {
    match rule.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|below| below.ends_with('.')),
        None => host == rule,
    }
}
