"""Run the llama.cpp server on loopback with the demo's GGUF; prints its address and ends with its input."""

import sys

import xllamacpp

from faircall.generating.hugging_face.embedded_model import find_gguf


def start(name, port=0):
    options = xllamacpp.CommonParams()
    options.model.path = str(find_gguf())
    options.model_alias = {name}
    options.hostnames, options.port = ["127.0.0.1"], port
    options.n_ctx, options.n_parallel = 4096, 2
    options.cpuparams.n_threads = 1
    options.warmup = False
    return xllamacpp.Server(options)


if __name__ == "__main__":
    server = start(sys.argv[1], *map(int, sys.argv[2:]))
    print(server.listening_address, flush=True)
    sys.stdin.read()
