"""What a session file holds, as far as the comparison with the SDK needs it. A plain reader of its own: neither annals nor the SDK."""
import json

CHAIN = ("user", "assistant", "system", "attachment", "progress")
BOM = b"\xef\xbb\xbf"


def objects_of(text):
    """Every JSON object on a line: real files have lines that hold two."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            break
        found.append(value)
        while at < len(text) and text[at] in " \t\r":
            at += 1
    return [value for value in found if isinstance(value, dict)]


class Facts:
    def __init__(self, data):
        self.empty = not data
        self.has_bom = data.startswith(BOM)
        self.is_utf8 = True
        try:
            data.decode()
        except UnicodeDecodeError:
            self.is_utf8 = False
        self.records = {}  # by uuid, the last one counting
        self.order = []  # chain lines as they stand in the file
        self.side = []
        self.unreadable = set()  # uuids on lines that the SDK cannot parse
        lines = data.removeprefix(BOM).decode(errors="replace").split("\n")
        for number, line in enumerate(lines):
            text = line.strip().strip("\0")
            found = objects_of(text)
            hidden = len(found) > 1 or (number == 0 and self.has_bom) or text != line.strip()
            for record in found:
                if record.get("type") in CHAIN and isinstance(record.get("uuid"), str):
                    self.records[record["uuid"]] = record
                    self.order.append(record)
                    if hidden:
                        self.unreadable.add(record["uuid"])
                else:
                    self.side.append(record)
        first = objects_of(lines[0].strip())
        self.first_is_sidechain = bool(first and first[0].get("isSidechain") is True)

    def parent(self, uuid):
        return self.records.get(uuid, {}).get("parentUuid")

    def visible(self, uuid):
        """Whether the SDK would show this record if it were on its chain."""
        record = self.records.get(uuid, {})
        hidden = record.get("isMeta") or record.get("isSidechain") or record.get("teamName")
        return record.get("type") in ("user", "assistant") and not hidden

    def message_id(self, uuid):
        record = self.records.get(uuid, {})
        message = record.get("message")
        return message.get("id") if record.get("type") == "assistant" and isinstance(message, dict) else None

    def blocks(self, uuid, kind):
        message = self.records.get(uuid, {}).get("message")
        content = message.get("content") if isinstance(message, dict) else None
        return [block for block in content if isinstance(block, dict) and block.get("type") == kind] if isinstance(content, list) else []

    def walk(self, uuid):
        """From a record up to its root, itself included."""
        seen = []
        known = set()
        while uuid in self.records and uuid not in known:
            known.add(uuid)
            seen.append(uuid)
            uuid = self.parent(uuid)
        return seen

    def last_main(self):
        """The last chain line of the file that is not a sidechain's: the client's leaf."""
        for record in reversed(self.order):
            if not record.get("isSidechain") and record["type"] != "progress":
                return record["uuid"]
        return None

    def boundaries(self):
        return [record for record in self.order if record.get("subtype") == "compact_boundary"]

    def leaf_notes(self):
        return [record["leafUuid"] for record in self.side if record.get("type") == "last-prompt" and record.get("leafUuid")]
