//! What a sandbox changes about decisions: a command whose effect is not known may run where the kernel limits it. What rules say,
//! and what no rule allows, holds as without one.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use super::Policy;
use crate::call::Call;
use crate::decision::{Decision, Reason};
use crate::mode::Mode;
use crate::paths::Confinement;

/// What the sandbox answers to questions about one command. The folders are looked at once, and only if there is a question.
pub(super) struct SandboxAnswer<'p> {
    policy: &'p Policy<'p>,
    is_confined: OnceCell<bool>,
}

impl<'p> SandboxAnswer<'p> {
    pub(super) fn new(policy: &'p Policy<'p>) -> Self {
        Self { policy, is_confined: OnceCell::new() }
    }

    /// Allows what would be asked only because its effect is not known.
    pub(super) fn contain(&self, decision: Decision) -> Decision {
        let Decision::Ask { because, .. } = &decision else { return decision };
        let is_unknown = matches!(
            because,
            Reason::NotCovered(_)
                | Reason::UnknownPath(_)
                | Reason::Hidden(_)
                | Reason::Hazard(_)
                | Reason::Repository(_)
        );
        match is_unknown && *self.is_confined.get_or_init(|| self.policy.is_confined()) {
            true => Decision::allow(Reason::Sandbox),
            false => decision,
        }
    }

    /// Asks about a command that is allowed, if a rule is about a file that the sandbox cannot keep it from.
    pub(super) fn check(&self, decision: Decision) -> Decision {
        let is_open = matches!(&decision, Decision::Allow { because } if *because != Reason::ReadsOnly);
        let path = Some(()).filter(|()| is_open).and_then(|()| self.policy.open_to_commands());
        path.map_or(decision, |path| Decision::ask(Reason::NotConfined(path)))
    }
}

impl Policy<'_> {
    /// Decides about a command that would run outside the sandbox, in this real folder: a person must say so, unless the mode
    /// allows everything.
    pub fn decide_outside(&self, call: &Call<'_>, folder: &Path) -> Decision {
        let mut workspace = self.workspace.at(folder);
        workspace.set_confinement(Confinement::None);
        let decision = Policy { workspace: &workspace, ..*self }.decide(call);
        let decision = match decision {
            Decision::Allow { because: Reason::Mode(Mode::Bypass) } | Decision::Deny { .. } => decision,
            Decision::Allow { .. } | Decision::Ask { because: Reason::NotCovered(_), .. } => {
                Decision::ask(Reason::NoSandbox)
            }
            Decision::Ask { because, .. } => Decision::ask(because),
        };
        if self.mode == Mode::DontAsk { decision.headless() } else { decision }
    }

    /// Whether the kernel keeps commands from all that rules and protected paths keep them from.
    fn is_confined(&self) -> bool {
        if matches!(self.mode, Mode::Plan | Mode::DontAsk) {
            return false;
        }
        match self.workspace.confinement() {
            Confinement::None => false,
            Confinement::Paths => !self.has_file_rules() || self.confined_paths().is_complete,
            Confinement::Folders => {
                let paths = self.confined_paths();
                let is_inside = |path: &PathBuf| self.is_in_root(path);
                let is_clear = !paths.read_only.iter().chain(&paths.hidden).any(is_inside);
                paths.is_complete && is_clear && paths.pinned.is_empty()
            }
        }
    }

    /// A file of a rule that the sandbox leaves open to commands.
    fn open_to_commands(&self) -> Option<PathBuf> {
        if self.workspace.confinement() != Confinement::Folders || !self.has_file_rules() {
            return None;
        }
        let mut rules = self.confined_by_rules();
        rules.hidden.append(&mut rules.read_only);
        rules.hidden.into_iter().find(|path| self.is_in_root(path))
    }

    fn is_in_root(&self, path: &Path) -> bool {
        self.workspace.roots().iter().any(|root| path.starts_with(root))
    }
}
