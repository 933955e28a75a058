//! Requests to the engine over its HTTP interface.

mod error;
mod filters;
mod login;
mod parameter;
mod row;
mod statement;

use std::sync::Arc;
use std::time::Duration;

use annals_collect::sink::{Client, Trust};

pub use error::EngineError;
pub use login::Login;
pub use parameter::Parameter;
pub use row::{Row, RowSet};

use self::filters::filters;
use self::statement::StatementRequest;
use crate::address::EngineAddress;
use crate::views::CALLS;

/// A low level of zstd: rows compress well anyway.
const ZSTD_LEVEL: i32 = 3;

/// The header that names the kind of a failure.
const EXCEPTION_CODE: &str = "x-clickhouse-exception-code";

/// A connection to the engine. Each request has a connection of its own.
#[derive(Clone)]
pub struct Engine {
    client: Arc<Client>,
    address: EngineAddress,
    login: Option<Login>,
    tenant: String,
    /// What is left of the tables for somebody who may not read everything, as the engine's setting.
    filters: Option<String>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the login.
        write!(formatter, "Engine({})", self.address.name())
    }
}

impl Engine {
    /// The engine at an address; nothing is sent yet. Without `trust`, `https` fails.
    pub fn new(
        address: EngineAddress,
        login: Option<Login>,
        trust: Option<&Trust>,
        timeout: Duration,
    ) -> Result<Self, EngineError> {
        let client = Client::new(&address.url, trust, timeout)
            .map_err(|error| EngineError::of_request(&address.name(), error))?;
        Ok(Self { client: Arc::new(client), address, login, tenant: String::new(), filters: None })
    }

    /// The engine at an address of this machine.
    #[cfg(test)]
    pub(crate) fn at(address: &str) -> Self {
        let address = EngineAddress::parse(address).unwrap();
        Self::new(address, None, None, Duration::from_secs(60)).unwrap()
    }

    /// The same engine for the rows of this tenant.
    pub fn for_tenant(&self, tenant: &str) -> Self {
        Self { tenant: tenant.to_owned(), ..self.clone() }
    }

    /// The same engine for somebody who may only read what these machines have sent: whatever is asked, the engine leaves the rows
    /// of other machines out. Statements of a person are refused: they could undo that.
    pub fn restricted_to(&self, machines: &[String]) -> Self {
        Self { filters: Some(filters(&self.address.database, machines)), ..self.clone() }
    }

    pub fn address(&self) -> &EngineAddress {
        &self.address
    }

    /// The tenant whose rows are written and read.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Runs a statement that has no answer. `{db}` stands for the database.
    pub fn execute(&self, statement: &str, parameters: &[(&str, Parameter)]) -> Result<(), EngineError> {
        if self.filters.is_some() {
            return Err(EngineError::Denied(
                "a reader limited to some machines cannot change anything".to_owned(),
            ));
        }
        self.post(self.request(statement, parameters), &[]).map(drop)
    }

    /// Has a statement done by all servers of a cluster, and waits for them this long.
    pub(crate) fn execute_on_cluster(
        &self,
        statement: &str,
        parameters: &[(&str, Parameter)],
        seconds: u64,
    ) -> Result<(), EngineError> {
        let settings = [("distributed_ddl_task_timeout", seconds.to_string())];
        self.post(self.request(statement, parameters), &settings).map(drop)
    }

    /// Asks a question. `{db}` stands for the database, `{tenant:String}` for the tenant.
    pub fn select(&self, question: &str, parameters: &[(&str, Parameter)]) -> Result<RowSet, EngineError> {
        self.select_with(question, parameters, None)
    }

    /// Asks a question of many servers; those that do not answer are left out.
    pub(crate) fn select_of_reachable(
        &self,
        question: &str,
        parameters: &[(&str, Parameter)],
    ) -> Result<RowSet, EngineError> {
        self.select_with(question, parameters, Some(("skip_unavailable_shards", "1".to_owned())))
    }

    fn select_with(
        &self,
        question: &str,
        parameters: &[(&str, Parameter)],
        setting: Option<(&str, String)>,
    ) -> Result<RowSet, EngineError> {
        // A part of a question over shards is about all of them: by itself, the engine refuses to say of which.
        let mut settings = vec![
            ("output_format_json_quote_64bit_integers", "1".to_owned()),
            ("distributed_product_mode", "global".to_owned()),
        ];
        settings.extend(setting);
        let mut request = self.request(question, parameters);
        if let Some(filters) = &self.filters {
            request.push(&format!(" SETTINGS additional_table_filters = {filters}"));
        }
        request.push(" FORMAT JSONEachRow");
        self.post(request, &settings).map(RowSet::new)
    }

    /// Runs a SELECT statement of a person: unqualified names are those of the database, and nothing can be changed.
    pub fn select_statement(&self, statement: &str) -> Result<RowSet, EngineError> {
        if self.filters.is_some() {
            return Err(EngineError::Denied("sql needs a login to the engine".to_owned()));
        }
        let statement = statement.trim().trim_end_matches(';');
        let url_parameters = [
            ("wait_end_of_query", "1"),
            ("database", self.address.database.as_str()),
            ("output_format_json_quote_64bit_integers", "0"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        // Only a SELECT can be in parentheses; a comment at its end stops at the line break.
        let calls = CALLS.replace("{db}", &self.address.database);
        let whole = format!("{calls}SELECT * FROM (\n{statement}\n) FORMAT JSONEachRow");
        self.exchange(&url_parameters, &[], whole.into_bytes()).map(RowSet::new)
    }

    /// Inserts rows, one JSON object a line. The same rows under the same token are inserted once.
    pub fn insert(&self, table: &str, rows: &[u8], token: &str) -> Result<(), EngineError> {
        let statement = format!("INSERT INTO {}.{table} FORMAT JSONEachRow", self.address.database);
        let url_parameters = vec![
            ("query".to_owned(), statement),
            ("insert_deduplication_token".to_owned(), token.to_owned()),
            // Over shards, the answer says that the rows are there, not that they are in a queue.
            ("distributed_foreground_insert".to_owned(), "1".to_owned()),
            ("wait_end_of_query".to_owned(), "1".to_owned()),
        ];
        let body = zstd::encode_all(rows, ZSTD_LEVEL).map_err(EngineError::Local)?;
        self.exchange(&url_parameters, &[("content-encoding", "zstd".to_owned())], body).map(drop)
    }

    fn post(
        &self,
        mut request: StatementRequest,
        settings: &[(&str, String)],
    ) -> Result<Vec<u8>, EngineError> {
        // Without waiting for the end, a failure could come after the status.
        request.set("wait_end_of_query", "1");
        for (name, value) in settings {
            request.set(name, value.clone());
        }
        let request = request.finish();
        self.exchange(&request.url_parameters, &[], request.statement.into_bytes())
    }

    fn request(&self, statement: &str, parameters: &[(&str, Parameter)]) -> StatementRequest {
        let tenant = [("tenant", Parameter::text(&self.tenant))];
        let values: Vec<_> = tenant.into_iter().chain(parameters.iter().cloned()).collect();
        StatementRequest::new(statement, &self.address.database, &values)
    }

    fn exchange(
        &self,
        parameters: &[(String, String)],
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<Vec<u8>, EngineError> {
        let mut all = headers.to_vec();
        if let Some(login) = &self.login {
            all.push(("x-clickhouse-user", login.user().to_owned()));
            all.push(("x-clickhouse-key", login.password().to_owned()));
        }
        let name = self.address.name();
        let reply = self.client.exchange(parameters, &all, body, EXCEPTION_CODE);
        let reply = reply.map_err(|error| EngineError::of_request(&name, error))?;
        match reply.status {
            200..=299 if reply.header.is_none() => Ok(reply.body),
            _ => Err(EngineError::of_reply(&name, &reply)),
        }
    }
}
