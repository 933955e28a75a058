//! The grammar of rules.

use super::{CommandPattern, Matcher, PathPattern, RuleList};

/// Tools whose rules name files.
pub(super) const FILE_TOOLS: [&str; 8] =
    ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "NotebookRead"];

pub(super) fn matcher(text: &str, list: RuleList) -> Matcher {
    let Some((tool, rest)) = text.split_once('(') else { return whole(text, list) };
    let Some(what) = rest.strip_suffix(')') else { return Matcher::Unknown("missing closing bracket") };
    if !is_name(tool) {
        return Matcher::Unknown("it does not start with a tool name");
    }
    match (tool, what.trim()) {
        (_, "") => Matcher::Unknown("empty brackets"),
        (_, "*") => whole(tool, list),
        ("Bash", what) => Matcher::Command(CommandPattern::new(what)),
        ("WebFetch", what) => match what.strip_prefix("domain:").map(str::trim) {
            Some(domain) if !domain.is_empty() => Matcher::Domain(domain.to_ascii_lowercase()),
            _ => Matcher::Unknown("only `domain:…` is supported"),
        },
        ("Agent" | "Task", what) => Matcher::Agent(what.to_owned()),
        // Whatever the arguments are, it is the same skill.
        ("Skill", what) => {
            let name = what.strip_suffix(":*").or_else(|| what.strip_suffix(" *")).unwrap_or(what);
            Matcher::Skill(name.trim().trim_start_matches('/').to_owned())
        }
        (tool, what) if FILE_TOOLS.contains(&tool) => match PathPattern::new(what) {
            Some(pattern) => Matcher::Path { tool: tool.to_owned(), pattern },
            None => Matcher::Unknown("invalid pattern"),
        },
        _ => Matcher::Unknown("this tool takes nothing in brackets"),
    }
}

fn is_name(tool: &str) -> bool {
    !tool.is_empty() && tool.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn whole(tool: &str, list: RuleList) -> Matcher {
    if tool == "*" {
        return match list {
            RuleList::Allow => Matcher::Unknown("a rule cannot allow everything"),
            _ => Matcher::Everything,
        };
    }
    if let Some(mcp) = tool.strip_prefix("mcp__") {
        let (server, tool) = mcp.split_once("__").map_or((mcp, None), |(server, tool)| (server, Some(tool)));
        let tool = tool.filter(|tool| *tool != "*");
        if (server, tool) == ("*", None) && list != RuleList::Allow {
            return Matcher::Mcp { server: String::new(), tool: None };
        }
        // A star at the end stands for the rest of a tool's name.
        let is_tool = |tool: &str| is_name(tool.strip_suffix('*').unwrap_or(tool));
        if !is_name(server) || tool.is_some_and(|tool| !is_tool(tool)) {
            return Matcher::Unknown("`*` can only end the name of a tool of one server");
        }
        return Matcher::Mcp { server: server.to_owned(), tool: tool.map(str::to_owned) };
    }
    match tool {
        // The names of older clients.
        "Task" => Matcher::Whole("Agent".to_owned()),
        "BashOutput" => Matcher::Whole("TaskOutput".to_owned()),
        "KillShell" | "KillBash" => Matcher::Whole("TaskStop".to_owned()),
        tool if is_name(tool) => Matcher::Whole(tool.to_owned()),
        _ => Matcher::Unknown("it does not start with a tool name"),
    }
}
