"""The backend `vllm`: vLLM's offline engine in this process."""
