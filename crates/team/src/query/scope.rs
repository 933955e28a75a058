//! Which machines a question is about.

use crate::wire::Parameter;

/// Whose sessions are asked for; without any condition, everybody's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Only of this person.
    pub person: Option<String>,
    /// Only of this team.
    pub team: Option<String>,
    /// Only of the machine whose id begins with this.
    pub machine: Option<String>,
}

impl Scope {
    /// The condition on `machine`, for a `WHERE` that has one already.
    pub(super) fn condition(&self) -> String {
        let mut condition = String::new();
        if self.machine.is_some() {
            condition.push_str(" AND startsWith(machine, {machine:String})");
        }
        if self.person.is_some() || self.team.is_some() {
            let mut wanted = Vec::new();
            wanted.extend(self.person.as_ref().map(|_| "argMax(person, version) = {person:String}"));
            wanted.extend(self.team.as_ref().map(|_| "argMax(team, version) = {team:String}"));
            condition.push_str(&format!(
                " AND machine IN (SELECT machine FROM {{db}}.machines WHERE tenant = {{tenant:String}} \
                 GROUP BY machine HAVING {})",
                wanted.join(" AND ")
            ));
        }
        condition
    }

    /// The values of the condition.
    pub(super) fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let named = [("person", &self.person), ("team", &self.team), ("machine", &self.machine)];
        named.into_iter().filter_map(|(name, value)| Some((name, Parameter::text(value.clone()?)))).collect()
    }
}
