//! Definitions of tools as the model gets them: the same bytes each time, keys in the order in which they are named.

use std::borrow::Cow;

use annals_json::{ArrayWriter, ObjectWriter, write_string};

use crate::api::request::ToolSpec;

/// What a parameter holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Holds {
    Text,
    Count,
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// Whatever this schema says.
    Schema(&'static str),
}

/// A definition in the making.
pub(crate) struct Spec {
    name: &'static str,
    about: Cow<'static, str>,
    parameters: Vec<(&'static str, Vec<u8>)>,
    needed: Vec<&'static str>,
}

impl Spec {
    pub(crate) fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about: Cow::Borrowed(about), parameters: Vec::new(), needed: Vec::new() }
    }

    /// Described like this instead.
    pub(crate) fn about(mut self, about: String) -> Self {
        self.about = Cow::Owned(about);
        self
    }

    /// A parameter that must be given.
    pub(crate) fn needs(mut self, key: &'static str, holds: Holds, about: &str) -> Self {
        self.needed.push(key);
        self.may(key, holds, about)
    }

    /// A parameter that may be given.
    pub(crate) fn may(mut self, key: &'static str, holds: Holds, about: &str) -> Self {
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
            schema.array("required", |needed| {
                for key in &self.needed {
                    needed.string(key);
                }
            });
            schema.boolean("additionalProperties", false);
        });
        object.end();
        ToolSpec { name: self.name.to_owned(), json }
    }
}

fn schema(holds: Holds, about: &str) -> Vec<u8> {
    if let Holds::Schema(schema) = holds {
        return schema.as_bytes().to_vec();
    }
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    match holds {
        Holds::Text | Holds::Schema(_) => {
            object.string("type", "string");
        }
        Holds::Count => {
            object.string("type", "integer").number("minimum", 0);
        }
        Holds::Flag => {
            object.string("type", "boolean");
        }
        Holds::Word(words) => {
            object.string("type", "string").array("enum", |list| words_of(list, words));
        }
        Holds::Texts => {
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
