"""Requests per second of the openai backend, journal on, 64 in flight, against a server that answers at once.

Prints the rate of faircall beside a bare pool of threads on http.client, and beside inspect_ai where
`--inspect PYTHON` names an interpreter that has it (inspect-ai and openai). Ratios mean more than rates: the
server runs on the same cores.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faircall.canonical import canonical_json
from faircall.digest import sha256_text
from faircall.generating.answering import answer_prompts
from faircall.generating.backend import BACKENDS, BackendRequest, Decoding, ModelSettings
from faircall.generating.journal import open_journal
from faircall.generating.servers.server_settings import ServerSettings
from faircall.records import Prompt

IN_FLIGHT = 64
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
SERVER = """
import asyncio, json

def answer(body):
    return json.dumps(body).encode()

CALL = {"role": "assistant", "content": '{"name": "f", "arguments": {}}'}
CHAT = answer({"id": "x", "object": "chat.completion", "created": 1, "model": "m",
               "choices": [{"index": 0, "message": CALL, "finish_reason": "stop"}],
               "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}})
LIST = answer({"object": "list", "data": [{"id": "m", "object": "model"}]})

class Instant(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.waiting = transport, b""

    def data_received(self, data):
        self.waiting += data
        while (end := self.waiting.find(b"\\r\\n\\r\\n")) >= 0:
            head = self.waiting[:end].lower()
            at = head.find(b"content-length:")
            size = int(head[at + 15 :].split(b"\\r\\n")[0]) if at >= 0 else 0
            if len(self.waiting) < end + 4 + size:
                return
            self.waiting = self.waiting[end + 4 + size :]
            body = LIST if head.startswith(b"get") else CHAT
            self.transport.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: "
                                 + str(len(body)).encode() + b"\\r\\n\\r\\n" + body)

async def main():
    server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""
INSPECT = """
import sys, tempfile, time
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.solver import generate

url, count, in_flight = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
samples = [Sample(input=f"Question {n} " + "x" * 600, id=str(n)) for n in range(count)]
model = get_model("openai-api/bench/m", base_url=url, api_key="none")
task = Task(dataset=MemoryDataset(samples), solver=generate())
with tempfile.TemporaryDirectory() as folder:
    started = time.perf_counter()
    (log,) = eval(task, model=model, display="none", max_connections=in_flight, max_samples=in_flight,
                  temperature=0.0, max_tokens=64, log_dir=folder, score=False)
    seconds = time.perf_counter() - started
    assert log.status == "success" and len(log.samples) == count, log.status
    print(count / seconds)
"""


def make_prompts(count):
    for number in range(count):
        messages = [{"role": "user", "content": f"Question {number} " + "x" * 600}]
        text = canonical_json({"messages": messages, "tools": TOOLS})
        yield Prompt(str(number), "all", None, text, "", sha256_text(text), "m", "t", ())


def measure_faircall(port, count):
    settings = ServerSettings(f"http://127.0.0.1:{port}/v1", "m", in_flight=IN_FLIGHT)
    request = BackendRequest(ModelSettings("m"), Decoding(64), options={"server": settings})
    prompts = list(make_prompts(count))
    backend = BACKENDS.get("openai")(request)
    with tempfile.TemporaryDirectory() as folder, open_journal(Path(folder) / "j", {"a": 1}) as journal:
        started = time.perf_counter()
        run = answer_prompts(backend, {"all": prompts}, journal=journal, clock=time.monotonic_ns)
        seconds = time.perf_counter() - started
    backend.close()
    assert not any(entry.generation.failure for entry in run.entries)
    return count / seconds


def measure_bare(port, count):
    local = threading.local()
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 620}]})

    def ask(_):
        if not hasattr(local, "connection"):
            local.connection = http.client.HTTPConnection("127.0.0.1", port)
        local.connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        return json.loads(local.connection.getresponse().read())

    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        started = time.perf_counter()
        list(pool.map(ask, range(count)))
        return count / (time.perf_counter() - started)


def measure_inspect(python, port, count):
    command = [python, "-c", INSPECT, f"http://127.0.0.1:{port}/v1", str(count), str(IN_FLIGHT)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--requests", type=int, default=3000)
    arguments.add_argument("--inspect", metavar="PYTHON", help="an interpreter with inspect-ai and openai")
    given = arguments.parse_args()
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        bare = measure_bare(port, given.requests)
        ours = measure_faircall(port, given.requests)
        print(f"bare threads on http.client  {bare:8.0f} requests/s")
        print(f"faircall, journal on         {ours:8.0f} requests/s   {ours / bare:.2f} of bare")
        if given.inspect:
            theirs = measure_inspect(given.inspect, port, max(200, given.requests // 10))
            print(f"inspect_ai                   {theirs:8.0f} requests/s, 1/{ours / theirs:.1f} of that")
    finally:
        server.kill()
        server.communicate()


if __name__ == "__main__":
    main()
