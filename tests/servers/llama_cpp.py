"""The llama.cpp server on loopback with the demo's GGUF.

Run as a script it prints its address and ends with its input.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator

NAME = "smollm2"


@contextlib.contextmanager
def serve(port: int = 0) -> Iterator[str]:
    """The base URL of a server in a process of its own, which serves the model as `NAME`."""
    process = subprocess.Popen(
        [sys.executable, __file__, NAME, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process.stdout.readline().strip() + "/v1"
    finally:
        process.kill()
        process.communicate()


def start(name, port):
    import xllamacpp

    from faircall.generating.hugging_face.embedded_model import find_gguf

    options = xllamacpp.CommonParams()
    options.model.path = str(find_gguf())
    options.model_alias = {name}
    options.hostnames, options.port = ["127.0.0.1"], port
    options.n_ctx, options.n_parallel = 4096, 2
    options.cpuparams.n_threads = 1
    options.warmup = False
    return xllamacpp.Server(options)


if __name__ == "__main__":
    server = start(sys.argv[1], int(sys.argv[2]))
    print(server.listening_address, flush=True)
    sys.stdin.read()
