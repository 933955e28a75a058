"""What runs inside a network of its own: loopback goes up, the scripted API starts, one program of the SDK runs, all of it ends.

Called by sdk_programs as `unshare … python3 sdk_inside.py`, by the Python that has the SDK, with one JSON object on standard input
(api, program, cli, environment, folder, seconds) and the facts of the program on standard output.
"""
import asyncio
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from inside import beside_api  # noqa: E402


def run_program(order, url):
    # The SDK hands its own environment to the client: nothing of the caller's may be left in it.
    os.environ.clear()
    os.environ.update({**order["environment"], "ANTHROPIC_BASE_URL": url})
    os.chdir(order["folder"])
    import sdk_program_list

    program = getattr(sdk_program_list, order["program"])
    try:
        return {"facts": asyncio.run(asyncio.wait_for(program(sdk_program_list.Place(order["cli"])), order["seconds"]))}
    except Exception as error:  # the program failed: that is a fact as well
        return {"error": f"{type(error).__name__}: {error}"[:600]}


if __name__ == "__main__":
    beside_api(run_program)
