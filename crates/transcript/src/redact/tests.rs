//! What is a secret, what is none, and what takes its place.

use super::*;
use annals_json::Value;

/// Secrets are put together here: whole ones in the source would set off every scanner that reads it.
pub(super) fn digits(count: usize) -> String {
    "a8Kd03LxQ7vTz1Rm5WbYc9Nf2HgJ6sPe4UoXiZq8Cw0B".chars().cycle().take(count).collect()
}

pub(super) fn kinds(text: &str) -> Vec<(SecretKind, String)> {
    let rules = SecretRules::new(&[], &[]).unwrap();
    rules.find(text).into_iter().map(|finding| (finding.kind, text[finding.span].to_owned())).collect()
}

#[test]
fn tokens_are_known_by_their_shape() {
    let shapes = [
        (SecretKind::Aws, format!("AKIA{}", "Q3EGRTZ7LMX2VWNB")),
        (SecretKind::GitHub, format!("ghp_{}", digits(36))),
        (SecretKind::GitHub, format!("github_pat_{}_{}", digits(22), digits(59))),
        (SecretKind::GitLab, format!("glpat-{}", digits(20))),
        (SecretKind::Slack, format!("xoxb-{}-{}", "123456789012", digits(24))),
        (SecretKind::Stripe, format!("sk_live_{}", digits(24))),
        (SecretKind::Google, format!("AIza{}", digits(35))),
        (SecretKind::Anthropic, format!("sk-ant-api03-{}", digits(60))),
        (SecretKind::OpenAi, format!("sk-proj-{}", digits(48))),
        (SecretKind::OpenAi, format!("sk-{}", digits(48))),
        (SecretKind::Npm, format!("npm_{}", digits(36))),
        (SecretKind::PyPi, format!("pypi-AgEIcHlwaS5vcmc{}", digits(60))),
        (SecretKind::Jwt, format!("eyJ{}.eyJ{}.{}", digits(20), digits(40), digits(43))),
    ];
    for (kind, secret) in shapes {
        for text in
            [format!("it is {secret}, so"), secret.clone(), format!("\n{secret}\n"), format!("\"{secret}\"")]
        {
            assert_eq!(kinds(&text), [(kind, secret.clone())], "{kind}");
        }
        let inside = kinds(&format!("x{secret}"));
        assert!(
            inside.iter().all(|(found, _)| *found == SecretKind::Entropy),
            "{kind} inside a word: {inside:?}"
        );
    }
}

#[test]
fn private_keys_go_as_blocks() {
    let body = format!("{}\n{}\n", digits(44), digits(40));
    let key = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}-----END OPENSSH PRIVATE KEY-----");
    assert_eq!(kinds(&format!("a\n{key}\nb")), [(SecretKind::PrivateKey, key.clone())]);
    let escaped = key.replace('\n', "\\n");
    assert_eq!(kinds(&format!("\"{escaped}\"")), [(SecretKind::PrivateKey, escaped.clone())]);
    let torn = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}");
    assert_eq!(kinds(&format!("{torn}no more!")), [(SecretKind::PrivateKey, torn.clone())]);
    assert_eq!(kinds("if line.startswith('-----BEGIN RSA PRIVATE KEY-----'): pass"), []);
}

#[test]
fn what_is_announced_is_found() {
    let random = digits(32);
    let found = [
        ("postgres://app:hunter22@db.example.org/x".to_owned(), SecretKind::ConnectionString, "hunter22"),
        (format!("curl -H 'Authorization: Bearer {random}'"), SecretKind::Authorization, &random),
        ("Authorization: Basic dXNlcjpodW50ZXIy".to_owned(), SecretKind::Authorization, "dXNlcjpodW50ZXIy"),
        ("say DB_PASSWORD=correcthorse.".to_owned(), SecretKind::Assignment, "correcthorse"),
        ("DB_PASSWORD=correcthorse\nX=1".to_owned(), SecretKind::Assignment, "correcthorse"),
        ("export API_KEY=\"q7Rt93kk\"".to_owned(), SecretKind::Assignment, "q7Rt93kk"),
        ("{\\\"client_secret\\\": \\\"q7Rt93kkLm\\\"}".to_owned(), SecretKind::Assignment, "q7Rt93kkLm"),
        ("MY_SECRET=SuperSecretPassword".to_owned(), SecretKind::Assignment, "SuperSecretPassword"),
        ("password: hunt3r2xyz".to_owned(), SecretKind::Assignment, "hunt3r2xyz"),
        ("deploy --token q7Rt93kkLm now".to_owned(), SecretKind::Assignment, "q7Rt93kkLm"),
        (format!("the secret you want is {random}."), SecretKind::Entropy, &random),
    ];
    for (text, kind, secret) in &found {
        assert_eq!(kinds(text), [(*kind, (*secret).to_owned())], "{text}");
    }
}

#[test]
fn names_hashes_and_programs_are_no_secrets() {
    let harmless = [
        "max_tokens=4096 and input_tokens: 12345678",
        "token = get_token(request)",
        "password: string;",
        "const token = process.env.API_TOKEN",
        "API_KEY=${API_KEY}",
        "API_KEY=your-api-key-123",
        "postgres://user:password@localhost/x",
        "postgres://user:${PASSWORD}@localhost/x",
        "https://example.org:8080/a@b",
        "the token 3f2a9c1e-0000-4000-8000-00000000abcd",
        "secret commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "token toolu_01A09q90qw90lq917835lq9a",
        "the tokenizer of GPT4AllModelLoaderV2Implementation",
        "secretary: Anna Maria 1234567",
        "token: /usr/share/keys/q7Rt93kkLm",
    ];
    for text in harmless {
        assert!(kinds(text).is_empty(), "{text}: {:?}", kinds(text));
    }
    let image = format!("{}/AKIA{}/{}", digits(400), "Q3EGRTZ7LMX2VWNB", digits(400));
    assert_eq!(kinds(&image), []);
    assert_eq!(kinds(&format!("look: {image} !")), []);
    assert_eq!(kinds(&format!("data:image/png;base64,{}+AKIA{}/", digits(40), "Q3EGRTZ7LMX2VWNB")), []);
}

#[test]
fn kinds_and_patterns_are_chosen() {
    let text = format!("ghp_{} and PROJ-1234", digits(36));
    let find = |kinds: &[SecretKind], patterns: &[&str]| {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let rules = SecretRules::new(kinds, &patterns).unwrap();
        rules.find(&text).into_iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    assert_eq!(find(&[], &[r"PROJ-\d+"]), [SecretKind::GitHub, SecretKind::Pattern]);
    assert_eq!(find(&[SecretKind::Aws], &[]), []);
    assert_eq!(find(&[SecretKind::Pattern], &["PROJ", "~*"]), [SecretKind::Pattern]);
    assert!(SecretRules::new(&[], &["(".to_owned()]).is_err());
    for kind in SecretKind::ALL {
        assert_eq!(SecretKind::of(kind.name()), Some(kind));
    }
}

#[test]
fn the_same_secret_has_one_placeholder() {
    let mut placeholders = Placeholders::default();
    assert_eq!(placeholders.of(SecretKind::GitHub, "one-secret"), "[REDACTED:github-token:1]");
    assert_eq!(placeholders.of(SecretKind::GitHub, "one-secret-longer"), "[REDACTED:github-token:2]");
    assert_eq!(placeholders.of(SecretKind::Jwt, "one-secret"), "[REDACTED:github-token:1]");
    placeholders.of(SecretKind::Assignment, "short");
    let found = placeholders.find("short one-secret-longer one-secret");
    let names: Vec<_> = found.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["[REDACTED:github-token:2]", "[REDACTED:github-token:1]"]);
    let rules = SecretRules::new(&[], &["R.*".to_owned()]).unwrap();
    assert_eq!(rules.find("API_KEY=[REDACTED:assignment:1]"), []);
    placeholders.of(SecretKind::Assignment, "github-token");
    assert_eq!(placeholders.find("[REDACTED:github-token:1]"), []);
    assert_eq!(masked("abcdefgh"), "ab…");
    assert_eq!(masked("abcdefghijklmnopqrstuvwxyz"), "abcd…");
    assert!(!format!("{placeholders:?}").contains("secret\""));
}

/// Every text that has the word is replaced.
fn without(json: &str, word: &str) -> Option<String> {
    let value = Value::parse(json.as_bytes()).unwrap();
    let mut replace = |place: VisitedText<'_>| {
        place.text.match_indices(word).map(|(at, hit)| (at..at + hit.len(), "\"X\"".to_owned())).collect()
    };
    visit(value, JsonContext::Record, &mut CallLog::default(), &mut replace)
        .map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn only_the_place_changes() {
    let json = r#"{ "type":"user","uuid":"SECRET","n":1.0, "a":"\u00e9 \ud800SECRET\n", "b":[ "SECRET" ,2]}"#;
    let after = r#"{ "type":"user","uuid":"SECRET","n":1.0, "a":"\u00e9 \ud800\"X\"\n", "b":[ "\"X\"" ,2]}"#;
    assert_eq!(without(json, "SECRET").as_deref(), Some(after));
    assert_eq!(without(json, "ABSENT"), None);
    let tool = r#"{"toolUseResult":{"id":"SECRET","SECRET":1,"type":"SECRET"},"input":{"cwd":"SECRET"}}"#;
    let after = r#"{"toolUseResult":{"id":"\"X\"","\"X\"":1,"type":"SECRET"},"input":{"cwd":"\"X\""}}"#;
    assert_eq!(without(tool, "SECRET").as_deref(), Some(after));
}

#[test]
fn images_and_signatures_are_no_text() {
    for sealed in [
        r#"{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aSECRETb"}}]}"#,
        r#"{"content":[{"type":"thinking","thinking":"hm","signature":"aSECRETb"}]}"#,
        r#"{"content":[{"type":"redacted_thinking","data":"aSECRETb"}]}"#,
        r#"{"toolUseResult":{"type":"image","file":{"base64":"aSECRETb","type":"image/png"}}}"#,
        r#"{"toolUseResult":[{"type":"image","data":"aSECRETb"}]}"#,
    ] {
        assert_eq!(without(sealed, "SECRET"), None, "{sealed}");
    }
}

#[test]
fn a_thought_goes_as_a_whole() {
    let thought = r#"{"type":"thinking","thinking":"a SECRET","signature":"s"}"#;
    let alone = format!(r#"{{"message":{{"content":[{thought}]}}}}"#);
    let gone = r#"{"message":{"content":[{"type":"text","text":"[REDACTED:thinking]"}]}}"#;
    assert_eq!(without(&alone, "SECRET").as_deref(), Some(gone));
    let with = format!(
        r#"{{"content":[{thought}, {{"type":"text","text":"SECRET"}},{{"type":"text","text":"b"}}]}}"#
    );
    let gone = r#"{"content":[{"type":"text","text":"\"X\""},{"type":"text","text":"b"}]}"#;
    assert_eq!(without(&with, "SECRET").as_deref(), Some(gone));
}

#[test]
fn a_name_of_structure_hides_nothing() {
    for (json, after) in [
        (r#"{"status":"failed with SECRET"}"#, r#"{"status":"failed with \"X\""}"#),
        (r#"{"status":"SECRET"}"#, r#"{"status":"SECRET"}"#),
        (r#"{"cwd":"/a b/SECRET"}"#, r#"{"cwd":"/a b/SECRET"}"#),
        (r#"{"level":{"deep":"SECRET"}}"#, r#"{"level":{"deep":"\"X\""}}"#),
        (r#"{"version":{"token":"SECRET"}}"#, r#"{"version":{"token":"\"X\""}}"#),
        (r#"{"model":["says","SECRET"]}"#, r#"{"model":["says","\"X\""]}"#),
        (r#"{"toolUseResult":{"uuid":{"id":"SECRET"}}}"#, r#"{"toolUseResult":{"uuid":{"id":"\"X\""}}}"#),
        (r#"{"signature":"SECRET"}"#, r#"{"signature":"\"X\""}"#),
        (r#"{"blob":"SECRET"}"#, r#"{"blob":"\"X\""}"#),
        (r#"{"mimeType":"a/b","blob":"SECRET"}"#, r#"{"mimeType":"a/b","blob":"SECRET"}"#),
        (
            r#"[{"type":"thinking","thinking":"hm","text":"SECRET","signature":"SECRET"}]"#,
            r#"[{"type":"thinking","thinking":"hm","text":"\"X\"","signature":"SECRET"}]"#,
        ),
        (
            r#"[{"type":"thinking","thinking":{"deep":"SECRET"}}]"#,
            r#"[{"type":"thinking","thinking":{"deep":"\"X\""}}]"#,
        ),
        (
            r#"[{"type":"thinking","thinking":"a","thinking":"b","x":"SECRET"}]"#,
            r#"[{"type":"thinking","thinking":"a","thinking":"b","x":"\"X\""}]"#,
        ),
        (
            r#"{"type":"redacted_thinking","data":"SECRET","text":"SECRET"}"#,
            r#"{"type":"redacted_thinking","data":"SECRET","text":"\"X\""}"#,
        ),
    ] {
        assert_eq!(without(json, "SECRET").as_deref().unwrap_or(json), after);
    }
}

#[test]
fn names_of_a_records_fields_are_secrets_by_their_shape_alone() {
    let token = format!("ghp_{}", digits(36));
    let rules = SecretRules::new(&[], &["user".to_owned()]).unwrap();
    let mut placeholders = Placeholders::default();
    placeholders.of(SecretKind::Assignment, "userType");
    let json = format!(r#"{{"userType":1,"{token}":2,"input":{{"user":3}}}}"#);
    let new =
        rewrite_json(json.as_bytes(), JsonContext::Record, &mut CallLog::default(), &mut |seen: FileText<
            '_,
        >| {
            replacements(&seen, &rules, &mut placeholders)
        });
    let after = r#"{"userType":1,"[REDACTED:github-token:1]":2,"input":{"[REDACTED:pattern:1]":3}}"#;
    assert_eq!(String::from_utf8(new.unwrap()).unwrap(), after);
}

#[test]
fn who_only_looks_sees_everything_but_what_is_sealed() {
    let json = r#"{"type":"A","cwd":"B","C":{"id":"D"},"m":[{"type":"E","signature":"F"},{"type":"thinking","thinking":"G","signature":"no"}]}"#;
    let mut seen = String::new();
    rewrite_json(json.as_bytes(), JsonContext::ScanOnly, &mut CallLog::default(), &mut |place: FileText<
        '_,
    >| {
        seen.extend(place.text.chars().filter(char::is_ascii_uppercase));
        assert_ne!(place.text, "no");
        Vec::new()
    });
    let mut letters: Vec<_> = seen.chars().collect();
    letters.sort_unstable();
    for twice in [
        r#"[{"type":"thinking","thinking":"SECRET","thinking":"b"}]"#,
        r#"[{"type":"thinking","thinking":"b","thinking":"SECRET"}]"#,
    ] {
        assert!(!without(twice, "SECRET").unwrap().contains("SECRET"));
    }
    assert_eq!(letters, ['A', 'B', 'C', 'D', 'E', 'F', 'G']);
}

#[test]
fn a_secret_is_found_wherever_a_long_text_is_cut() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let digits = "MIIEpAIBAAKCAQEAx8Kd03LxQ7vTz1Rm5WbYc9Nf2HgJ6sPe4UoXiZq8Cw0BtLmN\n".repeat(8);
    let [begin, end] = ["BEGIN", "END"].map(|word| format!("-----{word} RSA {} KEY-----", "PRIVATE"));
    let key = format!("{begin}\n{digits}{end}\n");
    let line = "a line of plain words, and nothing else at all\n";
    // Keys without a gap around the end of the first window, wherever exactly that is.
    let mut text = line.repeat(4_100_000 / line.len());
    let keys = 900;
    (0..keys).for_each(|_| text.push_str(&key));
    text.push_str(line);
    let found = rules.find_shapes(&text);
    assert_eq!(found.len(), keys);
    assert!(found.iter().all(|finding| text[finding.span.clone()].trim_end() == key.trim_end()));
}
