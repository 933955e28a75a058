//! What tools print.

pub(crate) const LOG: &[&str] = &[
    "INFO  {area}: {past} {noun} id={num} in {ms}ms",
    "DEBUG {area}: {ing} {adj} {noun} ({field}={num})",
    "WARN  {area}: {adj} {noun}, will be {past} again in {small}s",
    "INFO  {area}: batch of {num} {noun} entries done, {small} left",
    "ERROR {area}: could not {verb} {noun} {num}: {err}",
];

pub(crate) const ERRORS: &[&str] = &[
    "cannot {verb} {noun}: `{field}` is missing",
    "expected a {adj} {noun}, found {num}",
    "{type}: {noun} {num} was already {past}",
    "timeout after {ms} ms while {ing} the {noun}",
    "{file}:{small}: unknown name `{func}`",
    "permission denied: {file}",
    "too many {adj} {noun} entries ({num} > {num})",
    "checksum of the {noun} does not match: {sha} != {sha}",
];

/// Test runners: a passing line, a failing line, the last line.
pub(crate) const TESTS_TS: [&[&str]; 3] = [
    &[
        " ✓ {file} > {func} > {verbs} a {adj} {noun} {small}ms",
        " ✓ {file} > {type} keeps the {noun} {adj} {small}ms",
    ],
    &[
        " × {file} > {func} > {verbs} a {adj} {noun}\n   → expected {num} to be {num}\n     at {file}:{small}:{small}",
    ],
    &[" Tests  {num} passed ({num})\n   Duration  {ms}ms (transform {small}ms, setup {small}ms)"],
];
pub(crate) const TESTS_RUST: [&[&str]; 3] = [
    &["test {mod}::tests::{verbs}_{adj}_{snake} ... ok", "test {mod}::keeps_{adj}_{snake}_{field} ... ok"],
    &[
        "test {mod}::tests::{verbs}_{adj}_{snake} ... FAILED\n\nthread '{mod}' panicked at {file}:{small}:{small}:\nassertion `left == right` failed: {err}\n  left: {num}\n right: {num}",
    ],
    &[
        "test result: ok. {num} passed; 0 failed; {small} ignored; 0 measured; 0 filtered out; finished in {small}.{num}s",
    ],
];
pub(crate) const TESTS_PYTHON: [&[&str]; 3] = [
    &[
        "{file}::test_{verb}_{adj}_{snake} PASSED",
        "{file}::test_{snake}_is_{past} PASSED",
        "{file}::Test{type}::test_{field} PASSED",
    ],
    &[
        "{file}:{small}: AssertionError\n>       assert {snake}.{field} == {num}\nE       assert {num} == {num}\nE        +  where {num} = {type}({field}={num}).{field}",
    ],
    &["{num} passed, {small} warnings in {small}.{num}s"],
];
pub(crate) const TESTS_SHELL: [&[&str]; 3] = [
    &[
        "ok {small} {verbs} the {noun}",
        "ok {small} refuses a {adj} {noun}",
        "ok {small} {noun} keeps its {field}",
    ],
    &[
        "not ok {small} {verbs} the {adj} {noun}\n# (in test file {file}, line {small})\n#   `[ \"$status\" -eq 0 ]' failed\n# {err}",
    ],
    &["{num} tests, 0 failures"],
];
pub(crate) const TESTS_GO: [&[&str]; 3] = [
    &["--- PASS: Test{type}/{adj}_{snake} (0.{small}s)", "=== RUN   Test{type}_{verbs}_{adj}_{snake}"],
    &["--- FAIL: Test{type}/{adj}_{snake} (0.{small}s)\n    {file}:{small}: want {num}, got {num}: {err}"],
    &["ok  \tquill/{area}\t{small}.{num}s"],
];
