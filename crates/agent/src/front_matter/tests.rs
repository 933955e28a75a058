//! Front matter of any form: reading never fails on what it does not know, and values with structure come back as they were written.

use std::collections::BTreeMap;

use annals_json::{ArrayWriter, ObjectWriter, RawJson, Value};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::FrontMatter;

/// A value that people write in front matter.
#[derive(Clone, Debug)]
enum YamlValue {
    Text(String),
    Number(i32),
    Flag(bool),
    List(Vec<YamlValue>),
    Map(BTreeMap<String, YamlValue>),
}

impl YamlValue {
    fn json(&self) -> Vec<u8> {
        let mut json = Vec::new();
        match self {
            Self::Text(text) => return RawJson::string(text).raw().to_vec(),
            Self::Number(number) => return number.to_string().into_bytes(),
            Self::Flag(flag) => return flag.to_string().into_bytes(),
            Self::List(items) => {
                let mut list = ArrayWriter::begin(&mut json);
                items.iter().for_each(|item| list.item().extend(item.json()));
                list.end();
            }
            Self::Map(entries) => {
                let mut object = ObjectWriter::begin(&mut json);
                for (key, value) in entries {
                    object.raw(key, &value.json());
                }
                object.end();
            }
        }
        json
    }

    fn is_block(&self) -> bool {
        match self {
            Self::List(items) => !items.is_empty(),
            Self::Map(entries) => !entries.is_empty(),
            Self::Text(_) | Self::Number(_) | Self::Flag(_) => false,
        }
    }

    /// Writes the value behind a key or a dash: on its line, or on lines that are set in.
    fn write(&self, indent: usize, out: &mut String) {
        if !self.is_block() {
            out.push_str(&format!(" {}\n", String::from_utf8_lossy(&self.json())));
            return;
        }
        out.push('\n');
        let room = " ".repeat(indent);
        match self {
            Self::List(items) => items.iter().for_each(|item| {
                out.push_str(&format!("{room}-"));
                item.write(indent + 2, out);
            }),
            Self::Map(entries) => entries.iter().for_each(|(key, value)| {
                out.push_str(&format!("{room}{key}:"));
                value.write(indent + 2, out);
            }),
            Self::Text(_) | Self::Number(_) | Self::Flag(_) => {}
        }
    }
}

fn yaml_value() -> impl Strategy<Value = YamlValue> {
    let scalar = prop_oneof![
        "[a-zé :#'\"\\\\\\[{&!-]{0,8}".prop_map(YamlValue::Text),
        any::<i32>().prop_map(YamlValue::Number),
        any::<bool>().prop_map(YamlValue::Flag),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(YamlValue::List),
            btree_map("[a-z]{1,5}", inner, 0..4).prop_map(YamlValue::Map),
        ]
    })
}

#[test]
fn a_head_is_told_from_the_text() {
    let (front_matter, body) =
        FrontMatter::split("\u{feff}---\r\na: x\r\nb:\r\n  - y\r\n---\r\ntext\r\n---\r\n");
    assert_eq!((front_matter.unwrap().words("b").as_deref(), body.as_str()), (Some("y"), "text\n---\n"));
    assert_eq!(FrontMatter::split("---\n---\nx"), (Some(FrontMatter::default()), "x".to_owned()));
    for whole in ["text\n", "---\nno end\n", " ---\na: b\n---\n"] {
        assert_eq!(FrontMatter::split(whole), (None, whole.to_owned()));
    }
}

proptest! {
    #[test]
    fn values_come_back_in_either_form(value in btree_map("[a-z]{1,5}", yaml_value(), 1..4).prop_map(YamlValue::Map)) {
        let mut block = String::new();
        value.write(2, &mut block);
        let json = String::from_utf8_lossy(&value.json()).into_owned();
        for text in [format!("---\nname: x\nhooks:{block}model: y\n---\nbody"), format!("---\nhooks: {json}\nmodel: y\n---\nbody")] {
            let (front_matter, body) = FrontMatter::split(&text);
            let front_matter = front_matter.unwrap_or_default();
            prop_assert_eq!(front_matter.json("hooks"), Ok(Some(json.clone().into_bytes())), "{}", text);
            let model = front_matter.words("model");
            prop_assert_eq!((model.as_deref(), body.as_str()), (Some("y"), "body"));
        }
    }

    #[test]
    fn anything_is_read_or_refused(text in "(---\n)?([a-z-]{0,6}: ?|[ \t-]{0,4}|[\\[{\"'|>&!#,:}\\]]{0,3}|hooks:|\n|\r\n|é|\u{feff}|x){0,24}(\n---\n.*)?") {
        let (front_matter, body) = FrontMatter::split(&text);
        let Some(front_matter) = front_matter else {
            prop_assert_eq!(body.trim_start_matches('\u{feff}'), text.trim_start_matches('\u{feff}').replace("\r\n", "\n"));
            return Ok(());
        };
        if let Ok(Some(json)) = front_matter.json("hooks") {
            prop_assert!(Value::parse(&json).is_ok(), "{:?}", String::from_utf8_lossy(&json));
        }
        for key in ["name", "description", "allowed-tools", "hooks"] {
            let _ = front_matter.words(key);
        }
    }
}
