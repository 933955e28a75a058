//! Checks a value against a JSON schema: types, required and other properties, items, choices, limits, references inside the
//! schema. What a schema says beyond that is left to the model.

use annals_json::{Value, ValueKind};

/// The deepest nesting that is checked.
const MAX_DEPTH: usize = 64;

/// Checks a value; an error names the first place that does not fit.
pub(super) fn check(value: Value<'_>, schema: Value<'_>, root: Value<'_>) -> Result<(), String> {
    at("the output", value, schema, root, 0)
}

fn at(place: &str, value: Value<'_>, schema: Value<'_>, root: Value<'_>, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    if let Some(target) = schema.get("$ref").and_then(|target| referenced(target, root)) {
        return at(place, value, target, root, depth + 1);
    }
    kind(place, value, schema)?;
    choices(place, value, schema, root, depth)?;
    match value.kind() {
        ValueKind::Object => properties(place, value, schema, root, depth),
        ValueKind::Array => items(place, value, schema, root, depth),
        _ => limits(place, value, schema),
    }
}

/// Returns what `#/$defs/NAME` names.
fn referenced<'v>(target: Value<'_>, root: Value<'v>) -> Option<Value<'v>> {
    let path = target.text()?.to_string();
    let steps = path.strip_prefix('#')?.split('/').filter(|step| !step.is_empty());
    let mut found = root;
    for step in steps {
        found = found.get(&step.replace("~1", "/").replace("~0", "~"))?;
    }
    Some(found)
}

fn kind(place: &str, value: Value<'_>, schema: Value<'_>) -> Result<(), String> {
    let Some(wanted) = schema.get("type") else { return Ok(()) };
    let is_whole = || value.number().is_some_and(|number| number.fract() == 0.0);
    let fits = |name: &str| match name {
        "object" => value.kind() == ValueKind::Object,
        "array" => value.kind() == ValueKind::Array,
        "string" => value.text().is_some(),
        "number" => value.number().is_some(),
        "integer" => is_whole(),
        "boolean" => value.boolean().is_some(),
        "null" => value.is_null(),
        _ => true,
    };
    let names: Vec<String> = match wanted.text() {
        Some(name) => vec![name.to_string()],
        None => wanted.items().filter_map(Value::text).map(|name| name.to_string()).collect(),
    };
    match names.is_empty() || names.iter().any(|name| fits(name)) {
        true => Ok(()),
        false => Err(format!("{place} must be {}", names.join(" or "))),
    }
}

fn choices(
    place: &str,
    value: Value<'_>,
    schema: Value<'_>,
    root: Value<'_>,
    depth: usize,
) -> Result<(), String> {
    let is_same = |choice: Value<'_>| match (choice.text(), value.text()) {
        (Some(choice), Some(value)) => choice.decode() == value.decode(),
        _ => choice.raw() == value.raw(),
    };
    if schema.get("enum").is_some_and(|list| !list.items().any(is_same)) {
        return Err(format!("{place} must be equal to one of the allowed values"));
    }
    if schema.get("const").is_some_and(|wanted| !is_same(wanted)) {
        return Err(format!("{place} must be equal to the constant"));
    }
    for key in ["anyOf", "oneOf"] {
        let Some(list) = schema.get(key) else { continue };
        if !list.items().any(|choice| at(place, value, choice, root, depth + 1).is_ok()) {
            return Err(format!("{place} matches no schema of {key}"));
        }
    }
    schema
        .get("allOf")
        .into_iter()
        .flat_map(Value::items)
        .try_for_each(|all| at(place, value, all, root, depth + 1))
}

fn properties(
    place: &str,
    value: Value<'_>,
    schema: Value<'_>,
    root: Value<'_>,
    depth: usize,
) -> Result<(), String> {
    let required = schema.get("required").into_iter().flat_map(Value::items).filter_map(Value::text);
    for name in required.map(|name| name.to_string()) {
        if value.get(&name).is_none() {
            return Err(format!("{place} must have the property {name:?}"));
        }
    }
    let known = schema.get("properties");
    let others = schema.get("additionalProperties");
    let Some(fields) = value.fields() else { return Ok(()) };
    for field in fields.iter() {
        let name = field.key.to_string();
        let inner = format!("{place}.{name}");
        match (known.and_then(|known| known.get(&name)), others) {
            (Some(schema), _) => at(&inner, field.value, schema, root, depth + 1)?,
            (None, Some(others)) if others.boolean() == Some(false) => {
                return Err(format!("{place} must not have the property {name:?}"));
            }
            (None, Some(others)) if others.kind() == ValueKind::Object => {
                at(&inner, field.value, others, root, depth + 1)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn items(
    place: &str,
    value: Value<'_>,
    schema: Value<'_>,
    root: Value<'_>,
    depth: usize,
) -> Result<(), String> {
    let count = value.items().count() as u64;
    let limit = |key: &str| schema.get(key).and_then(Value::count);
    if limit("minItems").is_some_and(|min| count < min) || limit("maxItems").is_some_and(|max| count > max) {
        return Err(format!("{place} has {count} items, which is not allowed"));
    }
    let Some(wanted) = schema.get("items").filter(|items| items.kind() == ValueKind::Object) else {
        return Ok(());
    };
    for (number, item) in value.items().enumerate() {
        at(&format!("{place}[{number}]"), item, wanted, root, depth + 1)?;
    }
    Ok(())
}

fn limits(place: &str, value: Value<'_>, schema: Value<'_>) -> Result<(), String> {
    let limit = |key: &str| schema.get(key).and_then(Value::number);
    if let Some(number) = value.number()
        && (limit("minimum").is_some_and(|min| number < min)
            || limit("maximum").is_some_and(|max| number > max))
    {
        return Err(format!("{place} is out of range"));
    }
    if let Some(text) = value.text() {
        let length = text.to_string().chars().count() as f64;
        if limit("minLength").is_some_and(|min| length < min)
            || limit("maxLength").is_some_and(|max| length > max)
        {
            return Err(format!("{place} has {length} characters, which is not allowed"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"type":"object","required":["name","tags"],"additionalProperties":false,
        "$defs":{"tag":{"type":"string","minLength":2}},
        "properties":{"name":{"type":"string"},"age":{"type":["integer","null"],"minimum":0},
        "tags":{"type":"array","items":{"$ref":"#/$defs/tag"},"maxItems":2},"kind":{"enum":["a","b"]},
        "either":{"anyOf":[{"type":"boolean"},{"const":7}]}}}"##;

    fn fits(value: &str) -> bool {
        let schema = Value::parse(SCHEMA.as_bytes()).unwrap();
        check(Value::parse(value.as_bytes()).unwrap(), schema, schema).is_ok()
    }

    #[test]
    fn what_fits_is_taken_and_the_rest_is_not() {
        for good in [
            r#"{"name":"x","tags":[]}"#,
            r#"{"name":"x","tags":["ab"],"age":null,"kind":"b","either":7}"#,
            r#"{"name":"x","tags":["ab","cd"],"age":3,"either":true}"#,
        ] {
            assert!(fits(good), "{good}");
        }
        for bad in [
            "[]",
            "{}",
            r#"{"name":7,"tags":[]}"#,
            r#"{"name":"x","tags":["a"]}"#,
            r#"{"name":"x","tags":["ab","cd","ef"]}"#,
            r#"{"name":"x","tags":[],"age":-1}"#,
            r#"{"name":"x","tags":[],"age":1.5}"#,
            r#"{"name":"x","tags":[],"kind":"c"}"#,
            r#"{"name":"x","tags":[],"either":8}"#,
            r#"{"name":"x","tags":[],"more":1}"#,
        ] {
            assert!(!fits(bad), "{bad}");
        }
    }
}
