//! Secrets at the ends of lines, with signs inside, in hexadecimal digits, in parts: found whole, with nothing beside them.

use super::SecretKind;
use super::tests::{digits, kinds};

#[test]
fn a_token_at_the_end_of_a_line_leaves_the_next_line_alone() {
    let tokens = [
        format!("sk-ant-api03-{}AA", digits(93)),
        format!("sk-proj-{}", digits(48)),
        format!("glpat-{}", digits(20)),
        format!("glpat-{}.01.{}", digits(27), digits(9)),
        format!("gho_{}", digits(36)),
        format!("nvapi-{}", digits(64)),
        format!("ya29.{}", digits(120)),
        format!("xapp-1-A0{}", digits(60)),
        format!("sq0csp-{}", digits(43)),
    ];
    let lines = [
        "2026-10-03T11:42:07.502Z DEBUG next",
        "2026-10-03 next",
        "11:42:07.502 next",
        "7f3a9c1 fix the parser",
        "9fceb02d0ae598e95dc970b74767f19372d61af8 fix the parser",
        "10.0.0.17 - - next",
        "1759491727 next",
        "PORT8K=8080",
        "550e8400-e29b-41d4-a716-446655440000",
    ];
    for token in &tokens {
        for line in lines {
            let text = format!("a {token} end\nkey {token}\n{line}\nc \"{token}\"\n");
            let found: Vec<_> = kinds(&text).into_iter().map(|(_, secret)| secret).collect();
            assert_eq!(found, [&token[..]; 3], "{line}");
        }
        let two = format!("{token}\n{token}\n");
        assert_eq!(kinds(&two).len(), 2, "{two}");
    }
    // What a terminal or a mail wraps is one token still.
    for (head, tail) in [(80, ""), (60, "\n"), (44, "\""), (77, " for it")] {
        let token = format!("sk-ant-api03-{}AA", digits(93));
        let text = format!("use {}\n{}{tail}", &token[..head], &token[head..]);
        assert_eq!(kinds(&text).len(), 1, "{text}");
        assert!(kinds(&text)[0].1.ends_with("AA"), "{text}");
    }
}

#[test]
fn ids_of_aws_need_no_variety() {
    for tail in ["UD54ZPHCCUAEVRD5", "3GEWFIF4YIE5CBOF", "SWRWEVVDEAB76QLE", "RMEPFLMLPSFUDWKU"] {
        for prefix in ["AKIA", "ASIA"] {
            let id = format!("{prefix}{tail}");
            assert_eq!(kinds(&format!("id {id} here")), [(SecretKind::Aws, id)]);
        }
    }
}

#[test]
fn signs_of_base64_belong_to_the_value() {
    let key = format!("+9Eq{}==", digits(60));
    let cases = [
        (format!("KRAKEN_PRIVATE_KEY={key}"), key.clone()),
        (format!("//r.corp.net/:_auth={key}\n"), key.clone()),
        ("<passphrase>v#5_?APD%ok^lU=+A6</passphrase>".to_owned(), "v#5_?APD%ok^lU=+A6".to_owned()),
        ("I set DB_PASSWORD to l3mSx4A+AWG~Im~=IV".to_owned(), "l3mSx4A+AWG~Im~=IV".to_owned()),
        (
            "changed the db password from abc to ldSs=N*H=mr8QwIULD".to_owned(),
            "ldSs=N*H=mr8QwIULD".to_owned(),
        ),
        ("I set BORG_PASSPHRASE to lONlk3DxF^BV9=2REh".to_owned(), "lONlk3DxF^BV9=2REh".to_owned()),
        (format!("vault kv put secret/shop db_password={}", digits(24)), digits(24)),
        (format!("kubectl create secret generic db --from-literal=password={}", digits(24)), digits(24)),
    ];
    for (text, value) in cases {
        let found: Vec<_> = kinds(&text).into_iter().map(|(_, secret)| secret).collect();
        assert_eq!(found, [value], "{text}");
    }
    for text in ["password generated_id=a8Kd03LxQ7vTz1", "token=+offset", "key += 1", "token ?? fallback1X"] {
        assert!(kinds(text).is_empty(), "{text}: {:?}", kinds(text));
    }
}

#[test]
fn hexadecimal_credentials_are_known_by_their_name_in_every_notation() {
    let uuid = "32833c13-bd80-442c-a265-d44b9cb6cc7d";
    let hex = "7cacbe88e7fb4f9ff10c484b5e7d735bc0e3d";
    let long = "00267a0cd7048487c8f248f8db630c5984c7b7336d913a6fdc8e6fbc5f6b1814";
    for (text, value) in [
        (format!("//registry.corp.net/:_authToken={uuid}\n"), uuid),
        (format!("npm config set //registry.corp.net/:_authToken {uuid}"), uuid),
        (format!("I set EXA_API_KEY to {uuid} and it fails"), uuid),
        (format!("cypress run --record --key {uuid}"), uuid),
        (format!("| DD_APP_KEY | {hex} | 3d |"), hex),
        (format!("| CF_API_KEY | {hex} |"), hex),
        (format!("azure_openai_key: {hex}\n"), hex),
        (format!("tokens:\n  - {long}\n"), long),
        (format!("access_token: {uuid}\n"), uuid),
    ] {
        let found: Vec<_> = kinds(&text).into_iter().map(|(_, secret)| secret).collect();
        assert_eq!(found, [value], "{text}");
    }
    for text in [
        format!("cache_key: {hex}"),
        format!("| commit | {long} |"),
        format!("session id {uuid}"),
        format!("aws s3api get-object --key builds/{hex}.zip"),
        format!("commits:\n  - {long}\n"),
    ] {
        assert!(kinds(&text).is_empty(), "{text}: {:?}", kinds(&text));
    }
}

#[test]
fn tokens_are_found_in_names_of_files_and_in_joined_strings() {
    let (token, id) = (format!("ghp_{}", digits(36)), format!("AKIA{}", "Q3EGRTZ7LMX2VWNB"));
    assert_eq!(kinds(&format!("/tmp/dump-{token}.json")), [(SecretKind::GitHub, token.clone())]);
    assert_eq!(kinds(&format!("/tmp/dump-{id}.json")), [(SecretKind::Aws, id)]);
    for joint in ["\" +\n  \"", "\"\n       \"", "\" + \"", "\" .\n\""] {
        let text = format!("k = \"{}{joint}{}\";", &token[..14], &token[14..]);
        let found = kinds(&text);
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].1.ends_with(&token[14..]) && found[0].1.starts_with(&token[..14]), "{text}");
    }
}

#[test]
fn tokens_are_found_in_links_of_a_terminal_and_in_what_php_shows() {
    let token = format!("glpat-{}", digits(20));
    let link = format!("\u{1b}]8;;https://h.net/?t={token}\u{7}link\u{1b}]8;;\u{7}");
    assert_eq!(kinds(&link), [(SecretKind::GitLab, token)]);
    let shown = "  [\"db_password\"]=>\n  string(20) \"oXkOadBkNKkxe7WU9QVT\"\n";
    assert_eq!(kinds(shown), [(SecretKind::Assignment, "oXkOadBkNKkxe7WU9QVT".to_owned())]);
}

#[test]
fn tokens_are_found_in_hexadecimal_dumps() {
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let dump = hex(&format!("ghp_{}", digits(36)));
    assert_eq!(kinds(&format!("00000000  {dump}\n")), [(SecretKind::GitHub, dump)]);
    let plain = hex("a text of many words that says nothing at all");
    assert!(kinds(&format!("00000000  {plain}\n")).is_empty());
}

#[test]
fn a_question_mark_belongs_to_a_random_value() {
    for (text, value) in [
        ("ldap_bind_pw: QCqZPrb.Nb++m?t5!F\n", "QCqZPrb.Nb++m?t5!F"),
        ("パスワード：ijP?i5=T!kTWihB.^M", "ijP?i5=T!kTWihB.^M"),
        ("Your new secret key is: UBJBVLKFWKQVAX3VKVB3CJRSZP\n", "UBJBVLKFWKQVAX3VKVB3CJRSZP"),
    ] {
        let found: Vec<_> = kinds(text).into_iter().map(|(_, secret)| secret).collect();
        assert_eq!(found, [value], "{text}");
    }
    for text in ["password = user?.password1X", "token: isSet?readToken2():null", "secret: a1?b2:c3"] {
        assert!(kinds(text).is_empty(), "{text}: {:?}", kinds(text));
    }
}

#[test]
fn the_beginning_of_a_key_stands_for_one() {
    for text in [
        "ANTHROPIC_API_KEY=sk-ant-api03-...",
        "ANTHROPIC_API_KEY=sk-ant-api03-…",
        "export GITHUB_TOKEN=ghp_...",
        "api_key: \"sk-ant-api03-...\"",
    ] {
        assert!(kinds(text).is_empty(), "{text}: {:?}", kinds(text));
    }
}
