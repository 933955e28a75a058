//! Variables by which any program loads or runs something that the text does not show: the loader's libraries, the path of programs,
//! options and start files of interpreters, git's configuration.

use super::word::{Word, WordPart};

/// How their names begin.
const BEGINNINGS: [&str; 9] =
    ["LD_", "DYLD_", "GIT_CONFIG", "R_PROFILE", "R_ENVIRON", "COR_", "CORECLR_", "ERL_", "BASH_FUNC_"];

/// Names of which any value is one.
const NAMES: [&str; 31] = [
    "GCONV_PATH",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONBREAKPOINT",
    "PYTEST_PLUGINS",
    "PERL5DB",
    "LUA_INIT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "DOTNET_STARTUP_HOOKS",
    "ELIXIR_ERL_OPTIONS",
    "VIMINIT",
    "EXINIT",
    "MAKEFILES",
    "ZDOTDIR",
    "SHELLOPTS",
    "BASHOPTS",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "GTK_MODULES",
    "GTK_PATH",
    "GIO_EXTRA_MODULES",
    "QT_PLUGIN_PATH",
    "LIBGL_DRIVERS_PATH",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_NODE_OPTIONS",
    "MAGIC",
    "TERMINFO",
];

/// Options of interpreters, with the beginnings of those that load or run something.
const OPTIONS: [(&str, &str); 9] = [
    ("NODE_OPTIONS", "-r --require --import --loader --experimental-loader --env-file --openssl-config"),
    ("PERL5OPT", "-M -m -d -I M"),
    ("RUBYOPT", "-r -I r"),
    ("JAVA_TOOL_OPTIONS", JAVA),
    ("_JAVA_OPTIONS", JAVA),
    ("JDK_JAVA_OPTIONS", JAVA),
    ("MAKEFLAGS", MAKE),
    ("GNUMAKEFLAGS", MAKE),
    ("PYTEST_ADDOPTS", "-p -c -o --rootdir --confcutdir --override-ini"),
];
const JAVA: &str =
    "-javaagent -agent -Xbootclasspath -XX:OnError -XX:OnOutOfMemory -XX:Flags -XX:VMOptions @";
const MAKE: &str = "--eval -f --file --makefile -I --include -C SHELL=";

/// Where programs are installed.
const INSTALLED: [&str; 9] =
    ["/usr/", "/bin", "/sbin", "/opt/", "/snap/", "/nix/", "/home/linuxbrew/", "/Applications/", "/Library/"];

/// Whether `NAME=value`, as one word, makes programs load or run what the value names.
pub(super) fn is_leading(word: &Word) -> bool {
    let begins = word.beginning();
    let Some((name, _)) = begins.split_once('=') else { return false };
    let name = name.trim_end_matches('+');
    match name {
        "PATH" => !is_usual_path(word),
        _ => OPTIONS.iter().find(|(option, _)| *option == name).map_or_else(
            || is_leading_name(name),
            |(_, loading)| {
                let text = word.literal();
                let value = text.as_deref().and_then(|text| text.split_once('=')).map(|(_, value)| value);
                let loads = |option: &str| loading.split(' ').any(|start| option.starts_with(start));
                value.is_none_or(|value| value.split_ascii_whitespace().any(loads))
            },
        ),
    }
}

/// Whether a variable of this name may make programs load or run what is not shown, whatever its value.
pub(super) fn is_leading_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    BEGINNINGS.iter().any(|beginning| upper.starts_with(beginning)) || NAMES.contains(&upper.as_str())
}

/// The same for builtins that set a variable to a text that is not known.
pub(super) fn may_lead(name: &str) -> bool {
    name == "PATH" || is_leading_name(name) || OPTIONS.iter().any(|(option, _)| *option == name)
}

/// Whether a search path names only places where programs are installed, besides what it was.
fn is_usual_path(word: &Word) -> bool {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            WordPart::Text(known) => text.push_str(known),
            WordPart::Home => text.push('~'),
            WordPart::Variable { name, .. } if name == "HOME" => text.push('~'),
            WordPart::Variable { name, .. } if name == "PATH" => text.push_str("$PATH"),
            _ => return false,
        }
    }
    let value = text.split_once('=').map_or("", |(_, value)| value);
    let is_usual = |folder: &str| {
        let is_installed = INSTALLED.iter().any(|beginning| folder.starts_with(beginning));
        let is_own = folder.starts_with("~/")
            && ["bin", "sbin", "shims", "Scripts"]
                .iter()
                .any(|last| folder.rsplit('/').next() == Some(*last));
        (folder == "$PATH" || is_installed || is_own) && !folder.contains("..")
    };
    !value.is_empty() && value.split(':').all(is_usual)
}
