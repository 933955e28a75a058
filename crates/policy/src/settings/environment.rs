//! Which variables a trusted project may set. Programs obey hundreds of variables that name other programs, files, servers or
//! options, and no list of them is complete. So a name that is made of such words is not taken, nor one that begins like those of
//! a known program; and any other only with a plain value, which names neither a path nor an option nor a command.

use crate::shell::HARMLESS;

/// Variables of no program that leads elsewhere: any value.
const APPLICATION: [&str; 14] = [
    "DATABASE_URL",
    "REDIS_URL",
    "NODE_ENV",
    "RAILS_ENV",
    "RACK_ENV",
    "APP_ENV",
    "DEBUG",
    "LOG_LEVEL",
    "TZ",
    "PORT",
    "PYTHONDONTWRITEBYTECODE",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
];

/// Words of a name that say that a program is led elsewhere. A name consists of words between underscores.
const LEADING: &str = "\
    PATH PATHS HOME ROOT PREFIX DIR DIRS FOLDER FILE FILES CONFIG CONF CFG RC INI PROFILE SETTINGS \
    OPTIONS OPTS OPT FLAGS ARGS ARGUMENTS PARAMS WRAPPER LAUNCHER RUNNER COMMAND CMD EXEC EXECUTABLE \
    PROGRAM BINARY BIN SHELL SH EDITOR VISUAL PAGER BROWSER VIEWER DIFF MERGE TOOL LINKER COMPILER \
    CC CXX PRELOAD AUDIT LIBRARY LIBRARIES LIB INCLUDE MODULE MODULES PLUGIN PLUGINS EXTENSION \
    EXTENSIONS LOADER INIT STARTUP HOOK HOOKS SCRIPT SCRIPTS ASKPASS AGENT SOCK SOCKET PROXY HOST \
    URL URI SERVER REGISTRY INDEX MIRROR ENDPOINT REMOTE CERT CERTS KEY TOKEN SECRET PASSWORD EVAL";

/// How the variables of programs begin that run others or hold keys.
const BEGINNINGS: &str = "\
    ANTHROPIC CLAUDE ANNALS OPENAI AWS GOOGLE GCLOUD GCP AZURE ARM_ VERTEX CLOUD LD_ DYLD GLIBC \
    MALLOC GCONV LOCPATH NLSPATH SSL OPENSSL GIT GH_ HG SVN SSH GPG GNUPG BASH ZSH ZDOTDIR ENV IFS \
    PS PROMPT CDPATH GLOBIGNORE SHELLOPTS BASHOPTS XDG TMP TEMP PYTHON PIP POETRY UV_ CONDA VIRTUAL \
    PERL RUBY GEM BUNDLE RUBYOPT NODE NPM YARN PNPM BUN_ DENO CARGO RUST GO JAVA _JAVA JDK MAVEN \
    GRADLE SBT MAKE MFLAGS GNUMAKE CMAKE LESS MORE MAN GREP RIPGREP FZF DOCKER COMPOSE KUBE HELM TF_ \
    PHP LUA DOTNET CORECLR TERM CURL WGET NETRC VIM EX PG MYSQL R_ JULIA ERL ELIXIR HOST SUDO \
    INPUTRC BAT_ OPAM OCAML HASKELL GHC STACK CABAL CCACHE SCCACHE DISTCC HOMEBREW NIX ELECTRON \
    PLAYWRIGHT PUPPETEER TMUX SCREEN EMACS NVIM MAGIC DEBUGINFOD DISPLAY WAYLAND DBUS SYSTEMD XAUTH QT_ GTK LIBRARY";

/// How names end that are written without underscores: `LESSOPEN`, `RUSTFLAGS`, `WGETRC`, `PGSERVICEFILE`.
const ENDINGS: &str = "\
    RC PATH HOME OPTS OPTIONS FLAGS FILE DIR CMD COMMAND OPEN CLOSE PROXY CONFIG CONF PRELOAD TERM \
    HOST SHELL EDITOR PAGER BROWSER TOKEN KEY ENV ALIASES INFO INIT";

/// Whether a project's files may set a variable to this, once they are trusted.
pub(super) fn may_set(name: &str, value: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    if HARMLESS.contains(&name) || APPLICATION.contains(&name) {
        return true;
    }
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    // `URLS` are more than one of them.
    let is_leading = |word: &str| {
        LEADING.split(' ').any(|leading| leading == word || word.strip_suffix('S') == Some(leading))
    };
    let leads = upper.split('_').any(is_leading) || ends_in_one(&upper);
    let is_known = BEGINNINGS.split(' ').any(|beginning| upper.starts_with(beginning));
    !name.is_empty() && name.chars().all(is_word) && !leads && !is_known && is_plain(value)
}

/// Whether a name says at its end that a program is led elsewhere.
fn ends_in_one(name: &str) -> bool {
    ENDINGS.split(' ').any(|ending| name.ends_with(ending))
}

/// A word, a number or a list of them.
fn is_plain(value: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_.,:-".contains(&byte);
    value.len() <= 200 && !value.starts_with(['-', '.', ':']) && value.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LED_ELSEWHERE: &str = "\
        PATH HOME XDG_CONFIG_HOME XDG_DATA_DIRS RIPGREP_CONFIG_PATH LESSOPEN LESSCLOSE LESS \
        RUSTC_WRAPPER RUSTC RUSTFLAGS CARGO_HOME CARGO_BUILD_RUSTC \
        CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER JAVA_TOOL_OPTIONS _JAVA_OPTIONS \
        JDK_JAVA_OPTIONS MAKEFLAGS MAKEFILES GNUMAKEFLAGS npm_config_script_shell \
        NPM_CONFIG_USERCONFIG GIT_SSH_COMMAND GIT_EXTERNAL_DIFF git_dir LD_PRELOAD LD_AUDIT \
        DYLD_INSERT_LIBRARIES PYTHONSTARTUP PYTHONPATH PERL5OPT PERL5LIB RUBYOPT RUBYLIB \
        NODE_OPTIONS NODE_PATH EDITOR VISUAL PAGER MANPAGER BAT_PAGER BROWSER BASH_ENV ENV ZDOTDIR \
        PROMPT_COMMAND PS4 IFS SHELLOPTS CDPATH TERMINFO TERMCAP INPUTRC WGETRC CURL_HOME NETRC \
        PGSERVICEFILE PGPASSFILE DOCKER_HOST DOCKER_CONFIG KUBECONFIG HELM_PLUGINS TF_CLI_ARGS \
        AWS_PROFILE AWS_CONFIG_FILE http_proxy ALL_PROXY SSL_CERT_FILE SSH_ASKPASS SSH_AUTH_SOCK \
        SUDO_ASKPASS GNUPGHOME CC CXX HOSTALIASES TMPDIR PHP_INI_SCAN_DIR LUA_INIT LUA_PATH \
        ERL_FLAGS ELIXIR_ERL_OPTIONS GOFLAGS GOPROXY GOPATH MAVEN_OPTS SBT_OPTS GRADLE_OPTS \
        DOTNET_STARTUP_HOOKS CORECLR_PROFILER PIP_INDEX_URL UV_INDEX POETRY_HOME BUNDLE_GEMFILE \
        DEBUGINFOD_URLS MAGIC PLUGIN_COMMANDS APP_PROGRAMS MIRRORS_URLS R_PROFILE_USER JULIA_LOAD_PATH OPENSSL_CONF GCONV_PATH GLIBC_TUNABLES VIMINIT EXINIT \
        ANTHROPIC_BASE_URL CLAUDE_CONFIG_DIR ANNALS_DATA_DIR MY_API_KEY MY_TOKEN";

    #[test]
    fn a_project_sets_plain_switches_and_leads_no_program_elsewhere() {
        for (name, value) in [
            ("HARMLESS", "1"),
            ("FEATURE_X", "on"),
            ("LOG_LEVEL", "debug"),
            ("RUST_LOG", "app=trace"),
            ("DATABASE_URL", "postgres://localhost/x"),
            ("NODE_ENV", "test"),
            ("BASH_DEFAULT_TIMEOUT_MS", "60000"),
            ("LC_ALL", "C.UTF-8"),
            ("A", ""),
        ] {
            assert!(may_set(name, value), "{name}={value}");
        }
        for name in LED_ELSEWHERE.split(' ') {
            assert!(!may_set(name, "/tmp/evil"), "{name}");
            assert!(!may_set(name, "evil"), "{name} with a plain value");
        }
        for value in
            ["/tmp/x", "./x", "-c", "a b", "$(x)", "`x`", "a;b", "|x", "a=b", "~", "a\nb", "..", "@x"]
        {
            assert!(!may_set("SOMETHING", value), "{value:?}");
        }
        assert!(!may_set("", "1") && !may_set("A B", "1") && !may_set("BASH_FUNC_ls%%", "1"));
    }
}
