//! The usage of a team, and what is known of its sessions.

use std::collections::HashMap;

use annals_team::Engine;
use annals_team::query::{Owner, Scope, SessionFacts, agents_without_file, owners, session_facts, usage};
use annals_transcript::usage::UsageItem;

use super::items::UsageItems;
use super::rows::RowDetail;
use crate::args::UsageBy;
use crate::context::Context;
use crate::error::Fault;
use crate::team_store::FetchedFiles;
use crate::uncounted::UncountedUsage;

/// The row of machines that nobody was assigned to.
const NOBODY: &str = "(unassigned)";

/// The people and sessions behind the items of a team.
pub(crate) struct TeamItems {
    /// The owner of each source.
    owners: Vec<Owner>,
    sessions: HashMap<String, SessionFacts>,
    people: HashMap<String, Owner>,
}

impl UsageItems {
    /// Asks a team's engine.
    pub(super) fn of_team(
        engine: &Engine,
        scope: &Scope,
        by: UsageBy,
        context: &Context,
    ) -> Result<Self, Fault> {
        let used = usage(engine, scope)?;
        let here = context.prices.as_of();
        if used.prices.iter().any(|table| table != here) {
            context.say(format!(
                "costs were computed on arrival, from the price tables of {}",
                used.prices.join("; ")
            ));
        }
        let mut people = owners(engine)?;
        for owner in people.values_mut() {
            for name in [&mut owner.person, &mut owner.team] {
                if name.is_empty() {
                    NOBODY.clone_into(name);
                }
            }
        }
        let nobody = Owner { person: NOBODY.to_owned(), team: NOBODY.to_owned() };
        let owner_of = |machine: &String| people.get(machine).cloned().unwrap_or_else(|| nobody.clone());
        let owners = used.machines.iter().map(owner_of).collect();
        // Titles are only read where they are shown.
        let sessions = match by {
            UsageBy::Session => session_facts(engine, scope)?,
            _ => HashMap::new(),
        };
        Ok(Self {
            team: Some(Box::new(TeamItems { owners, sessions, people })),
            sources: used.sources,
            items: used.items,
            problems: Vec::new(),
            uncounted: uncounted(engine, scope, context)?,
        })
    }

    /// Whose an item is, if a team's engine was asked.
    pub(super) fn owner(&self, item: &UsageItem) -> Option<&Owner> {
        self.team.as_ref()?.owners.get(item.file.get())
    }
}

/// The usage of sub-agents of which nobody has a file.
fn uncounted(engine: &Engine, scope: &Scope, context: &Context) -> Result<UncountedUsage, Fault> {
    let (files, agents) = agents_without_file(engine, scope)?;
    if files.is_empty() {
        return Ok(UncountedUsage::default());
    }
    let fetched = FetchedFiles::fetch(engine, &files, context)?;
    let missing = fetched.paths.iter().map(|path| (path.clone(), agents.clone())).collect();
    Ok(UncountedUsage::of_index(&missing, context))
}

impl TeamItems {
    /// What is known of a session besides its sums.
    pub(super) fn session(&self, session: &str, project: String) -> RowDetail {
        let facts = self.sessions.get(session);
        let person = |machine: &String| self.people.get(machine).map_or(NOBODY, |owner| &owner.person);
        RowDetail::Session {
            title: facts.and_then(|facts| facts.title().map(str::to_owned)),
            project,
            forked_from: facts.and_then(|facts| facts.forked_from.clone()),
            store: None,
            machine: facts.map(|facts| (facts.machine.clone(), person(&facts.machine).to_owned())),
        }
    }
}
