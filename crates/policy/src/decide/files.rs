//! Decisions about files, for the tools that read and change them and for the redirections of commands.

use std::path::Path;

use super::{Policy, is_whole, stated};
use crate::decision::{Decision, Reason};
use crate::mode::Mode;
use crate::paths::{ResolvedPath, is_protected, is_refused, resolve};
use crate::rules::{CaseSensitivity, Matcher, Rule, RuleList};

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Policy<'_> {
    pub(super) fn read(&self, tool: &str, path: &str) -> Decision {
        self.file(Access::Read, tool, self.workspace.working(), path)
    }

    pub(super) fn edit(&self, tool: &str, path: &str) -> Decision {
        self.file(Access::Write, tool, self.workspace.working(), path)
    }

    /// A file, as seen from a folder.
    pub(super) fn file(&self, access: Access, tool: &str, folder: &Path, path: &str) -> Decision {
        let path = match (path.strip_prefix("~/"), self.workspace.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => Path::new(path).to_path_buf(),
        };
        let resolved = match resolve(self.files, folder, &path) {
            Ok(resolved) => resolved,
            Err(error) => return Decision::deny(Reason::Path(error)),
        };
        if is_refused(&resolved) {
            return Decision::deny(Reason::Refused(resolved.real));
        }
        let about = resolved.spelled.display().to_string();
        for list in [RuleList::Deny, RuleList::Ask] {
            if let Some(rule) = self.rules.of(list).find(|rule| self.forbids(rule, access, tool, &resolved)) {
                return stated(rule, &about);
            }
        }
        if access == Access::Write {
            if self.mode == Mode::Plan {
                return Decision::deny(Reason::Mode(Mode::Plan));
            }
            if let Some(path) = resolved.all().find(|path| is_protected(path)) {
                return Decision::ask(Reason::Protected(path.to_path_buf()));
            }
        }
        self.allowed(access, tool, &resolved)
    }

    fn allowed(&self, access: Access, tool: &str, resolved: &ResolvedPath) -> Decision {
        let about = resolved.spelled.display().to_string();
        let allows = |path: &Path| {
            self.rules.of(RuleList::Allow).find(|rule| is_whole(rule, tool) || self.opens(rule, tool, path))
        };
        // The path as written and its target must each be allowed by a rule.
        if let (Some(rule), Some(_)) = (allows(&resolved.spelled), allows(&resolved.real)) {
            return stated(rule, &about);
        }
        let inside = self.workspace.holds(resolved);
        match (access, self.mode) {
            (Access::Read, _) if inside => Decision::allow(Reason::ReadsOnly),
            (Access::Write, Mode::AcceptEdits) if inside => Decision::allow(Reason::Mode(Mode::AcceptEdits)),
            (_, Mode::Bypass) => Decision::allow(Reason::Mode(Mode::Bypass)),
            _ => {
                let name = if access == Access::Read { "Read" } else { "Edit" };
                // With links on the way, a single rule would not suffice.
                let suggestions =
                    match resolved.passed.is_empty() && !about.contains(['*', '?', '[', '\\', '!']) {
                        true => vec![format!("{name}(/{about})")],
                        false => Vec::new(),
                    };
                let because =
                    if inside { Reason::NotCovered(about) } else { Reason::Outside(resolved.real.clone()) };
                Decision::Ask { because, suggestions }
            }
        }
    }

    /// Whether a deny or ask rule matches this file: as written, a link on the way, or its target.
    pub(super) fn forbids(&self, rule: &Rule, access: Access, tool: &str, resolved: &ResolvedPath) -> bool {
        let Matcher::Path { tool: named, pattern } = &rule.matcher else { return is_whole(rule, tool) };
        // A file that must not be read must not be changed either, and a rule about changes applies to all tools.
        let reads = matches!(named.as_str(), "Read" | "Glob" | "Grep" | "NotebookRead");
        let speaks = match access {
            Access::Write => true,
            Access::Read => reads && (named == "Read" || named == tool),
        };
        let bases = self.workspace.bases();
        speaks && resolved.all().any(|path| pattern.matches(path, &bases, CaseSensitivity::Folded))
    }

    /// Whether an allow rule matches this path.
    fn opens(&self, rule: &Rule, tool: &str, path: &Path) -> bool {
        let Matcher::Path { tool: named, pattern } = &rule.matcher else { return false };
        let speaks = match named.as_str() {
            "Edit" => matches!(tool, "Edit" | "Write" | "NotebookEdit"),
            "Read" => matches!(tool, "Read" | "Glob" | "Grep"),
            named => named == tool,
        };
        speaks && pattern.matches(path, &self.workspace.bases(), CaseSensitivity::Exact)
    }

    /// A path inside of the workspace that may be read without a question.
    pub(super) fn may_read(&self, folder: &Path, path: &str) -> Result<(), Decision> {
        match self.file(Access::Read, "Read", folder, path) {
            Decision::Allow { .. } => Ok(()),
            other => Err(other),
        }
    }
}
