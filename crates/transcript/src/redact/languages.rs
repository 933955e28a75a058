//! What people call a password, a key or a code in other languages, and the verbs between it and its value. A new language is a
//! line here.
//!
//! Words are beginnings of words in small letters: `парол` is "пароль", "Паролата" and "ПАРОЛЯ". Those of ASCII letters are
//! looked for as words of names ([`of_word`]), so that `parol` is found in `dbParola` and not in "sparoles".

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::words::WordList;

/// Words for a password in ASCII letters; languages that have marks above letters are written without them in programs.
static PASSWORD_WORDS: WordList = WordList::new(
    "contrasen contrasenya contrasinal senha parola parole parolei parolu parool salasona salasana salasan wachtwoord wachtwurd \
     wagwoord kennwort losenord kodeord kodord adgangskode passord passwuert heslo hesla heslem hasla haslo haslem haslu jelszo \
     jelszava lozinka lozinke lozinku zaporka zaporke geslo gesla slaptazodi fjalekalim pasahitz cyfrinair pasfhocal nenosiri sifre \
     sifresi parol paroli parolni sandi modpas pasvorto tenimiafina iphasiwedi pasiwedhi kupuhipa mdp lykilord loyniord \
     clave claves motpasse senhas paswoord passwort matkhau parolasi",
);
/// The same in other letters, and of several words.
const PASSWORD_PHRASES: &str = "\
     mot de passe|mots de passe|phrase de passe|phrase secrète|phrase secrete|frase segreta|frase secreta|\
     parola d'ordine|palavra-passe|palavra passe|palabra secreta|contraseñ|lösenord|lykilorð|loyniorð|salasõna|\
     zugangsdaten|hasł|jelsz|şifr|parolă|slaptažod|lozink|fjalëkalim|focal faire|facal-faire|ger-tremen|kata sandi|\
     kata laluan|tembung sandi|neno la siri|kalmar sirri|kalmar wucewa|erayga sirta|furaha sirta|igama lokugqitha|\
     ọrọ aṣínà|ọrọ igbaniwọle|paswọọdụ|mật khẩu|mật mã|şîfre|κωδικ|συνθηματικ|парол|лозинк|шифра|гасло|құпия сөз|\
     құпиясөз|сырсөз|нууц үг|серсүз|პაროლ|գաղտնաբառ|סיסמה|סיסמא|סיסמת|פּאַראָל|كلمة المرور|كلمة مرور|كلمة السر|\
     كلمة سر|الرقم السري|رمز عبور|کلمه عبور|گذرواژه|رمز ورود|پاس ورڈ|پاسورڈ|پټنوم|تێپەڕوشە|وشەی نهێنی|پارول|\
     पासवर्ड|कूटशब्द|संकेतशब्द|गोप्यशब्द|পাসওয়ার্ড|পাসওয়ার্ড|ਪਾਸਵਰਡ|પાસવર્ડ|ପାସୱାର୍ଡ|கடவுச்சொல்|பாஸ்வேர்ட்|\
     పాస్వర్డ్|పాస్‌వర్డ్|సంకేతపదం|ಪಾಸ್ವರ್ಡ್|ಪಾಸ್‌ವರ್ಡ್|ಗುಪ್ತಪದ|പാസ്വേഡ്|പാസ്‌വേഡ്|രഹസ്യവാക്ക്|මුරපදය|රහස් පදය|\
     รหัสผ่าน|ລະຫັດຜ່ານ|ពាក្យសម្ងាត់|លេខសម្ងាត់|စကားဝှက်|གསང་གྲངས|የይለፍ ቃል|የይለፍ-ቃል|መሕለፊ ቃል|密码|密碼|口令|通行碼|暗码|パスワード|\
     パスフレーズ|暗証|合言葉|비밀번호|비번|패스워드|암호";
/// Words for a key, a token or a secret that a program made.
static KEY_WORDS: WordList = WordList::new(
    "jeton clef chiave chave llave sleutel nyckel avain klucz kljuc kulcs cheia anahtar kunci schluessel klucza kluczem kulcsa jetons chaves llaves geheimnis segreto segredo \
     secreto geheim tajny nokkel nogle apisleutel apiavain",
);
const KEY_PHRASES: &str = "\
     clé d'api|clé api|clé d’api|clé secrète|clé privée|clé de licence|clé d'accès|schlüssel|nøkkel|nøgle|klíč|\
     kľúč|ključ|κλειδ|τόκεν|ключ|токен|секрет|مفتاح|التوكن|מפתח|טוקן|کلید|توکن|कुंजी|टोकन|টোকেন|คีย์|โทเค็น|khóa|\
     khoá|密钥|密鑰|金鑰|秘钥|秘密鍵|令牌|凭证|憑證|私钥|私鑰|トークン|シークレット|apiキー|アクセスキー|鍵は|토큰|비밀키|api 키|api키|액세스 키|გასაღებ|բանալի";
/// Words after which digits alone are a secret.
const CODE_PHRASES: &str = "\
     código de acceso|codigo de acceso|código de verificación|codigo de verificacion|código de acesso|\
     código secreto|code d'accès|code d'acces|code secret|code de vérification|codice di accesso|codice segreto|\
     codice di verifica|zugangscode|geheimzahl|bestätigungscode|sicherheitscode|türcode|toegangscode|pincode|\
     kod dostępu|kod pin|doğrulama kodu|пин-код|Пин-код|пин код|Код доступа|Код подтверждения|код доступа|\
     код подтверждения|κωδικός pin|验证码|驗證碼|校验码|暗証番号|認証コード|確認コード|인증번호|인증 코드|mã pin|mã otp|mã xác minh|kode akses|\
     kode verifikasi|رمز الدخول|رمز التحقق|पिन|pin kodu|puk";

/// The words of other letters, ready to be searched for: those for passwords come first.
static PHRASES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(PASSWORD_PHRASES.split('|').chain(KEY_PHRASES.split('|'))).ok());

/// How many letters a form of a word has more than its beginning.
const MAX_ENDING: usize = 4;
/// Words of fewer letters have no other forms than those that are here: `mdp`, `gesla`.
const MIN_STEM: usize = 6;

/// What stands between "the password" and its value.
pub(super) const VERBS: &[&str] =
    &["is", "was", "ist", "equals", "lautet", "war", "es", "est", "s", "è", "é", "är"];

/// Words of logins: who gets in.
const USER_WORDS: &str = "\
     benutzer|utilisateur|usuari|usuári|utente|gebruiker|användar|bruker|bruger|käyttäj|kasutaj|użytkowni|uživatel|\
     používate|felhasznál|utilizator|korisni|uporabni|kullanıcı|pengguna|người dùng|χρήστ|пользовател|користувач|\
     потребител|корисни|логин|المستخدم|משתמש|کاربر|उपयोगकर्ता|ผู้ใช้|用户|用戶|使用者|账号|帳號|ユーザー|사용자|아이디";

/// What a word in another language announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForeignWord {
    Password,
    Key,
}

/// Parts of text at which a word of a name may be one of ASCII letters.
pub(super) fn triggers() -> impl Iterator<Item = &'static str> {
    PASSWORD_WORDS.words().chain(KEY_WORDS.words())
}

/// Words after which digits alone are a secret.
pub(super) fn code_phrases() -> impl Iterator<Item = &'static str> {
    CODE_PHRASES.split('|')
}

/// Words of logins: who gets in.
pub(super) fn user_words() -> impl Iterator<Item = &'static str> {
    USER_WORDS.split('|')
}

/// All spellings of the words of other letters, with what each announces.
pub(super) fn spellings() -> impl Iterator<Item = (String, ForeignWord)> {
    let passwords = PASSWORD_PHRASES.split('|').map(|word| (word, ForeignWord::Password));
    let keys = KEY_PHRASES.split('|').map(|word| (word, ForeignWord::Key));
    passwords.chain(keys).flat_map(|(word, kind)| {
        let mut letters = word.chars();
        let titled: String =
            letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
        let mut all = vec![word.to_owned(), titled, word.to_uppercase()];
        all.dedup();
        all.into_iter().map(move |word| (word, kind))
    })
}

/// What a word of a name in ASCII letters announces; `None` for all other words.
pub(super) fn of_word(word: &str) -> Option<ForeignWord> {
    let has = |list: &WordList| {
        list.contains(word)
            || (1..=MAX_ENDING.min(word.len().saturating_sub(MIN_STEM)))
                .filter_map(|ending| word.get(..word.len() - ending))
                .any(|stem| list.contains(stem))
    };
    match () {
        () if has(&PASSWORD_WORDS) => Some(ForeignWord::Password),
        () if has(&KEY_WORDS) => Some(ForeignWord::Key),
        () => None,
    }
}

/// What a name in other letters announces.
pub(super) fn of_phrase(name: &str) -> Option<ForeignWord> {
    let lower = name.to_lowercase();
    let first = PHRASES.as_ref()?.find_iter(&lower).map(|hit| hit.pattern().as_usize()).min();
    first.map(|first| match first < PASSWORD_PHRASES.split('|').count() {
        true => ForeignWord::Password,
        false => ForeignWord::Key,
    })
}

/// Where a word of other letters ends, whose beginning ends at a position: "парол" goes on in "паролата". Languages without
/// blanks between words have no endings.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let is_latin = text[..at].chars().next_back().is_some_and(|last| last < '\u{250}');
    let in_word = |letter: char| match letter {
        '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'.. => false,
        letter if letter.is_ascii() => is_latin && letter.is_ascii_alphabetic(),
        letter => letter.is_alphanumeric(),
    };
    at + rest.chars().take(12).take_while(|letter| in_word(*letter)).map(char::len_utf8).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_all_their_forms() {
        for word in ["parola", "parolasi", "heslo", "hesla", "salasanan", "contrasenas", "mdp", "passordet"] {
            assert_eq!(of_word(word), Some(ForeignWord::Password), "{word}");
        }
        assert_eq!(of_word("klucza"), Some(ForeignWord::Key));
        for word in ["claude", "enclave", "password", "key", "sandbox", "passes", "part", "has", "geslacht"] {
            assert_eq!(of_word(word), None, "{word}");
        }
        let text = "Паролата е";
        assert_eq!(&text[..word_end(text, "Парол".len())], "Паролата");
        let text = "密码是abc";
        assert_eq!(&text[..word_end(text, "密码".len())], "密码");
        assert!(
            spellings().any(|(word, _)| word == "ПАРОЛ") && spellings().any(|(word, _)| word == "Mật khẩu")
        );
    }
}
