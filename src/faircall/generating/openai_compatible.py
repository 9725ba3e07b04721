"""The `openai` backend: any server that speaks `/v1/chat/completions` or `/v1/completions`."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.credentials import MASK, redact
from faircall.errors import EnvironmentProblem, EvaluationError, UsageError
from faircall.generating.backend import BackendRequest, Description
from faircall.generating.http_client import Dropped, HttpAnswer, HttpClient
from faircall.generating.openai_protocol import (
    ServerAnswer,
    decode_body,
    decoding_fields,
    read_answer,
    request_body,
    require_unparsed,
    show_body,
)
from faircall.generating.rate_limits import Pace
from faircall.generating.retries import GivenUp, Transient, call_patiently, parse_retry_after
from faircall.generating.server_settings import PATHS, ServerSettings
from faircall.generating.sources import describe_adapter
from faircall.records import Generation, Prompt

GIVE_UP_AFTER: Final = 20
"""So many finally failed requests in a row, and the run stops: that is no fault of single prompts."""

_CHARACTERS_PER_TOKEN: Final = 4  # a first guess; every answer's own count corrects it
_PASSING: Final = frozenset((408, 409, 425, 429))
_CONFIGURED: Final = frozenset((401, 403, 404, 405))


def open_openai(request: BackendRequest) -> OpenAiBackend:
    """Ask the server what it serves; nothing is generated yet.

    Raises:
        UsageError: no server is named.
        EnvironmentProblem: the server cannot be reached, or refuses the key.
        EvaluationError: the server does not list the model.
    """
    settings = request.options.get("server")
    if not isinstance(settings, ServerSettings):
        raise UsageError("which server?", hint="give --base-url URL, or server.base_url in the config")
    backend = OpenAiBackend(request, settings)
    backend.find_model()
    return backend


class OpenAiBackend:
    """One model on one server; `generate` may be called from any number of threads."""

    def __init__(
        self,
        request: BackendRequest,
        settings: ServerSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """Prepare the connection. Clock, sleep and randomness are parameters, so that tests never wait."""
        self._request = request
        self._settings = settings
        self._key = settings.api_key()
        self._stopping = threading.Event()
        self._clock, self._sleep, self._draw = clock, sleep or self._wait, draw
        self._client = HttpClient(settings.base_url, headers=_headers(self._key))
        self._requests = Pace(settings.requests_per_minute, clock=clock, sleep=self._sleep)
        self._tokens = Pace(settings.tokens_per_minute, clock=clock, sleep=self._sleep)
        self._failed_in_a_row = 0
        self._server: str | None = None
        self._listed: Mapping[str, Any] = {}

    @property
    def in_flight(self) -> int:
        """How many requests may be under way at a time."""
        return self._settings.in_flight

    def describe(self) -> Description:
        """What the user stated of the model, and what was sent; what only the server knows stays unknown."""
        settings = self._settings
        label, source = describe_adapter(self._request.adapter)
        return {
            "model": self._model(),
            "adapter": {"source": label},
            "decoding": self._request.decoding.to_dict(),
            "backend": {
                "engine": "openai",
                "endpoint": settings.endpoint,
                "version": self._server,
                "device": "server",
                "batch_plan": f"served, up to {settings.in_flight} requests in flight",
                "sent": decoding_fields(settings, self._request.decoding.max_new_tokens),
            },
            "source": {
                "adapter": source,
                "base_url": settings.base_url,
                "served_model": settings.model,
                "answers_as": settings.expected_name,
                "listed": dict(self._listed),
            },
        }

    def _model(self) -> dict[str, Any]:
        model, stated = self._request.model, self._settings.stated
        revision = model.tokenizer_revision or model.base_model_revision
        return {
            "base_model_id": model.base_model_id,
            "base_model_revision": model.base_model_revision,
            "tokenizer_revision": revision,
            "dtype": model.dtype if "dtype" in stated else None,
            "quantization": (model.quantization or "none") if "quantization" in stated else None,
            "trust_remote_code": False,
        }

    def find_model(self) -> None:
        """Read the server's model list and find the arm's model in it.

        Raises:
            EnvironmentProblem: the server cannot be reached, or refuses the key.
            EvaluationError: it has no such list, or the list lacks the model, and the list is required.
        """
        try:
            answer = self._patiently("GET", "/models", None)
        except (GivenUp, _Refused) as fault:
            if self._settings.model_list == "ignored" and isinstance(fault, _Refused):
                return
            raise EnvironmentProblem(
                f"the server gives no model list: {fault}",
                hint="check the base URL (with its /v1) and the key; or server.model_list: ignored",
            ) from None
        self._server = answer.headers.get("server")
        entries = _entries(answer.body)
        found = [entry for entry in entries if entry["id"] == self._settings.model]
        if not found and self._settings.model_list == "required":
            names = ", ".join(str(entry["id"]) for entry in entries[:8]) or "nothing"
            raise EvaluationError(
                f"the server does not serve {self._settings.model!r}; it lists {names}",
                hint="correct the served name (arms.<arm>.served_as), or server.model_list: ignored",
            )
        # `created` is the time of the request on some servers: only what identifies the model is kept
        self._listed = {name: found[0][name] for name in ("root", "parent") if found and name in found[0]}

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Every prompt has the form that the endpoint takes."""
        for prompt in prompts:
            request_body(prompt, self._settings, self._request.decoding.max_new_tokens)

    def generate(self, prompt: Prompt) -> Generation:
        """Ask until there is an answer; what finally fails is a failed generation.

        Raises:
            EvaluationError: another model answered, or the call is where the reader cannot see it.
            EnvironmentProblem: the server refuses the key or the path, or failed on many prompts in a row.
        """
        body = request_body(prompt, self._settings, self._request.decoding.max_new_tokens)
        try:
            answer = self._ask(canonical_json(body).encode("ascii"))
        except (GivenUp, _Refused) as fault:
            return self._failed(prompt, self._clean(str(fault)))
        self._failed_in_a_row = 0
        self._require_model(answer, prompt.example_id)
        if not self._settings.takes_tool_calls:
            require_unparsed(answer, example_id=prompt.example_id)
        return Generation(
            prompt.example_id,
            answer.raw_text,
            language=prompt.language,
            prompt_sha256=prompt.prompt_sha256,
            decoding=self._request.decoding.to_dict(),
            finish_reason=answer.finish_reason,
            prompt_tokens=answer.prompt_tokens,
            new_tokens=answer.new_tokens,
            message=answer.message,
        )

    def close(self) -> None:
        """Wake whoever waits, and hang up."""
        self._stopping.set()
        self._client.close()

    def _ask(self, body: bytes) -> ServerAnswer:
        guess = len(body) // _CHARACTERS_PER_TOKEN + self._request.decoding.max_new_tokens
        path, endpoint = PATHS[self._settings.endpoint], self._settings.endpoint

        def read(answer: HttpAnswer) -> ServerAnswer:
            found = read_answer(answer.body, endpoint)
            if found.prompt_tokens is not None and found.new_tokens is not None:
                self._tokens.correct(found.prompt_tokens + found.new_tokens - guess)
            return found

        return self._patiently("POST", path, body, read=read, tokens=guess)

    def _patiently(
        self, method: str, path: str, body: bytes | None, *, read: Any = lambda answer: answer, tokens: int = 0
    ) -> Any:
        def attempt(seconds: float) -> Any:
            if tokens:
                self._requests.take()
                self._tokens.take(tokens)
            try:
                answer = self._client.exchange(method, path, seconds=seconds, body=body)
            except Dropped as fault:
                raise Transient(str(fault)) from fault
            _require_success(answer)
            return read(answer)

        try:
            return call_patiently(
                attempt,
                policy=self._settings.retries,
                sleep=self._sleep,
                clock=self._clock,
                draw=self._draw,
            )
        except _Misconfigured as fault:
            if method == "GET":
                raise _Refused(str(fault)) from None
            raise EnvironmentProblem(
                f"the server refuses every request: {self._clean(str(fault))}",
                hint=f"check ${self._settings.api_key_env}, the base URL and the model's name; "
                "what was answered is kept",
            ) from None

    def _require_model(self, answer: ServerAnswer, example_id: str) -> None:
        expected = self._settings.expected_name
        if answer.model != expected:
            raise EvaluationError(
                f"{example_id}: {self._settings.model!r} was asked and {answer.model!r} answered, "
                f"where {expected!r} was expected",
                hint="correct the server, or say in arms.<arm>.answers_as what name its answers carry",
            )

    def _failed(self, prompt: Prompt, reason: str) -> Generation:
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= GIVE_UP_AFTER:
            raise EnvironmentProblem(
                f"the server failed on {GIVE_UP_AFTER} prompts in a row, last: {reason}",
                hint="what was answered is kept; the same command goes on from there",
            )
        return Generation(
            prompt.example_id,
            "",
            language=prompt.language,
            prompt_sha256=prompt.prompt_sha256,
            decoding=self._request.decoding.to_dict(),
            failure=reason,
        )

    def _clean(self, text: str) -> str:
        """A server may repeat the key in its complaint; no artifact may."""
        return redact(text.replace(self._key, MASK) if self._key else text)

    def _wait(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise GivenUp("the run was stopped")


class _Refused(Exception):
    """The server will not answer this request, however often it is asked."""


class _Misconfigured(_Refused):
    """The server will not answer any request: key, path or model name."""


def _require_success(answer: HttpAnswer) -> None:
    status = answer.status
    if 200 <= status < 300:
        return
    reason = f"status {status}: {show_body(answer.body)}"
    if status in _PASSING or status >= 500:
        wait = parse_retry_after(answer.headers.get("retry-after"), now=time.time())
        raise Transient(reason, retry_after=wait)
    raise (_Misconfigured if status in _CONFIGURED else _Refused)(reason)


def _headers(key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "faircall"}
    return headers if key is None else {**headers, "Authorization": f"Bearer {key}"}


def _entries(body: bytes) -> list[Mapping[str, Any]]:
    """The entries of a model list that have a name."""
    value = decode_body(body)
    listed = value.get("data") if isinstance(value, Mapping) else None
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)]
