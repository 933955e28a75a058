//! The table of programs that only read, with their harmless options.

use super::{Operands, Program};
use Operands::{Names, Paths, PatternThenPaths, Text};

const GREP: &str = "count color colour ignore-case line-number word-regexp line-regexp files-with-matches \
                    files-without-match invert-match only-matching quiet silent no-messages no-filename with-filename \
                    context after-context before-context max-count extended-regexp fixed-strings basic-regexp \
                    perl-regexp recursive include exclude exclude-dir text null line-buffered";

const SUMS: &str = "binary text tag zero";

/// Sorted by what they do. An option is here when it can neither write, nor run, nor read another file than the operands.
pub(super) const PROGRAMS: &[Program] = &[
    (
        "ls",
        "aAbBcCdfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1",
        "all almost-all color colour human-readable recursive reverse \
      sort time time-style size inode numeric-uid-gid directory classify group-directories-first full-time",
        Names,
    ),
    (
        "cat",
        "AbeEnstTuv",
        "show-all number number-nonblank show-ends show-tabs squeeze-blank show-nonprinting",
        Paths,
    ),
    ("tac", "brs", "before", Paths),
    ("head", "n:c:qvz", "lines bytes quiet silent verbose", Paths),
    ("tail", "n:c:qvz", "lines bytes quiet silent verbose", Paths),
    ("wc", "clLmw", "bytes chars lines words max-line-length", Paths),
    ("nl", "b:d:f:h:i:l:n:ps:v:w:", "body-numbering", Paths),
    ("rev", "", "", Paths),
    (
        "cut",
        "b:c:d:f:nsz",
        "bytes characters fields delimiter only-delimited complement output-delimiter",
        Paths,
    ),
    ("paste", "d:sz", "delimiters serial", Paths),
    ("column", "ts:c:eN:nx", "table separator", Paths),
    ("fold", "bsw:", "bytes spaces width", Paths),
    ("tr", "cCdst", "complement delete squeeze-repeats truncate-set1", Text),
    (
        "sort",
        "bdfghinMrRsuVzk:t:",
        "ignore-case numeric-sort reverse unique key field-separator human-numeric-sort \
      version-sort general-numeric-sort stable",
        Paths,
    ),
    ("comm", "123", "check-order nocheck-order total", Paths),
    ("cmp", "bi:lsn:", "print-bytes bytes silent quiet verbose", Paths),
    (
        "diff",
        "abBcdeEiNpqswyuUtT",
        "brief unified context side-by-side ignore-case ignore-all-space \
      ignore-space-change ignore-blank-lines color colour width suppress-common-lines",
        Paths,
    ),
    ("grep", "abcEFGhHiIlLnoPqrsvwxyABCmezZ", GREP, PatternThenPaths),
    ("egrep", "abchHiIlLnoqrsvwxyABCme", GREP, PatternThenPaths),
    ("fgrep", "abchHiIlLnoqrsvwxyABCme", GREP, PatternThenPaths),
    (
        "rg",
        "acFiIlnNopPqsSUvVwxABCmeg:t:T:0",
        "count fixed-strings glob hidden ignore-case invert-match json line-number \
      no-line-number max-count no-ignore only-matching pcre2 quiet smart-case type type-not vimgrep word-regexp \
      files-with-matches context after-context before-context color colour heading no-heading multiline stats sort \
      max-depth column trim files",
        PatternThenPaths,
    ),
    ("stat", "c:fLtx", "format printf dereference terse", Paths),
    ("file", "bhiLNk", "brief mime mime-type mime-encoding dereference no-dereference", Paths),
    ("du", "0abchHklmsSxd", "all apparent-size human-readable summarize max-depth total bytes", Paths),
    ("df", "aBhHiklPT", "human-readable inodes local print-type", Paths),
    ("tree", "adfhLpsugDCFIPiQ", "noreport dirsfirst prune filelimit gitignore du si", Paths),
    ("basename", "as:z", "multiple suffix zero", Text),
    ("dirname", "z", "zero", Text),
    ("realpath", "eLmPqsz", "canonicalize-existing canonicalize-missing no-symlinks strip", Paths),
    ("readlink", "efmnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline", Paths),
    ("md5sum", "bt", SUMS, Paths),
    ("sha1sum", "bt", SUMS, Paths),
    ("sha256sum", "bt", SUMS, Paths),
    ("sha512sum", "bt", SUMS, Paths),
    ("cksum", "", "", Paths),
    ("od", "A:j:N:S:t:vwabcdfiloxs", "address-radix skip-bytes read-bytes format", Paths),
    ("hexdump", "bcCdoxvns", "canonical", Paths),
    ("strings", "afn:t:e:o", "all bytes radix", Paths),
    ("echo", "neE", "", Text),
    ("true", "", "", Text),
    ("false", "", "", Text),
    (":", "", "", Text),
    ("pwd", "LP", "", Operands::None),
    ("whoami", "", "", Operands::None),
    ("id", "Ggnru", "user group groups name real", Operands::None),
    ("groups", "", "", Operands::None),
    (
        "uname",
        "amnprsvio",
        "all machine kernel-name kernel-release kernel-version nodename operating-system",
        Operands::None,
    ),
    ("hostname", "fsidIA", "fqdn short ip-address", Operands::None),
    ("factor", "", "", Text),
    ("numfmt", "d:z", "to from to-unit from-unit suffix field format padding round grouping header", Text),
    ("zgrep", "ciIlLnowvEFh", "", PatternThenPaths),
    ("zipinfo", "1smlvhtz", "", Paths),
    ("nm", "aCDgnoprSu", "demangle dynamic defined-only undefined-only extern-only", Paths),
    ("readelf", "ahlSsWdnrVe", "all headers segments sections symbols dynamic notes wide", Paths),
    ("size", "ABdotx", "format", Paths),
    ("ss", "tulnpaxs46oeH", "tcp udp listening numeric all summary", Operands::None),
    ("nproc", "", "all", Operands::None),
    ("uptime", "ps", "pretty since", Operands::None),
    ("free", "bghkmt", "human mebi gibi bytes", Operands::None),
    ("arch", "", "", Operands::None),
    ("seq", "f:s:w", "format separator equal-width", Text),
    ("sleep", "", "", Text),
    ("expr", "", "", Text),
    ("base64", "dDiw:", "decode ignore-garbage wrap", Paths),
    ("join", "1:2:a:e:ij:o:t:v:z", "ignore-case check-order nocheck-order header", Paths),
    ("fmt", "csuw:", "width split-only uniform-spacing", Paths),
    ("expand", "it:", "initial tabs", Paths),
    ("unexpand", "at:", "all tabs", Paths),
    ("b2sum", "bt", SUMS, Paths),
    ("sha224sum", "bt", SUMS, Paths),
    ("sha384sum", "bt", SUMS, Paths),
    ("sum", "rs", "sysv", Paths),
    ("pgrep", "acd:fG:g:ilnoP:s:t:u:U:vwx", "list-name list-full full exact newest oldest count", Text),
    ("pidof", "cqsx", "", Text),
    ("logname", "", "", Operands::None),
    ("tty", "s", "silent quiet", Operands::None),
    ("lscpu", "", "", Operands::None),
    ("which", "a", "all", Text),
    ("whereis", "bms", "", Text),
    ("dir", "aAbBcCdfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1", "all almost-all color recursive reverse", Paths),
    ("lsblk", "abdfilmnoprtST", "all fs list", Operands::None),
    ("cal", "13jmhsy", "", Text),
    ("getconf", "", "", Text),
    ("locale", "a", "all-locales", Operands::None),
    ("look", "bdf", "alphanum ignore-case", PatternThenPaths),
    ("shuf", "n:ez", "head-count echo zero-terminated", Paths),
    ("tsort", "", "", Paths),
];
