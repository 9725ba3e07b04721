"""Stage 3: prompts become generations. The only folder that runs models or opens sockets.

prompts --> a backend --> answered one by one, in batches, in flight or by workers --> journal --> telemetry

`backend` is the seam; behind it stand `replay`, `hugging_face/`, `vllm/` and `servers/`.
`answering` picks the way: `sequential`, `batched_run`, `concurrent_run`, or `workers/` for many processes.
`repeating/` asks again.
"""
