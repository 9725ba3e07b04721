"""From prompt text to token ids and back: one BOS, room for the answer, the stop token trimmed and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faircall.errors import EvaluationError, InvariantViolation
from faircall.records import Generation, Prompt


@dataclass(frozen=True, slots=True)
class Answer:
    """What the new tokens say. `new_tokens` counts the stop token, because it was generated too."""

    raw_text: str
    finish_reason: str
    stop_token: str | None
    new_tokens: int


def encode_prompt(tokenizer: Any, prompt: Prompt) -> list[int]:
    """Token ids of the stored prompt text. The template wrote the special tokens, so none are added.

    Raises:
        InvariantViolation: the tokenizer starts texts with a BOS and the prompt has not exactly one there.
    """
    ids: list[int] = tokenizer(prompt.prompt_text, add_special_tokens=False)["input_ids"]
    _require_one_bos(ids, tokenizer, prompt.example_id)
    return ids


def adds_bos(tokenizer: Any) -> bool:
    """Whether the tokenizer itself would put a BOS before a text."""
    if tokenizer.bos_token_id is None:
        return False
    return bool(tokenizer("x", add_special_tokens=True)["input_ids"][:1] == [tokenizer.bos_token_id])


def _require_one_bos(ids: Sequence[int], tokenizer: Any, example_id: str) -> None:
    bos = tokenizer.bos_token_id
    if bos is None or not (adds_bos(tokenizer) or list(ids[:2]) == [bos, bos]):
        return
    leading = next((place for place, number in enumerate(ids) if number != bos), len(ids))
    if leading != 1:
        raise InvariantViolation(
            f"prompt of {example_id} starts with {leading} BOS tokens ({tokenizer.bos_token}), not with one",
            hint="rebuild the prompts with: faircall format build",
        )


def require_room(lengths: Sequence[tuple[str, int]], *, max_new_tokens: int, context: int | None) -> None:
    """Refuse prompts whose answer could not be generated in full.

    Args:
        lengths: example id and number of prompt tokens, per prompt.
        max_new_tokens: room that every answer may take.
        context: positions that the model has; None when it states none.

    Raises:
        EvaluationError: names the longest prompt.
    """
    if context is None or not lengths:
        return
    example_id, longest = max(lengths, key=lambda pair: pair[1])
    if longest + max_new_tokens > context:
        raise EvaluationError(
            f"example {example_id}: {longest} prompt tokens and eval.max_new_tokens {max_new_tokens} "
            f"do not fit into the model's context of {context}",
            hint="lower eval.max_new_tokens or drop long rows with data.max_query_chars",
        )


def cut_at_end(new_ids: Sequence[int], *, eos_ids: Sequence[int]) -> list[int]:
    """The tokens up to the first end token, that one included: what follows it in a batch is padding.

    >>> cut_at_end([5, 6, 2, 2, 2], eos_ids=[2]), cut_at_end([5, 6], eos_ids=[2])
    ([5, 6, 2], [5, 6])
    """
    ends = [place for place, number in enumerate(new_ids) if number in eos_ids]
    return list(new_ids[: ends[0] + 1]) if ends else list(new_ids)


def read_answer(tokenizer: Any, new_ids: Sequence[int], *, eos_ids: Sequence[int]) -> Answer:
    """Text of the new tokens with special tokens kept; only a final end token is trimmed, and named."""
    stopped = bool(new_ids) and new_ids[-1] in eos_ids
    kept = new_ids[:-1] if stopped else new_ids
    text = tokenizer.decode(list(kept), skip_special_tokens=False, clean_up_tokenization_spaces=False)
    stop_token = tokenizer.convert_ids_to_tokens(new_ids[-1]) if stopped else None
    return Answer(text, "stop" if stopped else "length", stop_token, len(new_ids))


def take_apart(tokenizer: Any, generation: Generation) -> list[tuple[int, str]]:
    """Ids and texts of an answer's tokens, by taking its text apart again; the stop token is the last."""
    ids: list[int] = tokenizer(generation.raw_text, add_special_tokens=False)["input_ids"]
    if generation.stop_token is not None:
        ids = [*ids, tokenizer.convert_tokens_to_ids(generation.stop_token)]
    return [(number, tokenizer.decode([number])) for number in ids]


def answered(
    prompt: Prompt, answer: Answer, *, prompt_tokens: int, decoding: Mapping[str, Any]
) -> Generation:
    """The record of an answer to a prompt."""
    return Generation(
        prompt.example_id,
        answer.raw_text,
        language=prompt.language,
        prompt_sha256=prompt.prompt_sha256,
        decoding=dict(decoding),
        finish_reason=answer.finish_reason,
        stop_token=answer.stop_token,
        prompt_tokens=prompt_tokens,
        new_tokens=answer.new_tokens,
    )


def failed(prompt: Prompt, reason: str, *, prompt_tokens: int, decoding: Mapping[str, Any]) -> Generation:
    """The record of a prompt that the engine did not answer."""
    return Generation(
        prompt.example_id,
        "",
        language=prompt.language,
        prompt_sha256=prompt.prompt_sha256,
        decoding=dict(decoding),
        prompt_tokens=prompt_tokens,
        failure=reason,
    )
