"""Measures MCP servers over standard input and output, side by side.

  measure.py NAME=COMMAND...   (the command in words, as a shell would split it)

All have the tools `echo`, `crash`, `take_memory` and `run_forever`. Prints tables in Markdown;
the ratios are to the first server. Rounds alternate between the servers and medians are shown,
so that what else the machine does hits all of them. Linux only: CPU time and memory are read
from /proc, for the program and all that it started.
"""

import json
import os
import resource
import select
import shlex
import signal
import statistics
import subprocess
import sys
import time

ROUNDS, STARTS, CALLS, AT_ONCE = 3, 5, 3000, 16
FAULT_SECONDS, FAULT_BYTES = 8, 2 << 30
TICK = os.sysconf("SC_CLK_TCK")


class Gone(Exception):
    """The server ended, or said nothing in time."""


class Server:
    """A program that has been started and has shaken hands."""

    def __init__(self, command):
        self.began = time.perf_counter()
        self.program = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True)
        self.rest, self.lines, self.last = b"", [], 0
        begun = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                        "clientInfo": {"name": "measure", "version": "1"}})
        self.read(begun, 60)
        self.write({"method": "notifications/initialized"})

    def write(self, message):
        try:
            self.program.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        except BrokenPipeError as error:
            raise Gone from error

    def ask(self, method, params):
        self.last += 1
        self.write({"id": self.last, "method": method, "params": params})
        return self.last

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, seconds):
        """The next answer; None if there is none in time."""
        end = time.perf_counter() + seconds
        while True:
            while self.lines:
                message = json.loads(self.lines.pop(0))
                if "id" in message and "method" not in message:
                    return message
            left = end - time.perf_counter()
            if left <= 0 or not select.select([self.program.stdout], [], [], left)[0]:
                return None
            read = os.read(self.program.stdout.fileno(), 1 << 16)
            if not read:
                raise Gone
            *lines, self.rest = (self.rest + read).split(b"\n")
            self.lines += [line for line in lines if line]

    def read(self, identifier, seconds=30):
        answer = self.answer(seconds)
        if answer is None or answer["id"] != identifier:
            raise Gone
        return answer

    def echo(self, seconds=30):
        answer = self.read(self.call("echo", text="hello"), seconds)
        if answer["result"].get("isError") or answer["result"]["content"][0]["text"] != "hello":
            raise RuntimeError(f"not an echo: {answer}")

    def processes(self):
        found, todo = [], [self.program.pid]
        while todo:
            process = todo.pop()
            found.append(process)
            try:
                for task in os.listdir(f"/proc/{process}/task"):
                    with open(f"/proc/{process}/task/{task}/children") as children:
                        todo += map(int, children.read().split())
            except OSError:
                pass
        return found

    def cpu(self):
        """Seconds of CPU time."""
        def of(process):
            with open(f"/proc/{process}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / TICK
        return sum(map(of, self.processes()))

    def memory(self):
        """Bytes that are resident."""
        def of(process):
            try:
                with open(f"/proc/{process}/statm") as statm:
                    return int(statm.read().split()[1]) * resource.getpagesize()
            except (OSError, IndexError):
                return 0
        return sum(map(of, self.processes()))

    def end(self):
        try:
            self.program.stdin.close()
            self.program.wait(1)
        except (OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.program.pid, signal.SIGKILL)
        except OSError:
            pass
        self.program.wait()
        self.program.stdout.close()


def start(command):
    """Milliseconds from the start of the program to its first echo."""
    server = Server(command)
    server.echo()
    took = time.perf_counter() - server.began
    server.end()
    return took * 1e3


def timed(server, calls):
    """The duration of each of so many echoes, in microseconds, sorted."""
    durations = []
    for _ in range(calls):
        begun = time.perf_counter()
        server.echo()
        durations.append((time.perf_counter() - begun) * 1e6)
    return sorted(durations)


def at_once(server, calls):
    """Echoes in a second, with several on their way."""
    begun = time.perf_counter()
    for _ in range(AT_ONCE):
        server.call("echo", text="hello")
    for done in range(calls):
        if server.answer(30) is None:
            raise Gone
        if done + AT_ONCE < calls:
            server.call("echo", text="hello")
    return calls / (time.perf_counter() - begun)


def measured(command):
    """One round."""
    figures = {"start": statistics.median(start(command) for _ in range(STARTS))}
    server = Server(command)
    timed(server, CALLS // 10)
    before = server.cpu()
    durations = timed(server, CALLS)
    figures["cpu"] = (server.cpu() - before) / CALLS * 1e6
    figures["p50"], figures["p99"] = durations[CALLS // 2], durations[CALLS * 99 // 100]
    figures["at_once"] = at_once(server, CALLS)
    figures["memory"] = server.memory() / (1 << 20)
    server.end()
    return figures


def fault(command, tool):
    """What becomes of a call that goes wrong, and of those beside it, in words."""
    server = Server(command)
    normal = timed(server, 500)
    begun, peak, answered, neighbours = time.perf_counter(), 0, "", []
    wrong, beside, asked = server.call(tool), None, 0.0
    try:
        while not answered and time.perf_counter() - begun < FAULT_SECONDS:
            if beside is None:
                beside, asked = server.call("echo", text="hello"), time.perf_counter()
            answer = server.answer(0.01)
            peak = max(peak, server.memory())
            if peak > FAULT_BYTES:
                answered = "takes more than 2 GiB, ended from outside"
            if answer is None:
                continue
            took = time.perf_counter()
            if answer["id"] == beside:
                neighbours.append((took - asked) * 1e6)
                beside = None
            elif answer["id"] == wrong:
                error = "error" in answer or answer["result"].get("isError")
                answered = f"{'error' if error else 'answer'} after {took - begun:.2f} s"
        answered = answered or f"none in {FAULT_SECONDS} s"
        after = "ended" if peak > FAULT_BYTES else "answers"
        if after == "answers":
            if beside is not None and server.answer(1) is None:
                after = "does not answer"
            else:
                server.echo(1)
    except Gone:
        answered, after = answered or "none", "does not answer"
        if server.program.poll() is not None or not answered.startswith("none in"):
            answered, after = "none: the server is gone", "is gone"
    server.end()
    neighbours.sort()
    beside = "none answered"
    if neighbours:
        p99 = neighbours[len(neighbours) * 99 // 100]
        beside = f"{len(neighbours)} answered, p99 {p99:,.0f} µs ({normal[495]:,.0f} alone)"
    return answered, beside, after, f"{peak >> 20}"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def main():
    servers = [argument.split("=", 1) for argument in sys.argv[1:]]
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}, medians of {ROUNDS} rounds of {CALLS} calls.\n")
    first = {name: start(command) for name, command in servers}
    rounds = [{name: measured(command) for name, command in servers} for _ in range(ROUNDS)]
    columns = ["start", "p50", "p99", "cpu", "at_once", "memory"]

    def median(name, column):
        return statistics.median(figures[name][column] for figures in rounds)

    def cell(name, column):
        value, base = median(name, column), median(servers[0][0], column)
        ratio = f" ({value / base:.2f}×)" if name != servers[0][0] and base else ""
        return f"{value:,.0f}{ratio}"

    table(["server", "first start ms", "start to first answer ms", "p50 µs", "p99 µs",
           "CPU µs a call", f"{AT_ONCE} at once, calls/s", "resident MiB"],
          [[name, f"{first[name]:,.0f}", *(cell(name, column) for column in columns)]
           for name, _ in servers])
    table(["server", "tool", "its answer", "calls beside it", "afterwards", "peak MiB"],
          [[name, f"`{tool}`", *fault(command, tool)]
           for tool in ("crash", "take_memory", "run_forever") for name, command in servers])


main()
