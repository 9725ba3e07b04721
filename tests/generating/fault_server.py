"""A server on loopback that answers as it is told: well, late, partly, wrongly, or not at all."""

import json
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALL = '{"name": "f", "arguments": {"x": 1}}'
PAGE = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


def chat(text=CALL, *, model="m", finish_reason="stop", **message):
    """A whole answer of /chat/completions."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    }
    return Reply(body=json.dumps(body).encode())


def completion(text=CALL, *, model="m"):
    """A whole answer of /completions."""
    choice = {"index": 0, "text": text, "finish_reason": "length", "logprobs": None}
    return Reply(body=json.dumps({"object": "text_completion", "model": model, "choices": [choice]}).encode())


class Reply:
    """What goes over the wire. `kind`: whole, half, reset, endless, or late (after so many seconds)."""

    def __init__(self, *, status=200, body=b"", headers=None, kind="whole", seconds=0.0):
        self.status, self.body, self.headers, self.kind, self.seconds = (
            status,
            body,
            headers or {},
            kind,
            seconds,
        )


def fault(status, message="no", **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=json.dumps({"error": {"message": message}}).encode(), headers=names)


class FaultServer:
    """Takes replies from `script` first, then asks `default(body)`; keeps what it was asked in `asked`."""

    def __init__(self, default=lambda body: chat(), models=("m",)):
        self.default, self.script, self.asked, self.seen_headers = default, deque(), [], []
        self.models = models
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.running = self.most_at_once = 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            server_version, sys_version = "faulty", ""

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                if owner.models is None:
                    owner.send(self, fault(404, "no list"))
                else:
                    body = json.dumps(
                        {"data": [{"id": name, "created": time.time()} for name in owner.models]}
                    )
                    owner.send(self, Reply(body=body.encode()))

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with owner.lock:
                    owner.asked.append((self.path, body))
                    owner.seen_headers.append(dict(self.headers))
                    reply = owner.script.popleft() if owner.script else owner.default(body)
                    owner.running += 1
                    owner.most_at_once = max(owner.most_at_once, owner.running)
                try:
                    owner.send(self, reply)
                finally:
                    with owner.lock:
                        owner.running -= 1

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, address):
                pass

        self.http = Server(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def send(self, handler, reply):
        if reply.kind == "reset":
            handler.connection.close()
            handler.close_connection = True
            return
        if reply.kind == "late":
            self.stopping.wait(reply.seconds)
        handler.send_response(reply.status)
        handler.send_header("Content-Type", "application/json")
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        if reply.kind == "endless":
            handler.send_header("Connection", "close")
            handler.end_headers()
            while not self.stopping.wait(0.01):
                handler.wfile.write(b" ")
            return
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        cut = len(reply.body) // 2 if reply.kind == "half" else len(reply.body)
        handler.wfile.write(reply.body[:cut])
        if reply.kind == "half":
            handler.close_connection = True

    def close(self):
        self.stopping.set()
        self.http.shutdown()
        self.http.server_close()


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now, self.slept, self.lock = 0.0, [], threading.Lock()

    def clock(self):
        return self.now

    def sleep(self, seconds):
        with self.lock:
            self.slept.append(seconds)
            self.now += seconds
