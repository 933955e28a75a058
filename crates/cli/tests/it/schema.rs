//! Checks JSON against the subset of JSON Schema that our schemas use: type, required, properties, items, enum, minimum,
//! anyOf.

use annals_json::{Value, ValueKind};

/// Every way in which the value breaks the schema, with its place.
pub(crate) fn violations(schema: Value<'_>, value: Value<'_>, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(types) = schema.get("type") {
        let allowed: Vec<String> = match types.text() {
            Some(one) => vec![one.to_string()],
            None => types.items().filter_map(|item| item.text()).map(|text| text.to_string()).collect(),
        };
        if !allowed.iter().any(|name| is_of_type(value, name)) {
            return vec![format!("{place}: {value:?} is not {allowed:?}")];
        }
    }
    if let Some(ways) = schema.get("anyOf") {
        let tries: Vec<_> = ways.items().map(|way| violations(way, value, place)).collect();
        if tries.iter().all(|found| !found.is_empty()) {
            found.extend(tries.into_iter().flatten());
        }
    }
    if let Some(words) = schema.get("enum")
        && !words.items().any(|word| word.raw() == value.raw())
    {
        found.push(format!("{place}: {value:?} is none of {words:?}"));
    }
    if let (Some(least), Some(number)) = (schema.get("minimum").and_then(Value::number), value.number())
        && number < least
    {
        found.push(format!("{place}: {number} is less than {least}"));
    }
    for key in schema.get("required").into_iter().flat_map(Value::items).filter_map(Value::text) {
        if value.kind() == ValueKind::Object && value.get(&key.decode()).is_none() {
            found.push(format!("{place}: {key} is missing"));
        }
    }
    for field in schema.get("properties").and_then(Value::fields).iter().flat_map(|fields| fields.iter()) {
        let key = field.key.decode();
        if let Some(inner) = value.get(&key) {
            found.extend(violations(field.value, inner, &format!("{place}.{key}")));
        }
    }
    if let Some(items) = schema.get("items") {
        for (at, item) in value.items().enumerate() {
            found.extend(violations(items, item, &format!("{place}[{at}]")));
        }
    }
    found
}

fn is_of_type(value: Value<'_>, name: &str) -> bool {
    match name {
        "integer" => {
            value.kind() == ValueKind::Number && value.number().is_some_and(|number| number.fract() == 0.0)
        }
        "number" => value.kind() == ValueKind::Number,
        "string" => value.kind() == ValueKind::String,
        "boolean" => value.kind() == ValueKind::Boolean,
        "object" => value.kind() == ValueKind::Object,
        "array" => value.kind() == ValueKind::Array,
        "null" => value.kind() == ValueKind::Null,
        _ => panic!("the schema names a type that this test does not know: {name}"),
    }
}

#[test]
fn a_violation_is_found_where_it_is() {
    let schema = br#"{"type":"object","required":["a"],"properties":{"a":{"type":["integer","null"],"minimum":0},"b":{"type":"array","items":{"enum":["x"]}}}}"#;
    let schema = Value::parse(schema).unwrap();
    let check = |json: &str| violations(schema, Value::parse(json.as_bytes()).unwrap(), "$").len();
    assert_eq!([check(r#"{"a":1,"b":["x"],"more":true}"#), check(r#"{"a":null}"#)], [0, 0]);
    assert_eq!([check("[]"), check("{}"), check(r#"{"a":1.5}"#), check(r#"{"a":-1}"#)], [1, 1, 1, 1]);
    assert_eq!(check(r#"{"a":1,"b":["x","y"]}"#), 1);
    let either = br#"{"anyOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}"#;
    let either = Value::parse(either).unwrap();
    let check = |json: &str| violations(either, Value::parse(json.as_bytes()).unwrap(), "$").len();
    assert_eq!([check(r#"{"a":1}"#), check(r#"{"b":1}"#), check("{}"), check("[]")], [0, 0, 2, 2]);
}
