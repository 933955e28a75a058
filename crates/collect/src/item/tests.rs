//! An item is one line of JSON, whatever it holds, and is read as it was written.

use super::*;

fn item(text: Option<&str>) -> Item {
    Item {
        file: "history.jsonl".to_owned(),
        generation: 7,
        offset: 10,
        length: 5,
        number: 2,
        form: ItemForm::Line,
        of: None,
        to: None,
        modified: None,
        text: text.map(str::to_owned),
    }
}

fn batch(store: &str, items: Vec<Item>) -> Batch {
    Batch { machine: "m".to_owned(), store: store.to_owned(), sequence: 3, rules: String::new(), items }
}

#[test]
fn an_item_is_one_line_whatever_it_holds() {
    for (store, version) in [("s", r#""v":2,"machine":"m","store":"s","#), ("", r#""machine":"m","#)] {
        let batch = batch(store, vec![item(Some("{\"a\":\"\\ud800\"}\r\n")), item(None)]);
        let said = String::from_utf8(batch.ndjson()).unwrap();
        let rest = r#""batch":3,"file":"history.jsonl","generation":7,"offset":10,"length":5,"line":2,"form":"line","text":"#;
        let head = format!("{{{version}{rest}");
        let lines: Vec<_> = said.lines().collect();
        assert_eq!(lines[0], format!(r#"{head}"{{\"a\":\"\\ud800\"}}\r\n"}}"#));
        assert_eq!(lines[1], format!("{head}null}}"));
        let back: Vec<_> = lines.iter().map(|line| SentItem::parse(line.as_bytes()).unwrap()).collect();
        assert!(back.iter().all(|sent| (sent.machine.as_str(), sent.store.as_str()) == ("m", store)));
        assert_eq!(back.into_iter().map(|sent| sent.item).collect::<Vec<_>>(), batch.items);
        assert_eq!(String::from_utf8(batch.json()).unwrap(), format!("[{}]", lines.join(",")));
        let mut written = Vec::new();
        batch.write_ndjson(&mut written).unwrap();
        assert_eq!(written, batch.ndjson());
        assert_eq!(batch.with_items(Vec::new()).json(), b"[]");
    }
    let long = "é\n\"x".repeat(PIECE_BYTES);
    let whole = batch("s", vec![item(Some(&long))]).ndjson();
    let read = SentItem::parse(whole.trim_ascii_end()).unwrap();
    assert_eq!(read.item.text.as_deref(), Some(long.as_str()));
}

#[test]
fn a_mark_says_what_it_is_about() {
    let moved = Item { form: ItemForm::Moved, of: Some(6), to: Some("a \"b\"".to_owned()), ..item(None) };
    let gone = Item { form: ItemForm::Gone, of: Some(-6), ..item(None) };
    let batch = batch("s", vec![moved.clone(), gone.clone()]);
    let said = String::from_utf8(batch.ndjson()).unwrap();
    assert!(said.contains(r#""form":"moved","of":6,"to":"a \"b\"","text":null}"#), "{said}");
    assert!(said.contains(r#""form":"gone","of":-6,"text":null}"#), "{said}");
    let read: Vec<_> = said.lines().map(|line| SentItem::parse(line.as_bytes()).unwrap().item).collect();
    assert_eq!(read, [moved, gone]);
    assert!(read.iter().all(|item| !item.is_withheld()) && item(None).is_withheld());
}

#[test]
fn a_whole_file_says_when_it_was_written() {
    let file = Item { form: ItemForm::File, number: 0, modified: Some(1_767_225_600_000), ..item(Some("x")) };
    let said = String::from_utf8(batch("s", vec![file.clone()]).ndjson()).unwrap();
    assert!(said.contains(r#""form":"file","modified":1767225600000,"text":"x"}"#), "{said}");
    assert_eq!(SentItem::parse(said.trim_end().as_bytes()).unwrap().item, file);
}

#[test]
fn what_is_not_an_item_is_told_from_one_of_a_later_release() {
    let whole = String::from_utf8(batch("s", vec![item(Some("x"))]).ndjson()).unwrap();
    let parse = |text: &str| SentItem::parse(text.trim_end().as_bytes());
    assert!(parse(&whole).is_ok());
    assert_eq!(parse(&whole.replace("\"v\":2", "\"v\":3")), Err(ItemError::UnknownVersion(3)));
    for (from, to) in [
        ("\"v\":2", "\"v\":\"2\""),
        ("\"store\":\"s\",", ""),
        ("\"line\"", "\"lime\""),
        ("\"form\":\"line\"", "\"form\":\"gone\""),
        ("\"form\":\"line\"", "\"form\":\"moved\",\"of\":1"),
        ("\"form\":\"line\"", "\"form\":\"line\",\"of\":1"),
    ] {
        assert_eq!(parse(&whole.replace(from, to)), Err(ItemError::Malformed), "{from} {to}");
    }
    assert_eq!(parse(""), Err(ItemError::Malformed));
}
