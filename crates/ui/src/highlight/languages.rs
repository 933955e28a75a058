//! Languages as data: those that programs are written in.

use super::{Delimiters, Language, Syntax};

const fn short(quote: &'static str) -> Delimiters {
    Delimiters { begin: quote, end: quote, has_escapes: true, is_long: false }
}

const fn raw(begin: &'static str, end: &'static str) -> Delimiters {
    Delimiters { begin, end, has_escapes: false, is_long: true }
}

pub(super) const DOUBLE: Delimiters = short("\"");
pub(super) const SINGLE: Delimiters = short("'");
pub(super) const BACKTICK: Delimiters = Delimiters { is_long: true, ..short("`") };
pub(super) const DOUBLE_LONG: Delimiters = Delimiters { is_long: true, ..short("\"") };
pub(super) const TRIPLE_DOUBLE: Delimiters = Delimiters { is_long: true, ..short("\"\"\"") };
pub(super) const TRIPLE_SINGLE: Delimiters = Delimiters { is_long: true, ..short("'''") };
pub(super) const SINGLE_RAW: Delimiters = raw("'", "'");
pub(super) const BACKTICK_RAW: Delimiters = raw("`", "`");
pub(super) const RUST_RAW: Delimiters = raw("r\"", "\"");
pub(super) const RUST_RAW_1: Delimiters = raw("r#\"", "\"#");
pub(super) const RUST_RAW_2: Delimiters = raw("r##\"", "\"##");
pub(super) const CPP_RAW: Delimiters = raw("R\"(", ")\"");
pub(super) const LUA_LONG: Delimiters = raw("[[", "]]");
pub(super) const NIX_LONG: Delimiters = raw("''", "''");

pub(super) const NOTHING: Language = Language {
    names: &[],
    files: &[],
    line_comments: &[],
    block_comments: &[],
    strings: &[],
    keywords: "",
    types: "",
    has_case: true,
    has_capital_types: false,
    syntax: Syntax::Code,
};

pub(super) const PROGRAMS: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[RUST_RAW_2, RUST_RAW_1, RUST_RAW, DOUBLE_LONG, SINGLE],
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop \
            macro_rules match mod move mut pub ref return self static struct super trait type union unsafe use \
            where while yield",
        types: "bool char f32 f64 false i128 i16 i32 i64 i8 isize None Some Ok Err Self str true u128 u16 u32 u64 u8 \
            usize",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["python", "py", "pyi", "pyw"],
        line_comments: &["#"],
        strings: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
        keywords: "and as assert async await break case class continue def del elif else except finally for from global \
            if import in is lambda match nonlocal not or pass raise return try while with yield",
        types: "False None True bool bytes dict float int list object self set str tuple",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["javascript", "js", "mjs", "cjs", "jsx"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE, BACKTICK],
        keywords: "async await break case catch class const continue debugger default delete do else export extends \
            finally for from function get if import in instanceof let new of return set static super switch this \
            throw try typeof var void while with yield",
        types: "false null true undefined NaN",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["typescript", "ts", "tsx", "mts", "cts"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE, BACKTICK],
        keywords: "abstract as asserts async await break case catch class const continue declare default delete do else \
            enum export extends finally for from function get if implements import in infer instanceof interface \
            is keyof let namespace new of override private protected public readonly return satisfies set static \
            super switch this throw try type typeof var void while with yield",
        types: "any bigint boolean false never null number object string symbol true undefined unknown",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["go", "golang"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE, BACKTICK_RAW],
        keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface \
            map package range return select struct switch type var",
        types: "any bool byte complex128 complex64 error false float32 float64 int int16 int32 int64 int8 iota nil \
            rune string true uint uint16 uint32 uint64 uint8 uintptr",
        ..NOTHING
    },
    Language {
        names: &["c", "h"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE],
        keywords: "#define #elif #else #endif #if #ifdef #ifndef #include #pragma #undef break case const continue \
            default do else enum extern for goto if inline register restrict return sizeof static struct switch \
            typedef union volatile while",
        types: "bool char double false float int long NULL short signed size_t true uint16_t uint32_t uint64_t \
            uint8_t int16_t int32_t int64_t int8_t unsigned void",
        ..NOTHING
    },
    Language {
        names: &["cpp", "c++", "cc", "cxx", "hpp", "hh", "hxx"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[CPP_RAW, DOUBLE, SINGLE],
        keywords: "#define #elif #else #endif #if #ifdef #ifndef #include #pragma #undef alignas alignof auto break \
            case catch class co_await co_return co_yield concept const const_cast constexpr continue decltype \
            default delete do dynamic_cast else enum explicit export extern final for friend goto if inline \
            mutable namespace new noexcept operator override private protected public register reinterpret_cast \
            requires return sizeof static static_assert static_cast struct switch template this throw try \
            typedef typename union using virtual volatile while",
        types: "bool char double false float int long nullptr short signed size_t string true unsigned void wchar_t",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["java"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "abstract assert break case catch class const continue default do else enum extends final finally for \
            goto if implements import instanceof interface native new package permits private protected public \
            record return sealed static super switch synchronized this throw throws transient try var void \
            volatile while yield",
        types: "boolean byte char double false float int long null short true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["kotlin", "kt", "kts"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "abstract as break by catch class companion const constructor continue data do else enum external \
            final finally for fun if import in infix init inline inner interface internal is lateinit object \
            open operator out override package private protected public return sealed super suspend this throw \
            try typealias val var vararg when where while",
        types: "false null true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["swift"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[TRIPLE_DOUBLE, DOUBLE],
        keywords: "actor any as associatedtype async await break case catch class continue default defer deinit do else \
            enum extension fallthrough fileprivate final for func guard if import in init inout internal is lazy \
            let mutating open operator override private protocol public repeat rethrows return self some static \
            struct subscript super switch throw throws try typealias var weak where while",
        types: "false nil true Self",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["csharp", "c#", "cs"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "abstract as async await base break case catch checked class const continue default delegate do else \
            enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal \
            is lock namespace new operator out override params private protected public readonly record ref \
            required return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked \
            unsafe using var virtual void volatile when where while yield",
        types: "bool byte char decimal double dynamic false float int long null object sbyte short string true uint \
            ulong ushort",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["ruby", "rb", "rake", "gemspec"],
        files: &["Gemfile", "Rakefile"],
        line_comments: &["#"],
        block_comments: &[("=begin", "=end")],
        strings: &[DOUBLE, SINGLE, BACKTICK],
        keywords: "alias and begin break case class def defined do else elsif end ensure extend for if in include \
            module next not or private protected public redo require require_relative rescue retry return self \
            super then undef unless until when while yield attr_accessor attr_reader",
        types: "false nil true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["php"],
        line_comments: &["//", "#"],
        block_comments: &[("/*", "*/")],
        strings: &[DOUBLE, SINGLE],
        keywords: "abstract and array as break callable case catch class clone const continue declare default do echo \
            else elseif empty enum extends final finally fn for foreach function global goto if implements \
            include include_once instanceof interface isset list match namespace new or print private protected \
            public readonly require require_once return static switch throw trait try unset use var while xor \
            yield",
        types: "bool false float int null string true void mixed self parent",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["lua"],
        line_comments: &["--"],
        block_comments: &[("--[[", "]]")],
        strings: &[LUA_LONG, DOUBLE, SINGLE],
        keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
        types: "false nil true self",
        ..NOTHING
    },
    Language {
        names: &["elixir", "ex", "exs"],
        line_comments: &["#"],
        strings: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmodule \
            defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue \
            reraise super throw try unless unquote use when with",
        types: "false nil true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["erlang", "erl", "hrl"],
        line_comments: &["%"],
        strings: &[DOUBLE, SINGLE],
        keywords: "after and andalso begin case catch cond div end fun if let not of or orelse receive rem try when xor",
        types: "false true undefined",
        ..NOTHING
    },
    Language {
        names: &["haskell", "hs"],
        line_comments: &["--"],
        block_comments: &[("{-", "-}")],
        strings: &[DOUBLE],
        keywords: "case class data default deriving do else family forall foreign if import in infix infixl infixr \
            instance let module newtype of qualified then type where",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["ocaml", "ml", "mli"],
        block_comments: &[("(*", "*)")],
        strings: &[DOUBLE],
        keywords: "and as assert begin class constraint do done downto else end exception external for fun function \
            functor if in include inherit initializer lazy let match method module mutable new nonrec object of \
            open or private rec sig struct then to try type val virtual when while with",
        types: "bool char false float int list option string true unit",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["scala", "sc", "sbt"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[TRIPLE_DOUBLE, DOUBLE],
        keywords: "abstract case catch class def do else enum export extends extension final finally for given if \
            implicit import inline lazy match new object opaque override package private protected return sealed \
            super then this throw trait transparent try type using val var while with yield",
        types: "false null true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["dart"],
        line_comments: &["//"],
        block_comments: &[("/*", "*/")],
        strings: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
        keywords: "abstract as assert async await break case catch class const continue covariant default deferred do \
            else enum export extends extension external factory final finally for get hide if implements import \
            in interface is late library mixin new on operator part required rethrow return sealed set show \
            static super switch sync this throw try typedef var void when while with yield",
        types: "bool double dynamic false int null num true",
        has_capital_types: true,
        ..NOTHING
    },
    Language {
        names: &["zig", "zon"],
        line_comments: &["//"],
        strings: &[DOUBLE, SINGLE],
        keywords: "align allowzero and anyframe anytype asm break callconv catch comptime const continue defer else \
            enum errdefer error export extern fn for if inline noalias nosuspend opaque or orelse packed pub \
            resume return struct suspend switch test threadlocal try union unreachable usingnamespace var \
            volatile while",
        types: "bool f32 f64 false i16 i32 i64 i8 isize null true type u16 u32 u64 u8 undefined usize void",
        ..NOTHING
    },
    Language {
        names: &["perl", "pl", "pm"],
        line_comments: &["#"],
        strings: &[DOUBLE, SINGLE],
        keywords: "and do else elsif eq for foreach if last local my ne next no not or our package print redo require \
            return sub unless until use while",
        ..NOTHING
    },
    Language {
        names: &["r"],
        line_comments: &["#"],
        strings: &[DOUBLE, SINGLE],
        keywords: "break else for function if in library next repeat require return while",
        types: "FALSE NA NULL TRUE Inf NaN",
        ..NOTHING
    },
    Language {
        names: &["julia", "jl"],
        line_comments: &["#"],
        block_comments: &[("#=", "=#")],
        strings: &[TRIPLE_DOUBLE, DOUBLE],
        keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function \
            global if import in let local macro module mutable primitive quote return struct try type using \
            where while",
        types: "false nothing true",
        has_capital_types: true,
        ..NOTHING
    },
];
