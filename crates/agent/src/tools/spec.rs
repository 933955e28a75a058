//! Builds the definitions of tools for the model: the same bytes each time, with keys in the order in which they are added.

use std::borrow::Cow;

use annals_json::{ArrayWriter, Fields, ObjectWriter, Value, write_string};

use crate::api::request::ToolSpec;

/// The type of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamType {
    Text,
    Count,
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// This JSON schema.
    Schema(&'static str),
}

/// Builds the definition of a tool.
pub(crate) struct SpecBuilder {
    name: &'static str,
    about: Cow<'static, str>,
    parameters: Vec<(&'static str, Vec<u8>)>,
    required: Vec<&'static str>,
}

impl SpecBuilder {
    pub(crate) fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about: Cow::Borrowed(about), parameters: Vec::new(), required: Vec::new() }
    }

    /// Replaces the description.
    pub(crate) fn about(mut self, about: String) -> Self {
        self.about = Cow::Owned(about);
        self
    }

    /// Adds a required parameter.
    pub(crate) fn required(mut self, key: &'static str, holds: ParamType, about: &str) -> Self {
        self.required.push(key);
        self.optional(key, holds, about)
    }

    /// Adds an optional parameter.
    pub(crate) fn optional(mut self, key: &'static str, holds: ParamType, about: &str) -> Self {
        self.parameters.push((key, schema(holds, about)));
        self
    }

    pub(crate) fn build(self) -> ToolSpec {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        object.string("name", self.name).string("description", &self.about);
        object.object("input_schema", |schema| {
            schema.string("type", "object");
            schema.object("properties", |properties| {
                for (key, parameter) in &self.parameters {
                    properties.raw(key, parameter);
                }
            });
            schema.array("required", |required| {
                for key in &self.required {
                    required.string(key);
                }
            });
            schema.boolean("additionalProperties", false);
        });
        object.end();
        ToolSpec { name: self.name.to_owned(), json }
    }
}

/// Parameters of other clients that are not in a definition: models send them out of habit. Those of the last two are read.
const IGNORED: [(&str, &str); 5] = [
    ("Bash", "dangerouslyDisableSandbox"),
    ("Agent", "run_in_background"),
    ("Agent", "name"),
    ("TaskOutput", "bash_id"),
    ("TaskStop", "shell_id"),
];

/// Returns a parameter that a tool does not have: what the model meant by it would not be done.
pub(crate) fn unknown_parameter(spec: &ToolSpec, input: &Fields<'_>) -> Option<String> {
    let schema = Value::parse(&spec.json).ok()?.get("input_schema")?;
    schema.get("additionalProperties").filter(|more| more.boolean() == Some(false))?;
    let known = schema.get("properties")?;
    let names = input.iter().map(|field| field.key.decode().into_owned());
    let is_ignored = |name: &str| IGNORED.iter().any(|(tool, key)| spec.name == *tool && name == *key);
    names.into_iter().find(|name| known.get(name).is_none() && !is_ignored(name))
}

fn schema(holds: ParamType, about: &str) -> Vec<u8> {
    if let ParamType::Schema(schema) = holds {
        return schema.as_bytes().to_vec();
    }
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    match holds {
        ParamType::Text | ParamType::Schema(_) => {
            object.string("type", "string");
        }
        ParamType::Count => {
            object.string("type", "integer").number("minimum", 0);
        }
        ParamType::Flag => {
            object.string("type", "boolean");
        }
        ParamType::Word(words) => {
            object.string("type", "string").array("enum", |list| words_of(list, words));
        }
        ParamType::Texts => {
            object.string("type", "array").object("items", |items| {
                items.string("type", "string");
            });
        }
    }
    write_string(object.key("description"), about);
    object.end();
    out
}

fn words_of(list: &mut ArrayWriter<'_>, words: &[&str]) {
    for word in words {
        list.string(word);
    }
}
