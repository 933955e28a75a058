"""The tables of a team over shards and replicas, made from those of one server (crates/team/src/schema.sql).

Tables of items are `NAME_local` on each shard, replicated there, with `NAME` over all shards; the few rows of the others are replicated to
every server. A session is on one shard, and so is a response with all its copies. For a server that is too old for our types they are reduced.
"""
import os
import re

from common import ROOT

ITEM_TABLES = ["lines", "messages", "calls", "responses", "facts", "files"]
# Of an old server: what stands for a type that it does not have, and for a column. The time of arrival would make the same rows other
# ones: there, everything arrives when it is asked for. No response of the test has side calls.
OLD_TYPES = {"Bool": "UInt8", "cost UInt128": "cost UInt64", "UInt128": "String"}
OLD_COLUMNS = {"received": "received DateTime ALIAS now()", "side_calls": "side_calls Array(String) ALIAS emptyArrayString()"}
STATEMENT = re.compile(r"(?s)CREATE TABLE IF NOT EXISTS \{db\}\.(\w+) \((.*)\)\s*ENGINE = (\w+?)(?:\((\w+)\))?(\s.*)?$")


def split(columns):
    """The columns of a table: commas in parentheses do not separate them."""
    depth, found, start = 0, [], 0
    for at, letter in enumerate(columns):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append(columns[start:at].strip())
            start = at + 1
    return [*found, columns[start:].strip()]


def reduced(columns):
    """Columns that a server of 2018 knows."""
    found = []
    for column in columns:
        name = column.split(" ")[0]
        if name in OLD_COLUMNS:
            found.append(OLD_COLUMNS[name])
        elif name != "INDEX":
            column = re.sub(r" CODEC\(.*\)$", "", re.sub(r"LowCardinality\((\w+)\)", r"\1", column))
            for new, old in OLD_TYPES.items():
                column = column.replace(new, old)
            found.append(column)
    return found


def statements(database, cluster, is_old):
    """The statements for one server, or with ON CLUSTER for all of them."""
    with open(os.path.join(ROOT, "crates", "team", "src", "schema.sql"), encoding="utf-8") as file:
        text = "\n".join(line for line in file.read().splitlines() if not line.startswith("--"))
    on = "" if is_old else f" ON CLUSTER {cluster}"
    yield f"CREATE DATABASE IF NOT EXISTS {database}{on}"
    for statement in (one.strip() for one in text.split(";")):
        found = STATEMENT.match(statement)
        if not found:
            continue
        name, columns, engine, version, rest = found.groups()
        columns = split(columns)
        columns = ", ".join(reduced(columns) if is_old else columns)
        rest = re.sub(r"\s*SETTINGS non_replicated_deduplication_window = \d+", "", rest or "")
        is_item = name in ITEM_TABLES
        path, replica = ("{shard}", "{replica}") if is_item else ("all", "{shard}-{replica}")
        version = f", {version}" if version else ""
        local = f"{database}.{name}_local" if is_item else f"{database}.{name}"
        yield f"CREATE TABLE IF NOT EXISTS {local}{on} ({columns})\nENGINE = Replicated{engine}('/clickhouse/tables/{path}/{database}/{name}', '{replica}'{version}){rest}"
        if is_item:
            key = "key" if name == "responses" else "session"
            yield (f"CREATE TABLE IF NOT EXISTS {database}.{name}{on} AS {local}\n"
                   f"ENGINE = Distributed({cluster}, {database}, {name}_local, cityHash64(tenant, {key}))")
