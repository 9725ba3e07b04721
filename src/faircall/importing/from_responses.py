"""OpenAI Responses: logs of request and response (answers), and bare function_call items (gold)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faircall.importing.calls import make_call, read_arguments
from faircall.importing.foreign import (
    Fault,
    Importer,
    decoded_if_text,
    identifier,
    last_query,
    list_or_empty,
    mapping_or_empty,
)
from faircall.importing.reasons import Reason


def recognises_log(value: Any) -> bool:
    """A response with an output list, alone or beside its request."""
    return isinstance(value, Mapping) and isinstance(_response_of(value).get("output"), list)


def read_log(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The answer of one exchange: its output items, kept whole."""
    response = _response_of(value)
    request = mapping_or_empty(decoded_if_text(value.get("request"), what="request")) or value
    asked = request.get("input")
    messages = asked if isinstance(asked, list) else [{"role": "user", "content": asked}] if asked else None
    own = response is value
    yield {
        "id": identifier(value, ("custom_id", "example_id") if own else ("custom_id", "id", "example_id")),
        "message": {"output": response["output"], "content": _text_of(response["output"])},
        "finish_reason": response.get("status"),
        "model": response.get("model"),
        "messages": messages,
        "query": last_query(messages),
        "tools": request.get("tools") or None,
        "gold": value.get("gold"),
        "language": value.get("language"),
    }


def recognises_items(value: Any) -> bool:
    """A function_call item, a list with one, or a record that holds either under `items`."""
    return any(item.get("type") == "function_call" for item in _items_of(value))


def read_items(value: Any) -> Iterator[Mapping[str, Any]]:
    """The one function_call as gold; an item and a list of it are the same."""
    calls = [item for item in _items_of(value) if item.get("type") == "function_call"]
    if len(calls) != 1:
        raise Fault((Reason.MULTI_CALL if calls else Reason.NO_CALL).value)
    arguments = read_arguments(calls[0].get("arguments"), may_be_text=True)
    call = make_call(calls[0].get("name"), arguments)
    yield {"id": _record_id(value), "gold": call.to_dict()}


def _record_id(value: Any) -> str | None:
    """An id of the record; that of a bare item names the item, and differs from answer to answer."""
    if not isinstance(value, Mapping):
        return None
    return identifier(
        value, ("example_id", "custom_id") if value.get("type") else ("example_id", "custom_id", "id")
    )


def _items_of(value: Any) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        value = value["items"] if isinstance(value.get("items"), list) else [value]
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _response_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    if "output" in value:
        return value
    response = mapping_or_empty(value.get("response"))
    return mapping_or_empty(response.get("body")) or response


def _text_of(items: list[Any]) -> str:
    """The text that came with the calls, so that text readers see what a person would."""
    parts = [part for item in items for part in list_or_empty(mapping_or_empty(item).get("content"))]
    texts = [mapping_or_empty(part).get("text") for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


LOG: Final = Importer(
    name="openai_responses",
    summary="Responses API responses, with or without their requests (answers)",
    recognises=recognises_log,
    read=read_log,
    reader="openai_responses.native.v1",
)
ITEMS: Final = Importer(
    name="openai_items",
    summary="bare function_call items of the Responses API (gold)",
    recognises=recognises_items,
    read=read_items,
)
