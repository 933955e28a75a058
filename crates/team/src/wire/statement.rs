//! A statement with its values as a request. Values are sent in the address as long as they are short: servers and load balancers
//! refuse long addresses. Longer ones are written into the statement.

use super::parameter::Parameter;

/// What values may take of the address, in bytes. Load balancers commonly take 8 KiB for the whole.
const MAX_ADDRESS_BYTES: usize = 4 * 1024;

/// The longest statement that the engine reads unless it is told otherwise.
const DEFAULT_MAX_QUERY_SIZE: usize = 256 * 1024;

/// The parameters of an address and the body behind it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StatementRequest {
    pub(super) url_parameters: Vec<(String, String)>,
    pub(super) statement: String,
}

impl StatementRequest {
    /// The statement for a database; `{name:Type}` stands for a value.
    pub(super) fn new(statement: &str, database: &str, values: &[(&str, Parameter)]) -> Self {
        let statement = statement.replace("{db}", database);
        let url_parameters: Vec<_> =
            values.iter().map(|(name, value)| (format!("param_{name}"), value.to_text())).collect();
        let bytes: usize =
            url_parameters.iter().map(|(name, value)| name.len() + encoded_len(value) + 2).sum();
        match bytes <= MAX_ADDRESS_BYTES {
            true => Self { url_parameters, statement },
            false => Self { url_parameters: Vec::new(), statement: with_literals(&statement, values) },
        }
    }

    /// Appends a clause as it is.
    pub(super) fn push(&mut self, clause: &str) {
        self.statement.push_str(clause);
    }

    pub(super) fn set(&mut self, setting: &str, value: impl Into<String>) {
        self.url_parameters.push((setting.to_owned(), value.into()));
    }

    /// The complete request: the engine is told of a statement that is longer than it reads by default.
    pub(super) fn finish(mut self) -> Self {
        if self.statement.len() >= DEFAULT_MAX_QUERY_SIZE {
            self.set("max_query_size", (self.statement.len() + 1).to_string());
        }
        self
    }
}

/// How long a text is in an address.
fn encoded_len(text: &str) -> usize {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() || b"-_.* ".contains(&byte) { 1 } else { 3 })
        .sum()
}

/// The statement with values in place of their names.
fn with_literals(statement: &str, values: &[(&str, Parameter)]) -> String {
    let mut out = String::with_capacity(statement.len());
    let mut rest = statement;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let place = rest.find('}').map(|end| &rest[1..end]);
        let name = place.and_then(|place| place.split_once(':')).map(|(name, _)| name);
        let value = values.iter().find(|(known, _)| Some(*known) == name).map(|(_, value)| value);
        match (place, value) {
            (Some(place), Some(value)) => {
                out.push_str(&value.to_literal());
                rest = &rest[place.len() + 2..];
            }
            _ => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_are_sent_in_the_address() {
        let values = [("a", Parameter::text("it's")), ("n", Parameter::Integer(7))];
        let request =
            StatementRequest::new("SELECT {a:String}, {n:Int64} FROM {db}.x", "team", &values).finish();
        assert_eq!(request.statement, "SELECT {a:String}, {n:Int64} FROM team.x");
        let pairs = [("param_a", "it\\'s"), ("param_n", "7")];
        assert_eq!(request.url_parameters, pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn long_values_are_written_into_the_statement_and_nothing_in_them_is_replaced() {
        let names: Vec<String> = (0..200).map(|at| format!("{{db}}/{{a:String}}/it's {at}\n")).collect();
        let values = [
            ("a", Parameter::text("\\' OR 1")),
            ("n", Parameter::Integer(-7)),
            ("all", Parameter::Texts(names)),
        ];
        let question =
            "SELECT {a:String}, {n:Int64} FROM {db}.x WHERE y IN {all:Array(String)} AND m = {'k': '{a'}";
        let request = StatementRequest::new(question, "team", &values).finish();
        let start = "SELECT '\\\\\\' OR 1', -7 FROM team.x WHERE y IN ['{db}/{a:String}/it\\'s 0\\n',";
        assert!(request.statement.starts_with(start), "{}", request.statement);
        assert!(request.statement.ends_with("it\\'s 199\\n'] AND m = {'k': '{a'}"), "{}", request.statement);
        assert!(request.url_parameters.is_empty());
    }

    #[test]
    fn many_short_values_are_long_together() {
        let names: Vec<String> = (0..400).map(|at| format!("q{at}")).collect();
        let values: Vec<_> = names.iter().map(|name| (name.as_str(), Parameter::text("w\u{f6}rd"))).collect();
        let places: Vec<String> = names.iter().map(|name| format!("{{{name}:String}}")).collect();
        let request = StatementRequest::new(&places.join(","), "team", &values).finish();
        assert_eq!(request.statement, vec!["'w\u{f6}rd'"; 400].join(","));
    }

    #[test]
    fn the_engine_is_told_of_a_statement_that_is_longer_than_it_reads_by_itself() {
        let request = StatementRequest::new(
            "SELECT {a:String}",
            "team",
            &[("a", Parameter::text("x".repeat(300_000)))],
        );
        let request = request.finish();
        let size = (request.statement.len() + 1).to_string();
        assert_eq!(request.url_parameters, [("max_query_size".to_owned(), size)]);
    }
}
