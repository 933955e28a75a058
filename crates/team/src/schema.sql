-- The tables of a team, schema 1. Run by `annals team init --apply`, never by a push. {db} is the database.
-- Lines are the truth: all other rows are made from them, by the code of the local index, and can be made again.
-- Everything is idempotent by key: what is sent twice, or in another order, gives the same answers.
CREATE DATABASE IF NOT EXISTS {db};

CREATE TABLE IF NOT EXISTS {db}.meta (key String, value String, version UInt64)
ENGINE = ReplacingMergeTree(version) ORDER BY key;

-- Who a machine belongs to.
CREATE TABLE IF NOT EXISTS {db}.machines (
    tenant LowCardinality(String), machine LowCardinality(String), person LowCardinality(String), team LowCardinality(String),
    version UInt64
) ENGINE = ReplacingMergeTree(version) ORDER BY (tenant, machine);

-- The files that lines are of. The newest generation of a file is the one that stands there; `gone` and `moved` are marks.
CREATE TABLE IF NOT EXISTS {db}.files (
    tenant LowCardinality(String), machine LowCardinality(String), store LowCardinality(String), file String, generation Int64,
    role LowCardinality(String), project LowCardinality(String), session String, agent String,
    state Enum8('there' = 0, 'gone' = 1, 'moved' = 2, 'back' = 3), moved_to String, of_generation Int64,
    reached UInt64, lines UInt64, active Nullable(Int64),
    version UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, machine, store, file, generation)
SETTINGS non_replicated_deduplication_window = 1000;

-- Every line, redacted, under the name that collect gave it. `session` is what the path says.
CREATE TABLE IF NOT EXISTS {db}.lines (
    tenant LowCardinality(String), machine LowCardinality(String), store LowCardinality(String), session String,
    file String CODEC(ZSTD(1)), generation Int64 CODEC(Delta, ZSTD(1)), offset UInt64 CODEC(Delta, ZSTD(1)), length UInt64,
    line UInt64 CODEC(Delta, ZSTD(1)), form Enum8('line' = 0, 'file' = 1, 'torn' = 2), role LowCardinality(String),
    project LowCardinality(String), cwd LowCardinality(String), branch LowCardinality(String), forked_from LowCardinality(String),
    millis Nullable(Int64) CODEC(Delta, ZSTD(1)), day Date, received DateTime DEFAULT now(), text Nullable(String) CODEC(ZSTD(3))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (tenant, session, machine, store, file, generation, offset)
SETTINGS non_replicated_deduplication_window = 1000;

-- One row a block of a message. `words` are those of the local index, with a space before and behind each.
CREATE TABLE IF NOT EXISTS {db}.messages (
    tenant LowCardinality(String), machine LowCardinality(String), store LowCardinality(String), project LowCardinality(String),
    session String CODEC(ZSTD(1)), agent String CODEC(ZSTD(1)), file String CODEC(ZSTD(1)),
    generation Int64 CODEC(Delta, ZSTD(1)), offset UInt64 CODEC(Delta, ZSTD(1)), length UInt64, line UInt64 CODEC(Delta, ZSTD(1)),
    block UInt32, file_role LowCardinality(String), class Enum8('said' = 0, 'replied' = 1, 'shown' = 2),
    role LowCardinality(String), kind LowCardinality(String), tool LowCardinality(String), call String CODEC(ZSTD(1)),
    is_error Bool, millis Nullable(Int64), time Int64 CODEC(Delta, ZSTD(1)), day Date, uuid String CODEC(ZSTD(1)), bytes UInt64,
    form UInt16, words String CODEC(ZSTD(3)),
    INDEX by_word words TYPE text(tokenizer = splitByString([' '])),
    INDEX by_call call TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree(form)
PARTITION BY toYYYYMM(day)
ORDER BY (tenant, class, time, machine, store, file, generation, offset, block)
SETTINGS non_replicated_deduplication_window = 1000;

-- Calls and results, each a row: they come in any order, and meet when they are asked for.
CREATE TABLE IF NOT EXISTS {db}.calls (
    tenant LowCardinality(String), call String, half Enum8('call' = 0, 'result' = 1), machine LowCardinality(String),
    store LowCardinality(String), file String, generation Int64, line UInt64, session String, agent String,
    tool LowCardinality(String), path String, millis Nullable(Int64), is_error Bool, bytes UInt64, started_agent String, day Date,
    form UInt16
) ENGINE = ReplacingMergeTree(form)
PARTITION BY toYYYYMM(day)
ORDER BY (tenant, call, half, machine, store, file, generation, line)
SETTINGS non_replicated_deduplication_window = 1000;

-- One row a line of a response; each response counts once when it is asked for. Costs are femtodollars.
CREATE TABLE IF NOT EXISTS {db}.responses (
    tenant LowCardinality(String), key UInt128, machine LowCardinality(String), store LowCardinality(String),
    file LowCardinality(String), generation Int64, line UInt64, file_role LowCardinality(String), day Date,
    millis Nullable(Int64) CODEC(Delta, ZSTD(1)), is_copy Bool, is_sidechain Bool, agent LowCardinality(String),
    model LowCardinality(String), tier UInt8, speed UInt8, certainty UInt8, input UInt64, output UInt64, cache_read UInt64,
    write_5m UInt64, write_1h UInt64, searches UInt64, fetches UInt64, cost UInt128, bare_cost UInt128,
    side_calls Array(Tuple(model String, certainty UInt8, input UInt64, output UInt64, cache_read UInt64, write_5m UInt64,
        write_1h UInt64, searches UInt64, fetches UInt64, cost UInt128, bare_cost UInt128)),
    prices LowCardinality(String), form UInt16
) ENGINE = ReplacingMergeTree(form)
PARTITION BY toYYYYMM(day)
ORDER BY (tenant, key, machine, store, file, generation, line)
SETTINGS non_replicated_deduplication_window = 1000;

-- What lines state about their file, besides what `lines` has itself: titles, tags, first prompts, sub-agents, outputs.
CREATE TABLE IF NOT EXISTS {db}.facts (
    tenant LowCardinality(String), machine LowCardinality(String), store LowCardinality(String), session String, file String,
    generation Int64, line UInt64, kind LowCardinality(String), value String, day Date, form UInt16
) ENGINE = ReplacingMergeTree(form)
PARTITION BY toYYYYMM(day)
ORDER BY (tenant, session, machine, store, file, generation, kind, line, value)
SETTINGS non_replicated_deduplication_window = 1000;

-- Tokens of machines and people: only their hashes. `name` is the machine, the person or the team that a token is for; `revoked` is
-- when that was done, 0 if it was not.
CREATE TABLE IF NOT EXISTS {db}.tokens (
    hash String, tenant LowCardinality(String), kind Enum8('machine' = 0, 'person' = 1, 'team' = 2, 'admin' = 3),
    name String, created Int64, revoked Int64, version UInt64
) ENGINE = ReplacingMergeTree(version) ORDER BY hash;

-- What was forgotten, and is refused when it is sent again.
CREATE TABLE IF NOT EXISTS {db}.forgotten (
    tenant LowCardinality(String), kind Enum8('machine' = 0, 'session' = 1), name String, millis Int64
) ENGINE = ReplacingMergeTree ORDER BY (tenant, kind, name);

-- One line for each change of rights, and for each time that something was forgotten.
CREATE TABLE IF NOT EXISTS {db}.audit (
    tenant LowCardinality(String), millis Int64, actor String, action LowCardinality(String), subject String, detail String
) ENGINE = MergeTree ORDER BY (tenant, millis);

-- One row, which only a login sees that no row policy holds back. `annals sql --at` asks for it first.
CREATE TABLE IF NOT EXISTS {db}.policy_check (seen UInt8) ENGINE = ReplacingMergeTree ORDER BY seen;
INSERT INTO {db}.policy_check SELECT 1;
