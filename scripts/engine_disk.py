"""engine_disk.py FOLDER WORD…: which files below an engine's folder hold these words, unpacked. Run by scripts/team-forget.

Nothing of the engine is asked: files are read as they lie on the disk. Columns and indexes consist of compressed blocks, each with a
checksum of 16 bytes, a byte for the method, the size packed and unpacked (four bytes each; the packed size counts these nine), and
the packed bytes. What is no block is searched as it is. An index leaves out the beginning that a word shares with the one before it, so
words are found by their last twelve characters. Prints a JSON object: for each word the files that hold it.
"""
import json
import os
import sys

import zstandard

NONE, LZ4, ZSTD, MULTIPLE = 0x02, 0x82, 0x90, 0x91
HEAD, MAX_BLOCK = 25, 1 << 27


def unpack_lz4(packed):
    """A block of LZ4: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md"""
    out, at = bytearray(), 0

    def length(at, short):
        total = short
        while short == 15:
            total += packed[at]
            at += 1
            if packed[at - 1] != 255:
                break
        return at, total

    while at < len(packed):
        token = packed[at]
        at, count = length(at + 1, token >> 4)
        out += packed[at:at + count]
        at += count
        if at >= len(packed):
            break
        distance = packed[at] | packed[at + 1] << 8
        at, count = length(at + 2, token & 15)
        for _ in range(count + 4):
            out.append(out[-distance])
    return bytes(out)


def unpack(method, packed, size):
    if method == NONE:
        return packed
    if method == LZ4:
        return unpack_lz4(packed)
    if method == ZSTD:
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    # Several methods over each other: of numbers only, so nothing is read here.
    return b""


def block(data, at):
    """The block that begins here: its end and its bytes; None if none does."""
    head = data[at + 16:at + HEAD]
    if len(head) < 9 or head[0] not in (NONE, LZ4, ZSTD, MULTIPLE):
        return None
    packed, size = int.from_bytes(head[1:5], "little"), int.from_bytes(head[5:9], "little")
    end = at + 16 + packed
    if packed < 9 or end > len(data) or not 0 < size < MAX_BLOCK:
        return None
    try:
        content = unpack(head[0], data[at + HEAD:end], size)
    except (zstandard.ZstdError, IndexError):
        return None
    return (end, content) if len(content) in (0, size) else None


def unpacked(data):
    """The blocks of a file, unpacked and joined."""
    found, at = [], 0
    while at + HEAD <= len(data):
        one = block(data, at)
        if one:
            at, content = one
            found.append(content)
        else:
            at += 1
    return b"".join(found)


def main():
    folder, words = sys.argv[1], sys.argv[2:]
    found = {word: [] for word in words}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            try:
                with open(path, "rb") as file:
                    data = file.read()
            except FileNotFoundError:
                continue  # The engine has removed it meanwhile.
            texts = data, unpacked(data)
            for word in words:
                if any(word[-12:].encode() in text for text in texts):
                    found[word].append(os.path.relpath(path, folder))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
