//! Passwords that people make up from words, in places that announce them without quotes.

use annals_transcript::redact::SecretRules;

/// Few of their bits are random.
const PASSWORDS: [&str; 8] = [
    "kobalt-Regen7u5",
    "s3renade_Mossx8",
    "Wint3r!Falcon2k",
    "N0rdwind#42ls",
    "purple7Tiger9Q",
    "Blau3-Katze-Mond",
    "Gran1te.Peakbf",
    "m0onlit-Harbor4",
];

/// `@` stands for the password.
const PLACES: [&str; 26] = [
    "SSHPASS=@ sshpass -e ssh ann@host",
    "DBPASS=@",
    "Server=tcp:db.h.net,1433;User ID=sa;Password=@;Encrypt=True;",
    "DRIVER={ODBC Driver 18};SERVER=x;UID=sa;PWD={@}",
    "sqlplus scott/@@//db:1521/orcl",
    "mount -t cifs //s/x /mnt -o username=ann,password=@,vers=3.0",
    "helm install x ./c --set postgresql.auth.postgresPassword=@",
    "WIFI:T:WPA;S:Home;P:@;;",
    "<add name=\"x\" connectionString=\"Data Source=db;Pwd=@;\" />",
    "sql.Open(\"mysql\", \"root:@@tcp(127.0.0.1:3306)/app\")",
    "htpasswd -b .htpasswd ann @",
    "account default\nuser           ann\npassword       @\n",
    "doveadm pw -p @",
    "mot de passe : @",
    "la contraseña es @",
    "Контакт, пароль: @",
    "name,email,password\nann,a@x.y,@",
    "spring.datasource.password=@",
    "ansible_become_password: @",
    "jdbc:mysql://db:3306/app?user=root&password=@",
    "expect \"Password:\"\nsend \"@\\r\"",
    "echo 'ann:@' | chpasswd",
    "the password for staging is @",
    "password: @",
    "machine h.net login ann password @",
    "net use Z: \\\\srv\\share /user:ann @",
];

#[test]
fn passwords_that_people_make_up_are_found() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut missed = Vec::new();
    for place in PLACES {
        for password in PASSWORDS {
            // Where the place has an `@` of its own, the first one is the password's.
            let at = place.find('@').unwrap();
            let at = if place.contains("ann@host") || !place.contains("a@x.y") {
                at
            } else {
                place.rfind('@').unwrap()
            };
            let text = format!("{}{password}{}", &place[..at], &place[at + 1..]);
            let is_found = rules.find(&text).iter().any(|found| text[found.span.clone()].contains(password));
            if !is_found {
                missed.push(text);
            }
        }
    }
    let all = PLACES.len() * PASSWORDS.len();
    assert!(missed.len() * 20 <= all, "{} of {all}: {missed:#?}", missed.len());
}

#[test]
fn names_of_programs_are_no_passwords() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    for text in [
        "password: userPassword2",
        "password = getPassword2Hash",
        "let password = UserRepository2",
        "password: Base64Encoder",
        "passwordField = input_Field2",
        "const password = Config.passwordV2",
        "BYPASS=Sha256Only",
        "OLDPWD=/home/Ann2/work",
        "password: PBKDF2WithHmacSHA256",
        "password = crypto.md5sum",
        "password: auth.i18n.Label2",
        "password: Oauth2.Client",
        "password = Uint8_Error",
        "password: Config3.Loader",
        "\"password\": \"Step2-Verify\"",
        "let password = Vec3_Type",
        "password: Version2.Types",
        "{password, \"Enter it again\"}",
        "echo \"select 1\" | su postgres -c psql",
        "la clave es primaria",
        "passord er påkrevd",
        "heslo je povinné",
        "salasana on pakollinen",
        "secret id: my-app/db",
        "define('TOKEN_NAME', 'session-cookie')",
        "login=bob:admin",
        "db2 connect to sample user ann using password",
    ] {
        let found: Vec<_> = rules.find(text).into_iter().map(|found| &text[found.span]).collect();
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}
