//! Turns the filters of a query into SQL conditions.

use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

use super::query::{Filter, Query};
use crate::error::IndexError;
use crate::open::Index;

/// An SQL condition and its values.
type Condition = (String, Vec<Sql>);

/// Files that hold outputs of a tool: a result in a file of the same session names them.
const OUTPUTS_OF_TOOL: &str = "role = 2 AND EXISTS (
    SELECT 1 FROM files AS theirs
    JOIN facts ON facts.file = theirs.id AND facts.kind = 20
        AND '/' || substr(facts.value, 1, instr(facts.value, char(9)) - 1)
            = substr(files.path, -instr(facts.value, char(9)))
    JOIN main.tool_calls AS calls ON calls.file = theirs.id
        AND calls.tool_use = substr(facts.value, instr(facts.value, char(9)) + 1)
    JOIN names ON names.id = calls.tool AND names.name = ? COLLATE NOCASE
    WHERE theirs.session = files.session)";

impl Index {
    /// The conditions of all filters of a query.
    pub(super) fn conditions(&self, query: &Query) -> Result<(Vec<String>, Vec<Sql>), IndexError> {
        let (mut wheres, mut values) = (Vec::new(), Vec::new());
        let wanted = query.filters.iter().map(|filter| (filter, "1"));
        let excluded = query.excluded.iter().map(|filter| (filter, "0"));
        for (filter, wanted) in wanted.chain(excluded) {
            let (condition, bound) = self.condition(filter)?;
            // A message without tool, file or time does not match; NULL must not make the condition unknown.
            wheres.push(format!("coalesce(({condition}), 0) = {wanted}"));
            values.extend(bound);
        }
        Ok((wheres, values))
    }

    fn condition(&self, filter: &Filter) -> Result<Condition, IndexError> {
        let text = |text: &str| Sql::Text(text.to_owned());
        Ok(match filter {
            Filter::MessageRole(role) => ("role = ?".into(), vec![Sql::Integer(role.number())]),
            Filter::Kinds(kinds) => {
                let numbers: Vec<_> = kinds.iter().map(|kind| kind.number().to_string()).collect();
                (format!("kind IN ({})", numbers.join(", ")), Vec::new())
            }
            Filter::Tool(tool) => {
                let own = "tool IN (SELECT id FROM names WHERE name = ? COLLATE NOCASE)";
                let (outputs, _) = self.of_files(OUTPUTS_OF_TOOL, &[text(tool)])?;
                (format!("coalesce({own}, 0) OR {outputs}"), vec![text(tool)])
            }
            Filter::Project(project) => self.of_files(
                "instr(lower(slug), lower(?)) > 0 OR EXISTS
                 (SELECT 1 FROM facts WHERE facts.file = files.id AND kind = 0 AND instr(lower(value), lower(?)) > 0)",
                &[text(&project.replace(['/', '.', '_'], "-")), text(project)],
            )?,
            Filter::Session(session) => {
                self.of_files("substr(session, 1, length(?)) = ?", &[text(session), text(session)])?
            }
            Filter::File(path) => {
                ("messages.path IN (SELECT id FROM paths WHERE instr(name, ?) > 0)".into(), vec![text(path)])
            }
            Filter::Before(millis) => ("millis < ?".into(), vec![Sql::Integer(*millis)]),
            Filter::After(millis) => ("millis >= ?".into(), vec![Sql::Integer(*millis)]),
            Filter::Error(is_error) => ("is_error = ?".into(), vec![Sql::Integer(i64::from(*is_error))]),
        })
    }

    /// The condition that a message is in one of the files that match. The files are looked up once, not by every
    /// statement.
    fn of_files(&self, what: &str, bound: &[Sql]) -> Result<Condition, IndexError> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT id FROM files WHERE {what}"))?;
        let ids = statement.query_map(params_from_iter(bound), |row| row.get::<_, i64>(0))?;
        let ids: Vec<String> = ids.map(|id| id.map(|id| id.to_string())).collect::<Result<_, _>>()?;
        Ok((format!("messages.file IN ({})", ids.join(",")), Vec::new()))
    }
}
