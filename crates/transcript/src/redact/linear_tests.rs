//! The search is linear: twice the text is twice the work, counted in bytes that were looked at and not in seconds.

use super::*;
use annals_json::Value;

/// Bytes of the smaller text.
const SIZE: usize = 5_000;
/// How often a byte may be looked at.
const MAX_LOOKS: usize = 400;

fn work(rules: &SecretRules, text: &str) -> usize {
    // An output of a command that shows secrets is looked at most.
    rules.find_counting(text, &TextOrigin::Secrets).1
}

fn repeated(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len() + 1)
}

#[test]
fn twice_the_text_is_twice_the_work() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let units = [
        "sk-ant-",
        "sk-ant-\n",
        "a:b@",
        "a:b@c.d",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaa:@",
        "rtmp://a/b/",
        "rtmp",
        "$6$",
        "$2y$05$aaaa",
        "a,password\n",
        "a,password\nb,c\n",
        "password,",
        "|password|a|\n",
        "(a,password) VALUES (",
        ")VALUES",
        "\"password\",\"value\":",
        "a * b *\n",
        "stringData:\n a: b\n",
        "a\tTRUE\t/\tTRUE\t1\tb\tc\n",
        "curl -b a=",
        "ghp_a8Kd03LxQ7vTz1Rm5WbYc9Nf2HgJ6sPe4UoX ",
        "a8Kd03LxQ7vTz1Rm5WbYc9Nf2HgJ6sPe4UoXiZq8Cw0B",
        "eyJ-",
        "eyJhbGci.eyJhbGci.",
        "eyJ-eyJ-eyJ-aaaaaaaaa.eyJ-aaaaaaaaaaa.",
        "AKIA",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END ",
        "password=",
        "password:",
        "password: \"",
        "token='",
        "token is ",
        "API_KEY_",
        "secret.",
        "--token ",
        "Authorization: Bearer ",
        "Cookie: a=b; ",
        "a=b; ",
        "://",
        "://a:",
        "x://a:b@",
        "curl -u a:b ",
        "curl ",
        "mysql -p",
        ":AA",
        "12345678:AA",
        "Q~",
        "-us",
        "_mmk",
        ".aaaaaa.",
        "\\",
        "\\u001b[",
        "%",
        "%41",
        "\u{200b}",
        "\u{1b}[",
        "QUtJQVEzRUdSVFo3TE1YMlZXTkI=",
        "machine a login b password ",
        "&a=",
        "password=a&",
        "-",
        "_",
        "=",
        "key",
        "&#x73;",
        "&amp;",
        "\\u{73}",
        "     7→password\n",
        "-----BEGIN CERTIFICATE-----\n",
        "----BEGIN PRIVATE KEY----\nMIIE\n",
        "$ANSIBLE_VAULT;\n0123456789abcdef\n",
        "$ANSIBLE_VAULT;",
        "Private-Lines: 1\n",
        "\"kty\":",
        "{\"kty\":\"\",\"d\":\"",
        "{\"d\":",
        "mnemonic ",
        "seed phrase: abandon ability ",
        "mnemonic\n",
        "identified by '",
        "identified with a by ",
        "set password for ",
        "::add-mask::",
        "a:1:b:c:d\n",
        "AUTH PLAIN ",
        "USER a\nPASS b\n",
        "334 UGFzc3dvcmQ6\n",
        "\"password\"\r\n\r\n",
        "\"password\" {",
        "\"password\" { default = ",
        "password: |\n  ",
        "password =\n",
        "\"password\", ",
        "| password | ",
        "password ",
        "ENV DB_PASSWORD ",
        "password -> ",
        "<key>password</key><string>",
        "echo a | ",
        "echo ",
        "htpasswd -b ",
        "login('a', '",
        "login(",
        "senha ",
        "password for x is ",
        "<password ",
        ">password</",
        "net user a ",
        "jdbc:oracle:",
        "Authorization: Digest a=",
        "Authorization: ",
        "QUtJQVEzRUdSVFo3TE1YMlZXTkI\n",
        "0123456789abcdefQ~\n",
        "12345678:AAabcdefgh\n",
        "?code=",
        "&state=a1b2c3",
        "x://h/reset/",
        "/reset/a1b2c3d4",
        "backup codes ",
        "backup codes 1234-5678 ",
        "enable secret 5 a\n",
        "username a password ",
        "a : PSK \"",
        "open a\nuser b c\n",
        "net use a /user:b\n",
        "encryption:\n  key: a\n",
        "password:\" send \"",
        "send \"a\\r\" ",
        "\"username\" ",
        "\"username\":\"a\",\"key\":\"",
        "\"github-oauth\":{\"a\":\"",
        "new PDO(a, 'b', '",
        "getenv(\"a\", \"",
        "{PLAIN}",
        "<master>{",
        "unseal key 1: ",
        "a as the password",
        "- value: a\n  name: password\n",
        "{\"value\":\"a\",\"name\":\"token\"",
        "name: password\n",
        "ParameterKey=password,",
        "password <<< ",
        "curl -u a: ",
        "$ cat password\n",
        "$ cat password\nfalcon2931\n",
        "[users]\n",
        "[users]\na = falcon2931\n",
        "login ann / falcon88! ",
        "password falcon88! ",
        "falcon88! password ",
        "user:falcon88!/",
        "echo falcon88! | password\n",
        "pin is 1234 ",
        "creds:\n",
        "https://h/hook/a8Kd03LxQ7vTz1/",
        "https://h/hook/a8Kd03LxQ7vTz1 ",
        "passphrase is lemon hawk ",
        "a:b:c:",
        "a  password\nb  falcon88!\n",
        "COPY a (password) ",
        "login ",
        "user a b c d e f g h ",
        "export OPENWEATHER=3f2a9c81d04be57693ac1f0e82d4b76a\n",
        "${a:falcon88!} ",
        "\"${a:password",
        "\"a;password=b;",
        "парол",
        "парола е falcon2931\n",
        "密码falcon2931",
        "\"password\": {\n\"value\": \"falcon2931\"\n",
        "my key ",
        // Many names in one run: all that follows is the value of each.
        "?key=a&",
        "?key=ab&",
        "?key=a?",
        "?token=a&",
        "?sig=a&",
        "&sig=a",
        "://auth",
        "-AccountKey=",
        ";pwd=a",
        "x-api-key:a ",
        "x-api-key:a",
        "Bearer a ",
        "Bearer:",
        "//u:p@h ",
        "--token a ",
        "key key key ",
        "authorization:",
        "authorization=a,",
        "cookie=a;",
        "cookie:a=",
        "secret.password=",
        "token%3Da8Kd03LxQ7",
        "password='a ",
        "api_key:pwd:",
        "password is password=",
        "a=1&password=",
        "<password>",
        "token|",
        "k=v,",
        "6768705f454d7571696f6f526b527139",
        "\u{1b}]8;;https://h.net/?t=glpat-a\u{7}a",
        "password=>\nstring(1) \"a\"\n",
        "a:b,c=d;e f|g&h\n",
    ];
    for unit in units {
        let (small, large) = (repeated(unit, SIZE), repeated(unit, 2 * SIZE));
        let (less, more) = (work(&rules, &small), work(&rules, &large));
        assert!(more <= less * 5 / 2 + SIZE / 4, "{unit:?}: {less} for {SIZE}, {more} for twice as much");
        assert!(more <= large.len() * MAX_LOOKS, "{unit:?}: {more} for {}", large.len());
    }
}

#[test]
fn a_pattern_that_matches_every_letter_is_linear() {
    let rules = SecretRules::new(&[SecretKind::Pattern], &[".".to_owned()]).unwrap();
    let json = format!("{{\"text\":\"{}\"}}", "a\\n\\u00e9b".repeat(100_000));
    let mut placeholders = Placeholders::default();
    let mut last = 0;
    let new = rewrite_json(
        json.as_bytes(),
        JsonContext::ToolData,
        &mut CallLog::default(),
        &mut |seen: FileText<'_>| {
            let all = replacements(&seen, &rules, &mut placeholders);
            // Offsets ascend, so that each is found from the one before.
            for (span, _) in &all {
                let offset = (seen.offset_of)(span.start);
                assert!(offset >= last || seen.name.is_empty());
                last = offset;
            }
            all
        },
    );
    assert!(Value::parse(&new.unwrap()).is_ok());
}
