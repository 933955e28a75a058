//! Languages as data: those of shells, configuration, data and documents.

use super::languages::{
    BACKTICK, DOUBLE, DOUBLE_LONG, NIX_LONG, NOTHING, SINGLE, SINGLE_RAW, TRIPLE_DOUBLE, TRIPLE_SINGLE,
};
use super::{Language, Syntax};

/// Shells, configuration, data and documents.
pub(super) const FORMATS: &[Language] = &[
    Language {
        names: &["shell", "sh", "bash", "zsh", "fish", "ksh", "console", "shellsession"],
        files: &[".bashrc", ".zshrc", ".profile", ".bash_profile"],
        line_comments: &["#"],
        strings: &[DOUBLE_LONG, SINGLE_RAW, BACKTICK],
        keywords: "case do done elif else esac exec exit export fi for function if in local readonly return set shift \
            source then trap unset until while alias eval",
        types: "cd cat cp echo false grep mkdir mv printf read rm sed test true",
        ..NOTHING
    },
    Language {
        names: &["powershell", "ps1", "psm1"],
        line_comments: &["#"],
        block_comments: &[("<#", "#>")],
        strings: &[DOUBLE, SINGLE_RAW],
        keywords: "begin break catch class continue do else elseif end enum exit filter finally for foreach function if \
            in param process return switch throw trap try until using while",
        types: "$true $false $null",
        has_case: false,
        ..NOTHING
    },
    Language {
        names: &["sql", "psql", "mysql", "sqlite"],
        line_comments: &["--"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE],
        keywords: "add all alter and as asc begin between by case check column commit constraint create cross default \
            delete desc distinct drop else end except exists explain foreign from full group having if in index \
            inner insert intersect into is join key left like limit not null offset on or order outer over \
            partition pragma primary references returning right rollback select set table then transaction \
            trigger union unique update using values view when where with",
        types: "bigint blob boolean char date decimal double float int integer json jsonb numeric real serial \
            smallint text time timestamp timestamptz uuid varchar false true",
        has_case: false,
        ..NOTHING
    },
    Language {
        names: &["json", "jsonl", "json5", "jsonc", "ndjson", "webmanifest"],
        files: &[".babelrc", ".eslintrc"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE],
        types: "false null true",
        syntax: Syntax::Keys,
        ..NOTHING
    },
    Language {
        names: &["yaml", "yml"],
        line_comments: &["#"],
        strings: &[DOUBLE, SINGLE],
        types: "false null true yes no on off",
        syntax: Syntax::Keys,
        ..NOTHING
    },
    Language {
        names: &["toml"],
        files: &["Cargo.lock", "Pipfile", "poetry.lock", "uv.lock"],
        line_comments: &["#"],
        strings: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE_RAW],
        types: "false true",
        syntax: Syntax::Keys,
        ..NOTHING
    },
    Language {
        names: &["ini", "cfg", "conf", "properties", "env", "editorconfig", "gitconfig", "service"],
        files: &[".env", ".gitconfig", ".editorconfig", ".npmrc"],
        line_comments: &["#", ";"],
        strings: &[DOUBLE],
        types: "false true yes no on off",
        syntax: Syntax::Keys,
        ..NOTHING
    },
    Language {
        names: &["html", "htm", "xml", "xhtml", "svg", "vue", "svelte", "plist", "xsl", "astro"],
        syntax: Syntax::Markup,
        ..NOTHING
    },
    Language {
        names: &["css", "scss", "less", "sass"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE],
        keywords: "@charset @container @font-face @import @include @keyframes @layer @media @mixin @namespace @page \
            @property @supports @use !important",
        types: "auto block flex grid inherit initial inline none unset",
        syntax: Syntax::Keys,
        ..NOTHING
    },
    Language { names: &["markdown", "md", "mdx", "mkd"], syntax: Syntax::Markdown, ..NOTHING },
    Language {
        names: &["dockerfile", "docker", "containerfile"],
        files: &["Dockerfile", "Containerfile"],
        line_comments: &["#"],
        strings: &[DOUBLE, SINGLE],
        keywords: "add arg as cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell \
            stopsignal user volume workdir",
        has_case: false,
        ..NOTHING
    },
    Language {
        names: &["make", "makefile", "mk", "mak"],
        files: &["Makefile", "GNUmakefile", "justfile"],
        line_comments: &["#"],
        strings: &[DOUBLE, SINGLE],
        keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override private undefine unexport \
            vpath",
        ..NOTHING
    },
    Language {
        names: &["cmake"],
        files: &["CMakeLists.txt"],
        line_comments: &["#"],
        strings: &[DOUBLE_LONG],
        keywords: "add_executable add_library cmake_minimum_required else elseif endforeach endfunction endif endmacro \
            find_package foreach function if include macro message option project return set \
            target_link_libraries while",
        types: "on off true false",
        has_case: false,
        ..NOTHING
    },
    Language {
        names: &["nix"],
        line_comments: &["#"],
        block_comments: &[("/*", "*/")],
        strings: &[NIX_LONG, DOUBLE_LONG],
        keywords: "assert else if in inherit let or rec then with",
        types: "false null true",
        ..NOTHING
    },
    Language { names: &["diff", "patch"], syntax: Syntax::Patch, ..NOTHING },
    Language {
        names: &["protobuf", "proto"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE],
        keywords: "enum extend extensions import map message oneof option optional package public repeated required \
            reserved returns rpc service stream syntax to weak",
        types: "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 \
            uint64 false true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["graphql", "gql"],
        line_comments: &["#"],
        strings: &[TRIPLE_DOUBLE, DOUBLE],
        keywords: "directive enum extend fragment implements input interface mutation on query scalar schema \
            subscription type union",
        types: "Boolean Float ID Int String false null true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["hcl", "tf", "tfvars", "terraform", "nomad"],
        line_comments: &["#", "//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE],
        keywords: "data dynamic for_each for in if locals module output provider resource terraform variable",
        types: "bool false list map null number object set string true",
        ..NOTHING
    },
];
