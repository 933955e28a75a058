//! Tests of the decoder: each encoding of a key, in any pieces.

use super::*;

/// What a read of these bytes means, if nothing follows it.
fn decoded(bytes: &str) -> Vec<Event> {
    let (mut decoder, mut events) = (InputDecoder::default(), Vec::new());
    decoder.feed(bytes.as_bytes(), &mut events);
    decoder.flush(&mut events);
    assert!(!decoder.is_incomplete());
    events
}

fn keys(bytes: &str) -> Vec<Key> {
    let key = |event| match event {
        Event::Key(key) => key,
        other => panic!("{bytes:?}: {other:?} is no key"),
    };
    decoded(bytes).into_iter().map(key).collect()
}

#[test]
fn two_escapes_in_one_write_are_escape_twice() {
    assert_eq!(keys("\x1b"), [Key::Escape]);
    assert_eq!(keys("\x1b\x1b"), [Key::Escape; 2]);
    assert_eq!(keys("\x1b\x1b\x1b"), [Key::Escape; 3]);
    assert_eq!(keys("\x1b\x1b\x1b[D"), [Key::Escape, Key::AltLeft]);
    assert_eq!(keys("\x1b\x1b["), [Key::Escape, Key::Alt('[')]);
    assert_eq!(keys("\x1b\x1b[A\x1b[A"), [Key::Up; 2], "alt has no meaning there");
    assert_eq!(keys("\x1b\x1b[C\x1b\x1bOD"), [Key::AltRight, Key::AltLeft]);
}

#[test]
fn keys_come_in_three_encodings() {
    for (legacy, other, kitty, key) in [
        ("\x1b", "", "\x1b[27u", Key::Escape),
        ("\r", "", "\x1b[13u", Key::Enter),
        ("", "\x1b[27;2;13~", "\x1b[13;2u", Key::ShiftEnter),
        ("\x1b\r", "\x1b[27;3;13~", "\x1b[13;3u", Key::AltEnter),
        ("\r", "\x1b[27;5;13~", "\x1b[13;5u", Key::Enter),
        ("\t", "\x1b[27;1;9~", "\x1b[9u", Key::Tab),
        ("\x1b[Z", "\x1b[27;2;9~", "\x1b[9;2u", Key::BackTab),
        ("\x7f", "\x1b[27;2;127~", "\x1b[127;2u", Key::Backspace),
        ("\x1b\x7f", "\x1b[27;3;127~", "\x1b[127;3u", Key::AltBackspace),
        ("\x03", "\x1b[27;5;99~", "\x1b[99;5u", Key::Ctrl('c')),
        ("\x03", "\x1b[27;6;67~", "\x1b[99:67;6u", Key::Ctrl('c')),
        ("\x1a", "\x1b[27;5;122~", "\x1b[122;5u", Key::Ctrl('z')),
        ("\n", "\x1b[27;5;106~", "\x1b[106;5u", Key::Ctrl('j')),
        ("\t", "\x1b[27;5;105~", "\x1b[105;5u", Key::Tab),
        ("\x1b", "\x1b[27;5;91~", "\x1b[91;5u", Key::Escape),
        ("\x1f", "\x1b[27;6;95~", "\x1b[45:95;6u", Key::Ctrl('7')),
        ("\x1f", "\x1b[27;5;47~", "\x1b[47;5u", Key::Ctrl('7')),
        ("\0", "\x1b[27;5;32~", "\x1b[32;5u", Key::Ctrl(' ')),
        ("\x1bb", "\x1b[27;3;98~", "\x1b[98;3u", Key::Alt('b')),
        ("\x1bB", "\x1b[27;4;66~", "\x1b[98:66;4u", Key::Alt('B')),
        ("\x1bB", "", "\x1b[98;4u", Key::Alt('B')),
        ("\x1b_", "\x1b[27;4;95~", "\x1b[45:95;4u", Key::Alt('_')),
        (" ", "\x1b[27;2;32~", "\x1b[32;2u", Key::Char(' ')),
        ("ß", "", "\x1b[223u", Key::Char('ß')),
        ("\x1bß", "", "\x1b[223;3u", Key::Alt('ß')),
        ("\x1bOA", "\x1b[A", "\x1b[1;1:1A", Key::Up),
        ("\x1b[1;5D", "\x1b[1;5D", "\x1b[1;69D", Key::CtrlLeft),
        ("\x1b[1;3C", "\x1b\x1b[C", "\x1b[1;3C", Key::AltRight),
        ("\x1b[1;5A", "", "\x1b[1;5:2A", Key::CtrlUp),
        ("\x1b[H", "\x1b[1~", "\x1b[57423u", Key::Home),
        ("\x1b[1;5F", "\x1b[4;5~", "\x1b[57424;5u", Key::CtrlEnd),
        ("\x1b[5~", "", "\x1b[57421u", Key::PageUp),
        ("\x1b[3;3~", "", "\x1b[57426;3u", Key::AltDelete),
        ("\x1bOM", "", "\x1b[57414u", Key::Enter),
        ("7", "", "\x1b[57406u", Key::Char('7')),
    ] {
        for bytes in [legacy, other, kitty].iter().filter(|bytes| !bytes.is_empty()) {
            assert_eq!(keys(bytes), [key], "{bytes:?}");
        }
    }
}

#[test]
fn what_means_nothing_is_dropped_and_nothing_of_it_is_typed() {
    let nothing = [
        "\x1b[?5u",
        "\x1b[?62;4c",
        "\x1b[>0;276;0c",
        "\x1b[12;40R",
        "\x1b[99;5:3u",
        "\x1b[1;1:3A",
        "\x1b[99;9u",
        "\x1b[57358u",
        "\x1b[[A",
        "\x1b[M !!",
        "\x1b[<0;3;4m",
        "\x1b[<32;3;4M",
        "\x1b[<66;3;4M",
        "\x1b[15~",
        "\x1b[2~",
        "\x1b[1;",
        "\x1bOx",
        "\x1b[99999999999u",
        "\x1b[55296u",
    ];
    for bytes in nothing {
        assert!(decoded(bytes).is_empty(), "{bytes:?}: {:?}", decoded(bytes));
    }
    assert_eq!(keys("\x1b[1;\x1b[B"), [Key::Down], "one that is cut off ends where the next begins");
    let (mut decoder, mut events) = (InputDecoder::default(), Vec::new());
    decoder.feed(b"\xffa\xe6\x97", &mut events);
    decoder.flush(&mut events);
    assert_eq!(format!("{events:?}"), "[Key(Char('a'))]");
}

#[test]
fn the_mouse_and_the_focus_are_reported() {
    let events = decoded("\x1b[<0;4;5M\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<69;1;1M\x1b[I\x1b[O");
    assert!(
        matches!(
            events[..],
            [
                Event::Mouse(Mouse::Click { column: 3, row: 4 }),
                Event::Mouse(Mouse::ScrollUp),
                Event::Mouse(Mouse::ScrollDown),
                Event::Mouse(Mouse::ScrollDown),
                Event::Focus(true),
                Event::Focus(false),
            ]
        ),
        "{events:?}"
    );
}

#[test]
fn bytes_mean_the_same_in_any_pieces() {
    let text =
        "a日\x1b[1;5D\x1b[200~one\x1b[A\r\n日\x1b[201~\x1b[98;3ub\x1b[<64;1;1M\x1bx\x1b[200~\x1b[201~é";
    let whole = format!("{:?}", decoded(text));
    assert!(whole.contains("Paste(\"one\\u{1b}[A\\r\\n日\")") && whole.contains("Paste(\"\")"), "{whole}");
    for size in 1..text.len() {
        let (mut decoder, mut events) = (InputDecoder::default(), Vec::new());
        text.as_bytes().chunks(size).for_each(|piece| decoder.feed(piece, &mut events));
        assert_eq!(format!("{events:?}"), whole, "{size}");
    }
}

#[test]
fn an_escape_alone_is_known_to_be_one() {
    for (bytes, is_escape) in
        [("\x1b", true), ("\x1b\x1b", true), ("\x1b[", false), ("\x1bO", false), ("a", false)]
    {
        let (mut decoder, mut events) = (InputDecoder::default(), Vec::new());
        decoder.feed(bytes.as_bytes(), &mut events);
        assert_eq!(decoder.holds_escapes(), is_escape, "{bytes:?}");
    }
}
