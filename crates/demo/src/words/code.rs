//! Pieces of program text, made up for this purpose. `{i}` is the plain name of a thing in the project's spelling.

use super::Language;

/// Top-level pieces for a language.
pub(crate) fn pieces(language: Language) -> &'static [&'static str] {
    match language {
        Language::TypeScript => TYPESCRIPT,
        Language::Rust => RUST,
        Language::Python => PYTHON,
        Language::Shell => SHELL,
        Language::Go => GO,
    }
}

/// The lines a file begins with.
pub(crate) fn header(language: Language) -> &'static [&'static str] {
    match language {
        Language::TypeScript => {
            &["import { {type}, {type} } from \"../{mod}\";\nimport { {func} } from \"./{mod}\";\n"]
        }
        Language::Rust => &[
            "//! {ing} the {noun}.\n\nuse std::collections::HashMap;\n\nuse crate::{mod}::{type};\nuse {pkg}::{type};\n",
        ],
        Language::Python => &[
            "\"\"\"{ing} the {noun}.\"\"\"\n\nfrom __future__ import annotations\n\nimport {pkg}\n\nfrom tide.{mod} import {func}\n",
        ],
        Language::Shell => &["#!/usr/bin/env bash\n# {ing} the {noun}.\nset -euo pipefail\n"],
        Language::Go => {
            &["package {mod}\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"quill/internal/{mod}\"\n)\n"]
        }
    }
}

const TYPESCRIPT: &[&str] = &[
    "export interface {type} {\n  {field}: string;\n  {field}?: number;\n  readonly {i}: {type}[];\n}\n",
    "export function {func}({i}: {type}, {field} = {num}): {type} | undefined {\n  if ({i}.{field} === undefined) {\n    return undefined; // a {adj} {noun} has none\n  }\n  const {i} = {func}({i}.{field});\n  return { ...{i}, {field}: Math.round({field} * 100) / 100 };\n}\n",
    "export async function {func}(id: string): Promise<{type}> {\n  const {i} = await db.query.{i}.findFirst({ where: eq({i}.id, id) });\n  if (!{i}) {\n    throw new {type}(`no {noun} with id ${id}`);\n  }\n  log.info({ id, {field}: {i}.{field} }, \"{noun} {past}\");\n  return {i};\n}\n",
    "const {func} = (items: {type}[]) =>\n  items\n    .filter((item) => item.{field} > {num})\n    .map((item) => ({ ...item, {field}: item.{field} ?? {small} }))\n    .sort((a, b) => a.{field} - b.{field});\n",
    "export class {type} {\n  private readonly {i} = new Map<string, {type}>();\n\n  constructor(private readonly {field}: number) {}\n\n  {verb}(id: string, value: {type}): void {\n    if (this.{i}.size >= this.{field}) {\n      this.{i}.clear();\n    }\n    this.{i}.set(id, value);\n  }\n}\n",
    "describe(\"{func}\", () => {\n  it(\"{verbs} a {adj} {noun}\", () => {\n    const {i} = {func}({ {field}: {num}, {field}: {small} });\n    expect({i}.{field}).toBe({num});\n  });\n});\n",
];

const RUST: &[&str] = &[
    "/// A {adj} {noun} and its {noun}.\n#[derive(Debug, Clone)]\npub struct {type} {\n    {field}: u64,\n    {i}: Vec<{type}>,\n}\n",
    "/// Will {verb} the {noun}, unless it is {adj}.\npub fn {func}({i}: &{type}) -> Result<u64, {type}> {\n    let {field} = {i}.{field}.checked_add({num}).ok_or({type}::Overflow)?;\n    if {i}.{i}.is_empty() {\n        return Ok({small});\n    }\n    // The {noun} has to be {past} first, see {ticket}.\n    {func}(&{i}.{i}, {field})\n}\n",
    "impl {type} {\n    /// Opens the {noun} for {ing}.\n    pub fn open(path: &Path) -> io::Result<Self> {\n        let {i} = File::open(path)?;\n        Ok(Self { {field}: {num}, {i}: BufReader::new({i}) })\n    }\n\n    fn {func}(&mut self) -> Option<{type}> {\n        self.{i}.pop().filter(|{i}| {i}.{field} > {small})\n    }\n}\n",
    "fn {func}(all: &[{type}]) -> HashMap<u64, Vec<&{type}>> {\n    let mut groups: HashMap<u64, Vec<&{type}>> = HashMap::new();\n    for {i} in all.iter().filter(|{i}| !{i}.is_{adj}()) {\n        groups.entry({i}.{field}).or_default().push({i});\n    }\n    groups\n}\n",
    "#[test]\nfn {verbs}_a_{adj}_{snake}() {\n    let {i} = {type}::from([{num}, {small}]);\n    assert_eq!({func}(&{i}), Ok({num}));\n}\n",
    "impl fmt::Display for {type} {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        write!(f, \"{noun} {} of {}\", self.{field}, self.{field})\n    }\n}\n",
];

const PYTHON: &[&str] = &[
    "@dataclass(frozen=True)\nclass {type}:\n    \"\"\"A {adj} {noun}.\"\"\"\n\n    {field}: int\n    {field}: str = \"{noun}\"\n    {i}: list[{type}] = field(default_factory=list)\n",
    "def {func}({i}: pd.DataFrame, {field}: int = {num}) -> pd.DataFrame:\n    \"\"\"Will {verb} the {noun}; a {adj} one stays as it is.\"\"\"\n    mask = {i}[\"{field}\"].between({small}, {num})\n    {i} = {i}.loc[mask].assign({field}=lambda f: f[\"{field}\"].ffill())\n    if {i}.empty:\n        raise {type}(f\"no {noun} left after {ing}, {field}={{field}}\")\n    return {i}.sort_values(\"{field}\")\n",
    "def {func}(path: Path) -> Iterator[{type}]:\n    with path.open() as lines:\n        for number, line in enumerate(lines, start=1):\n            if not line.strip():\n                continue  # a {adj} {noun}\n            yield {type}.model_validate_json(line)\n",
    "async def {func}(client: httpx.AsyncClient, {i}: str) -> {type} | None:\n    for attempt in range({small}):\n        answer = await client.get(f\"/{mod}/{{i}}\", timeout={small})\n        if answer.status_code == 200:\n            return {type}(**answer.json())\n        log.warning(\"{adj} {noun}\", attempt=attempt, {field}=answer.status_code)\n    return None\n",
    "def test_{verb}_{adj}_{snake}(tmp_path):\n    {i} = {func}(make_{snake}({field}={num}))\n    assert {i}.{field} == {num}\n    assert not list(tmp_path.iterdir())\n",
    "{SNAKE}_LIMIT = {num}\n{SNAKE}_FIELDS = (\"{field}\", \"{field}\", \"{field}\")\n",
];

const SHELL: &[&str] = &[
    "{func}() {\n  local {i}=$1 {field}=${2:-{num}}\n  if [[ -z ${i} ]]; then\n    echo \"no {noun} given\" >&2\n    return 1\n  fi\n  jq -r --arg {field} \"${field}\" '.[] | select(.{field} == ${field}) | .{field}' \"${i}\"\n}\n",
    "for {i} in $(kubectl get {mod} -o name); do\n  echo \"{ing} ${i}\"\n  kubectl annotate \"${i}\" harbor/{field}={num} --overwrite\ndone\n",
    "# A {adj} {noun} must be {past} before the {noun}, see {ticket}.\nreadonly {SNAKE}_DIR=/var/lib/harbor/{mod}\nreadonly {SNAKE}_KEEP={small}\nfind \"${SNAKE}_DIR\" -type f -mtime +\"${SNAKE}_KEEP\" -print -delete\n",
    "write_{snake}() {\n  cat > \"$1\" <<YAML\nname: {adj}-{i}\n{field}: {num}\nowner: {person}\nticket: {ticket}\nYAML\n  echo \"wrote $1\"\n}\n",
    "@test \"{verbs} the {adj} {noun}\" {\n  run {func} fixtures/{mod}.json {num}\n  [ \"$status\" -eq 0 ]\n  [[ $output == *\"{field}\"* ]]\n}\n",
    "case ${1:-} in\n  --dry-run) {field}=1 ;;\n  --{field}) {field}=$2; shift ;;\n  *) echo \"usage: $0 [--dry-run] [--{field} N]\"; exit 2 ;;\nesac\n",
];

const GO: &[&str] = &[
    "// {type} is a {adj} {noun}.\ntype {type} struct {\n\t{Field} string `json:\"{field}\"`\n\t{Field} int    `json:\"{field},omitempty\"`\n\titems  []{type}\n}\n",
    "// {func} will {verb} the {noun} unless it is {adj}.\nfunc {func}(ctx context.Context, {i} *{type}) (int, error) {\n\tif {i} == nil {\n\t\treturn 0, fmt.Errorf(\"{func}: no {noun}\")\n\t}\n\tfor _, item := range {i}.items {\n\t\tif item.{Field} > {num} {\n\t\t\tcontinue\n\t\t}\n\t\tif err := item.{func}(ctx); err != nil {\n\t\t\treturn 0, fmt.Errorf(\"{verb} %s: %w\", item.{Field}, err)\n\t\t}\n\t}\n\treturn len({i}.items), nil\n}\n",
    "func ({mod} *{type}) {func}(id string) (*{type}, bool) {\n\t{mod}.mu.Lock()\n\tdefer {mod}.mu.Unlock()\n\t{i}, ok := {mod}.byID[id]\n\tif ok && {i}.{Field} < {small} {\n\t\tdelete({mod}.byID, id) // {adj}, see {ticket}\n\t\treturn nil, false\n\t}\n\treturn {i}, ok\n}\n",
    "func Test{type}(t *testing.T) {\n\tcases := map[string]int{\"{adj}\": {num}, \"{adj} {noun}\": {small}}\n\tfor name, want := range cases {\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tgot, err := {func}(t.Context(), &{type}{})\n\t\t\tassert.NoError(t, err)\n\t\t\tassert.Equal(t, want, got)\n\t\t})\n\t}\n}\n",
    "var err{type} = errors.New(\"{adj} {noun}\")\n",
    "func New{type}({field} int) *{type} {\n\treturn &{type}{{Field}: {field}, items: make([]{type}, 0, {small})}\n}\n",
];
