//! The definition of a server for people and programs. Values of variables and headers may be secrets: their names are shown.

use annals_json::{ObjectWriter, Value};

use super::super::chat::servers::FoundServer;

/// What is shown of a definition.
pub(super) struct DefinitionSummary {
    pub(super) transport: String,
    /// The program with its arguments, or the address.
    pub(super) target: String,
    pub(super) variables: Vec<String>,
    pub(super) headers: Vec<String>,
}

impl DefinitionSummary {
    pub(super) fn of(server: &FoundServer) -> Self {
        let definition = Value::from_checked(&server.definition);
        let text = |key: &str| definition.get(key).and_then(Value::text).map(|text| text.to_string());
        let names = |key: &str| -> Vec<String> {
            let fields = definition.get(key).and_then(Value::fields);
            fields
                .iter()
                .flat_map(|fields| fields.iter().map(|field| field.key.to_string()).collect::<Vec<_>>())
                .collect()
        };
        let args = definition.get("args").into_iter().flat_map(Value::items);
        let args = args.filter_map(|argument| Some(argument.text()?.to_string()));
        let words: Vec<String> = text("command").or_else(|| text("url")).into_iter().chain(args).collect();
        Self {
            transport: text("type").unwrap_or_else(|| "stdio".to_owned()),
            target: words.join(" "),
            variables: names("env"),
            headers: names("headers"),
        }
    }

    pub(super) fn write(&self, server: &FoundServer, object: &mut ObjectWriter<'_>) {
        object.string("name", &server.name).string("scope", server.scope);
        object.string("transport", &self.transport).string("target", &self.target);
        let file = server.path.as_ref().map(|path| path.to_string_lossy().into_owned());
        object.string_or_null("file", file.as_deref());
        for (key, names) in [("variables", &self.variables), ("headers", &self.headers)] {
            object.array(key, |list| {
                names.iter().for_each(|name| {
                    list.string(name);
                });
            });
        }
    }
}
