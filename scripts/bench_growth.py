"""How the time and memory of commands grow with a session: records in several shapes, and one very long line."""
import json
import os

SIZES = (8_000, 32_000, 100_000)
LINES = (10**8, 4 * 10**8)
# What the long line is full of: its text as it stands in the file.
LINE_TEXTS = {"words": "a long text ", "escapes": r'\n\"a\\b\t\u00e9 c', "digits": "iVBORw0KGgoAAAANSUhEUgAA"}
SHAPES = {
    "a chain": lambda number, count: number - 1 if number else None,
    "a cycle": lambda number, count: (number - 1) % count,
    "a star": lambda number, count: 0 if number else None,
    "a tree": lambda number, count: (number - 1) // 2 if number else None,
    "no parents": lambda number, count: None,
}
SESSION = "00000000-0000-4000-8000-000000000000"
# Of one session, by its path.
COMMANDS = (["check"], ["repair", "--dry-run"], ["show"], ["redact", "--scan"])
# Of one session with a long line.
LINE_COMMANDS = (["show", "--as", "markdown"], ["show", "--as", "messages"], ["clone", "--dry-run"], ["fork", "--dry-run"])
# Of a store with that session and as many prompts in its history. The index is built from nothing each time.
STORE_COMMANDS = (["index"], ["search", "message"], ["search", "--exact", "message 7"], ["ls"], ["ls", "--long"],
                  ["usage", "--no-index"], ["history"])


def record(number, parent, text=None):
    """One line: prompts and replies in turns, a second apart."""
    kind = "assistant" if number % 2 else "user"
    text = text or f"message {number} of a session that is made up"
    content = [{"type": "text", "text": text}] if number % 2 else text
    time = f"2026-01-{1 + number // 86400:02}T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
    return json.dumps({
        "parentUuid": None if parent is None else f"{parent:08}-0000-4000-8000-000000000000", "isSidechain": False, "type": kind,
        "message": {"role": kind, "id": f"msg_{number}", "content": content}, "sessionId": SESSION,
        "uuid": f"{number:08}-0000-4000-8000-000000000000", "timestamp": time, "cwd": "/work", "version": "2.1.100",
    }, separators=(",", ":")) + "\n"


def write_shape(path, shape, count):
    parent = SHAPES[shape]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(record(number, parent(number, count)) for number in range(count))


def write_long_line(path, size, text):
    before, after = record(2, 1, "LONG").split("LONG")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines((record(0, None), record(1, 0), before))
        # In pieces: the peak of a command is not seen below the size of this process.
        piece = text * (120_000 // len(text))
        file.writelines(piece for _ in range(size // len(piece)))
        file.writelines((after, record(3, 2)))


def prompt(number, text):
    """One line of the history."""
    time = 1_767_225_600_000 + number
    entry = {"display": text, "pastedContents": {}, "timestamp": time, "project": "/work", "sessionId": SESSION}
    return json.dumps(entry, separators=(",", ":")) + "\n"


def write_history(path, count):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(prompt(number, "a prompt that is made up") for number in range(count))


def write_long_prompt(path, size):
    before, after = prompt(0, "LONG").split("LONG")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before)
        file.writelines("a long text " * 10_000 for _ in range(size // 120_000))
        file.writelines((after, prompt(1, "a short one")))


def jobs(annals, path, folder, commands=COMMANDS):
    """The commands by name. Exit 3, problems in the data, is an answer; so is 1, nothing found."""
    answer = '"$0" "$@" || [ $? -eq 3 ]'
    data = os.path.join(folder, "growth-data")
    fresh = f"rm -rf '{data}'; \"$0\" \"$@\" || [ $? -eq 1 ]"
    of_store = ["--config-dir", os.path.join(folder, "growth"), "--data-dir", data]
    return [(" ".join(words), ["sh", "-c", answer, annals, words[0], path, *words[1:]]) for words in commands] + [
        (" ".join(words), ["sh", "-c", fresh, annals, *words, *of_store]) for words in STORE_COMMANDS]


def seconds(best, name):
    """Processor time: a busy machine does not change it much."""
    return f"{best[name][1]:.2f} s" if name in best else "failed"


def report(annals, folder, environment, in_turns, rounds):
    """Markdown tables, and what failed."""
    path = os.path.join(folder, "growth", "projects", "-work", f"{SESSION}.jsonl")
    history = os.path.join(folder, "growth", "history.jsonl")
    os.makedirs(os.path.dirname(path))
    rows, failed = [], {}
    for shape in SHAPES:
        cells = {}
        for count in SIZES:
            write_shape(path, shape, count)
            write_history(history, count)
            best, wrong = in_turns(jobs(annals, path, folder), environment, rounds)
            failed.update(wrong)
            # For what reads line by line all shapes are one.
            for words in COMMANDS + (STORE_COMMANDS if shape == "a chain" else ()):
                cells.setdefault(" ".join(words), []).append(seconds(best, " ".join(words)))
        rows += [f"| {shape} | `{name}` | {' | '.join(times)} |" for name, times in cells.items()]
    heads = " | ".join(f"{count:,}" for count in SIZES)
    text = f"| shape | command | {heads} |\n|---|---|{'---|' * len(SIZES)}\n" + "\n".join(rows)
    rows = []
    for size in LINES:
        for kind, unit in LINE_TEXTS.items():
            write_long_line(path, size, unit)
            write_long_prompt(history, size)
            best, wrong = in_turns(jobs(annals, path, folder, COMMANDS + LINE_COMMANDS), environment, 1)
            failed.update(wrong)
            for name, (_, work, peak) in best.items():
                share = f"{peak / size:.1f}"
                rows.append(f"| {size / 1e6:.0f} MB of {kind} | `{name}` | {work:.1f} s | {peak / 1e6:.0f} MB | {share} |")
    os.remove(path)
    heads = "| line | command | processor time | peak memory | of the line |\n|---|---|---|---|---|\n"
    return text, heads + "\n".join(rows), failed
