"""Starts a client and tells it lines, each once the answer to the one before it has come; for scripts/new-release, in the network of the client.

Called as `python3 new_release_talk.py LINES COMMAND…`; LINES is JSON: [{"line": …, "mark": what the answer holds}]. Files are checkpointed, so that they can be rewound.
"""
import json
import os
import subprocess
import sys


def main():
    environment = {**os.environ, "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "true"}
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for told in json.loads(sys.argv[1]):
            process.stdin.write(told["line"] + "\n")
            process.stdin.flush()
            for line in process.stdout:
                sys.stdout.write(line)
                if told["mark"] in line:
                    break
        process.stdin.close()
        sys.stdout.write(process.stdout.read())
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
