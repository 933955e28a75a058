//! What is JSON, and where it is not.

use super::*;

fn check(text: &str, expected: Result<usize, (ParseErrorKind, usize)>) {
    let got = scan_value(text.as_bytes(), 0).map_err(|error_at| (error_at.kind, error_at.at));
    assert_eq!(got, expected, "{text}");
    if let Ok(end) = got {
        let start = skip_space(text.as_bytes(), 0);
        assert_eq!(skip_value(text.as_bytes(), start), end, "skipping {text}");
    }
}

#[test]
fn accepts_what_json_parse_accepts() {
    for text in
        ["{}", "[]", "0", "-0.5e+10", "\"\"", "true", "null", r#""\ud800""#, "{\"a\":[1,{\"b\":null}]}"]
    {
        check(text, Ok(text.len()));
    }
    check(" {\"a\" : 1 , \"b\" : [ 1 , 2 ] } tail", Ok(29));
    check("{}{}", Ok(2));
}

#[test]
fn a_plain_run_ends_at_the_first_special_byte_wherever_it_stands() {
    for special in [b'"', b'\\', 0, 0x1f] {
        for at in 0..20 {
            let mut bytes = [b'x', 0x20, 0x7f, 0xff, 0x80].repeat(4);
            bytes[at] = special;
            assert_eq!(end_of_plain_run(&bytes, 0), at);
            bytes[19] = b'"';
            assert_eq!(end_of_plain_run(&bytes, 0), at);
        }
    }
    assert_eq!(end_of_plain_run(&[0x21, 0x23, 0x5b, 0x5d, 0xa2, 0xdc, 0x80, 0x9f, 0x20], 0), 9);
}

#[test]
fn says_what_is_wrong_and_where() {
    check("{\"a\":\"x", Err((ParseErrorKind::Unfinished, 7)));
    check("{\"a\":01}", Err((ParseErrorKind::Unexpected, 6)));
    check("{\"a\":\"\u{1}\"}", Err((ParseErrorKind::Unexpected, 6)));
    check("{'a':1}", Err((ParseErrorKind::Unexpected, 1)));
    check("[1,]", Err((ParseErrorKind::Unexpected, 3)));
    check("\"\\x\"", Err((ParseErrorKind::Unexpected, 2)));
    check("", Err((ParseErrorKind::Unfinished, 0)));
    check("tru", Err((ParseErrorKind::Unfinished, 3)));
    check("1.", Err((ParseErrorKind::Unfinished, 2)));
}

#[test]
fn any_depth_is_read_without_overflow() {
    for depth in [63, 64, 65, 600, 5_000, 1_000_000] {
        let whole = "[".repeat(depth) + &"]".repeat(depth);
        check(&whole, Ok(2 * depth));
        check(&whole[..whole.len() - 1], Err((ParseErrorKind::Unfinished, 2 * depth - 1)));
        check(&format!("{}}}", &whole[..whole.len() - 1]), Err((ParseErrorKind::Unexpected, 2 * depth - 1)));
        let objects = "{\"a\":".repeat(depth) + "[1, {}, []]" + &" , \"b\" : null }".repeat(depth);
        check(&objects, Ok(objects.len()));
    }
}

#[test]
fn both_scanners_agree_and_the_second_tells_what_is_open() {
    let texts = [
        "{}",
        "[]",
        "[ ]",
        "{ }",
        "[1,]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "[1 2]",
        "{\"a\":[1,{\"b\":2}]}",
        "[{]}",
        "1",
        "\"",
        "{\"a\":1]",
        "",
        "{,}",
        "[,]",
        "{1:2}",
        "[true,false,null,-1.5e3,\"x\"] ",
    ];
    for text in texts {
        let (mut scanner, bytes) = (ValueScanner::new(), text.as_bytes());
        assert_eq!(scanner.scan(bytes, 0), scan_value(bytes, 0), "{text}");
    }
    let mut scanner = ValueScanner::new();
    let text = b"[{\"a\":[1],\"b\":[[";
    assert!(scanner.scan(text, 0).is_err());
    let open: Vec<_> = (0..text.len()).filter(|at| scanner.is_open_at(*at)).collect();
    assert_eq!(open, [0, 1, 14, 15]);
}
