"""The `openai` backend: any server that speaks `/v1/chat/completions` or `/v1/completions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from faircall.canonical import canonical_json
from faircall.errors import EnvironmentProblem, EvaluationError, UsageError
from faircall.generating.backend import Backend, BackendRequest, Description
from faircall.generating.servers.openai_protocol import (
    ServerAnswer,
    decoding_fields,
    read_answer,
    request_body,
    require_unparsed,
)
from faircall.generating.servers.retries import GivenUp
from faircall.generating.servers.server_connection import ModelList, Refused, ServerConnection
from faircall.generating.servers.server_settings import PATHS, ServerSettings
from faircall.generating.sources import describe_adapter, source_name
from faircall.records import Generation, Prompt

GIVE_UP_AFTER: Final = 20
"""So many finally failed requests in a row, and the run stops: that is no fault of single prompts."""

_BYTES_PER_TOKEN: Final = 4  # a first guess; every answer's own count corrects it
_SHOWN: Final = 8  # model names that a refusal lists


def open_openai(request: BackendRequest) -> Backend:
    """Ask the server, or every server of a pool, what it serves; nothing is generated yet.

    Raises:
        UsageError: no server is named.
        EnvironmentProblem: the server cannot be reached, or refuses the key.
        EvaluationError: the server does not list the model.
    """
    settings = request.options.get("server")
    if not isinstance(settings, ServerSettings):
        raise UsageError("which server?", hint="give --base-url URL, or server.base_url in the config")
    if settings.mirrors:
        from faircall.generating.servers.server_pool import open_server_pool

        return open_server_pool(request, settings, open_one=_open_one)
    return _open_one(request, settings)


def _open_one(request: BackendRequest, settings: ServerSettings) -> OpenAiBackend:
    connection = ServerConnection(settings)
    try:
        return OpenAiBackend(
            request, settings, connection=connection, models=find_model(connection, settings)
        )
    except BaseException:
        connection.close()
        raise


def find_model(connection: ServerConnection, settings: ServerSettings) -> ModelList:
    """The server's model list, cut down to the arm's model.

    Raises:
        EnvironmentProblem: the server cannot be reached, or shows no list, which is required.
        EvaluationError: the list lacks the model, and is required.
    """
    required = settings.model_list == "required"
    try:
        models = connection.list_models()
    except (GivenUp, Refused) as fault:
        if isinstance(fault, Refused) and not required:
            return ModelList((), None)
        raise EnvironmentProblem(
            f"{settings.base_url}: the server gives no model list: {connection.clean(str(fault))}",
            hint="check the base URL (with its /v1) and the key; or server.model_list: ignored",
        ) from None
    found = [entry for entry in models.entries if entry["id"] == settings.model]
    if not found and required:
        names = ", ".join(str(entry["id"]) for entry in models.entries[:_SHOWN]) or "nothing"
        raise EvaluationError(
            f"{settings.base_url}: the server does not serve {settings.model!r}; it lists {names}",
            hint="correct the served name (arms.<arm>.served_as), or server.model_list: ignored",
        )
    return ModelList(found, models.server)


class OpenAiBackend:
    """One model on one server; `generate` may be called from any number of threads."""

    def __init__(
        self,
        request: BackendRequest,
        settings: ServerSettings,
        *,
        connection: ServerConnection,
        models: ModelList,
    ) -> None:
        """Take the connection and what the server lists of the model."""
        self._request = request
        self._settings = settings
        self._connection = connection
        self._models = models
        self._failed_in_a_row = 0

    @property
    def in_flight(self) -> int:
        """How many requests may be under way at a time."""
        return self._settings.in_flight

    def describe(self) -> Description:
        """What the user stated of the model, and what was sent; what only the server knows stays unknown."""
        settings = self._settings
        label, adapter = describe_adapter(self._request.adapter)
        return {
            "model": self._model(),
            "adapter": {"source": label},
            "decoding": self._request.decoding.to_dict(),
            "backend": {
                "engine": "openai",
                "server": self._models.server,
                "version": None,
                "device": "server",
                "batch_plan": f"served, up to {settings.in_flight} requests in flight",
                "endpoint": settings.endpoint,
                "sent": decoding_fields(settings, self._request.decoding),
            },
            "source": {
                "adapter": adapter,
                "base_url": settings.base_url,
                "served_as": settings.model,
                "answers_as": settings.expected_name,
                "listed": self._listed(),
            },
        }

    def _model(self) -> dict[str, Any]:
        model, stated = self._request.model, self._settings.stated
        return {
            "base_model_id": source_name(model.base_model_id),
            "base_model_revision": model.base_model_revision,
            "tokenizer_revision": model.tokenizer_revision or model.base_model_revision,
            "dtype": model.dtype if "dtype" in stated else None,
            "quantization": (model.quantization or "none") if "quantization" in stated else None,
        }

    def _listed(self) -> dict[str, Any]:
        """What identifies the model in the list; `created` is the time of the request on some servers."""
        entry: Mapping[str, Any] = next(iter(self._models.entries), {})
        return {name: entry[name] for name in ("root", "parent", "meta") if name in entry}

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Every prompt has the form that the endpoint takes."""
        for prompt in prompts:
            self._body(prompt)

    def generate(self, prompt: Prompt) -> Generation:
        """Ask until there is an answer; what finally fails is a failed generation.

        Raises:
            EvaluationError: another model answered, or the call is where the reader cannot see it.
            EnvironmentProblem: the server refuses every request, or failed on many prompts in a row.
        """
        try:
            answer = self._ask(self._body(prompt))
        except (GivenUp, Refused) as fault:
            return self._failed(prompt, self._connection.clean(str(fault)))
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
        self._connection.close()

    def _body(self, prompt: Prompt) -> bytes:
        body = request_body(prompt, self._settings, self._request.decoding)
        return canonical_json(body).encode("ascii")

    def _ask(self, body: bytes) -> ServerAnswer:
        endpoint = self._settings.endpoint
        guess = len(body) // _BYTES_PER_TOKEN + self._request.decoding.max_new_tokens
        answer = self._connection.ask(
            PATHS[endpoint], body, read=lambda given: read_answer(given, endpoint), tokens=guess
        )
        if answer.prompt_tokens is not None and answer.new_tokens is not None:
            self._connection.correct_tokens(answer.prompt_tokens + answer.new_tokens - guess)
        return answer

    def _require_model(self, answer: ServerAnswer, example_id: str) -> None:
        expected = self._settings.expected_name
        if answer.model != expected:
            raise EvaluationError(
                f"{example_id}: {self._settings.model!r} was asked and {answer.model!r} answered, "
                f"where {expected!r} was expected ({self._settings.base_url})",
                hint="correct the server, or say in arms.<arm>.answers_as what name its answers carry",
            )

    def _failed(self, prompt: Prompt, reason: str) -> Generation:
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= GIVE_UP_AFTER:
            raise EnvironmentProblem(
                f"{self._settings.base_url}: the server failed on {GIVE_UP_AFTER} prompts in a row, "
                f"last: {reason}",
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
