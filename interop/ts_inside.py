"""What runs inside a network of its own: loopback goes up, the scripted API starts, one program of the TypeScript SDK runs, all of it ends."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from inside import beside_api  # noqa: E402


def run_program(order, url):
    environment = {**order["environment"], "ANTHROPIC_BASE_URL": url}
    command = [order["node"], os.path.join(HERE, "ts_program_list.mjs"), order["program"], order["cli"]]
    try:
        done = subprocess.run(command, env=environment, cwd=order["folder"], capture_output=True, text=True, timeout=order["seconds"])
        return json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {order['seconds']} s"}
    except (ValueError, IndexError):
        return {"error": f"exit {done.returncode}: {(done.stdout + done.stderr).strip()[-400:]}"}


if __name__ == "__main__":
    beside_api(run_program)
