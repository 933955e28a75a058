//! How parameters are described.

use annals_json::ObjectWriter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParameterType {
    Text,
    Number,
    Flag,
}

/// A parameter of a tool.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: ParameterType,
    pub(super) about: &'static str,
    pub(super) is_required: bool,
}

impl Parameter {
    pub(super) const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, kind: ParameterType::Text, about, is_required: false }
    }

    pub(super) const fn required(name: &'static str, about: &'static str) -> Self {
        Self { name, kind: ParameterType::Text, about, is_required: true }
    }

    pub(super) const fn number(name: &'static str, about: &'static str) -> Self {
        Self { name, kind: ParameterType::Number, about, is_required: false }
    }

    pub(super) const fn flag(name: &'static str, about: &'static str) -> Self {
        Self { name, kind: ParameterType::Flag, about, is_required: false }
    }
}

/// What most tools take.
pub(super) const PROJECT: Parameter =
    Parameter::text("project", "\"current\" (default), \"all\", or a part of a project's path");
pub(super) const CURSOR: Parameter = Parameter::text("cursor", "Continues a result, as its last line says");
pub(super) const MAX_TOKENS: Parameter =
    Parameter::number("max_tokens", "Size of the result (default 1200, at most 20000)");

pub(super) fn write_schema(schema: &mut ObjectWriter<'_>, parameters: &[Parameter]) {
    schema.string("type", "object");
    schema.object("properties", |properties| {
        for parameter in parameters {
            let kind = match parameter.kind {
                ParameterType::Text => "string",
                ParameterType::Number => "integer",
                ParameterType::Flag => "boolean",
            };
            properties.object(parameter.name, |property| {
                property.string("type", kind).string("description", parameter.about);
            });
        }
    });
    schema.array("required", |required| {
        for parameter in parameters.iter().filter(|parameter| parameter.is_required) {
            required.string(parameter.name);
        }
    });
    schema.boolean("additionalProperties", false);
}
