"""The `transformers` backend: one local model, with or without a LoRA adapter, sequential and greedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from faircall.generating.accelerator import accelerators_of
from faircall.generating.backend import BackendRequest, Decoding, Description
from faircall.generating.extras import load_library
from faircall.generating.hugging_face.adapters import AdaptedModel, attach_adapter
from faircall.generating.hugging_face.checkpoints import Checkpoint, load_checkpoint
from faircall.generating.hugging_face.tokens import (
    Answer,
    answered,
    cut_at_end,
    encode_prompt,
    failed,
    read_answer,
    require_room,
    take_apart,
)
from faircall.records import Generation, Prompt


def open_transformers(request: BackendRequest) -> TransformersBackend:
    """Load the model and its adapter, and fix everything that could change a token."""
    torch = load_library("torch", purpose="the transformers backend")
    torch.set_num_threads(request.threads)
    checkpoint = load_checkpoint(request.model)
    adapted = attach_adapter(checkpoint.model, request.adapter) if request.adapter else None
    return TransformersBackend(request, checkpoint, adapted)


def greedy_settings(decoding: Decoding, *, eos_ids: Sequence[int], pad_id: int | None) -> dict[str, Any]:
    """Every generation setting as it is sent, so that no default of a model or library can slip in.

    >>> greedy_settings(Decoding(max_new_tokens=8), eos_ids=[2], pad_id=None)["pad_token_id"]
    2
    """
    return {
        "do_sample": False,
        "num_beams": 1,
        "num_return_sequences": 1,
        "max_new_tokens": decoding.max_new_tokens,
        "min_new_tokens": None,
        "temperature": None,
        "top_k": None,
        "top_p": None,
        "repetition_penalty": 1.0,
        "length_penalty": 1.0,
        "no_repeat_ngram_size": 0,
        "use_cache": True,
        "eos_token_id": list(eos_ids) or None,
        "pad_token_id": pad_id if pad_id is not None else next(iter(eos_ids), 0),
    }


def generation_settings(decoding: Decoding, *, eos_ids: Sequence[int], pad_id: int | None) -> dict[str, Any]:
    """The settings of the declared protocol; top-k is off under sampling, because nothing declares it."""
    settings = greedy_settings(decoding, eos_ids=eos_ids, pad_id=pad_id)
    if decoding.sampling is None:
        return settings
    drawn = decoding.sampling
    return {
        **settings,
        "do_sample": True,
        "temperature": drawn.temperature,
        "top_p": drawn.top_p,
        "top_k": 0,
    }


class TransformersBackend:
    """A model in memory that answers one prompt at a time. The adapter, if any, stays unmerged."""

    def __init__(self, request: BackendRequest, checkpoint: Checkpoint, adapted: AdaptedModel | None) -> None:
        """Take the loaded parts; the model's own generation config is replaced by ours."""
        self._torch = load_library("torch", purpose="the transformers backend")
        self._transformers = load_library("transformers", purpose="the transformers backend")
        self._request = request
        self._checkpoint = checkpoint
        self._adapted = adapted
        self._model = adapted.model if adapted else checkpoint.model
        self._sent = generation_settings(
            request.decoding, eos_ids=checkpoint.eos_ids, pad_id=checkpoint.tokenizer.pad_token_id
        )
        self._config = self._fresh_config()
        self._accelerators = accelerators_of(self._torch, self._model)

    def _fresh_config(self) -> Any:
        """generate() merges the model's stored settings into whatever it is given, so those go as well."""
        config = self._transformers.GenerationConfig(**self._sent)
        for owner in (self._checkpoint.model, self._model):
            owner.generation_config = config
        return config

    def describe(self) -> Description:
        """The sections `model`, `adapter`, `decoding` and `backend` of the identity."""
        return {
            "model": self._checkpoint.facts,
            "adapter": self._adapted.describe() if self._adapted else {"source": "none"},
            "decoding": self._request.decoding.to_dict(),
            "backend": self._engine(),
            "source": {"adapter": self._adapted.source.to_dict() if self._adapted else None},
        }

    def _engine(self) -> dict[str, Any]:
        model = self._checkpoint.model
        return {
            "engine": "transformers",
            "version": f"transformers {self._transformers.__version__}, torch {self._torch.__version__}",
            "device": str(model.device),
            "threads": self._torch.get_num_threads(),
            "attention": getattr(model.config, "_attn_implementation", None),
            "batch_plan": self._batch_plan(),
            "sent": self._sent,
        }

    def _batch_plan(self) -> str:
        if self.batch_size == 1:
            return "sequential, batch of one"
        return f"batches of up to {self.batch_size}, prompts sorted by length, padded on the left"

    @property
    def synchronisation(self) -> str:
        """How the devices that hold the model are waited for."""
        return self._accelerators.synchronisation

    def synchronise(self) -> None:
        """Wait until they have done all work."""
        self._accelerators.synchronise()

    @property
    def batch_size(self) -> int:
        """How many prompts make a full batch."""
        return self._request.batch_size

    def prompt_length(self, prompt: Prompt) -> int:
        """Tokens of a prompt."""
        return len(encode_prompt(self._checkpoint.tokenizer, prompt))

    def generate_batch(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """Answer several prompts in one pass; an error of the engine fails all of them."""
        rows = [encode_prompt(self._checkpoint.tokenizer, prompt) for prompt in prompts]
        try:
            answers = self._answer_all(rows)
        except RuntimeError as error:
            return [self._failed(*row, error) for row in zip(prompts, rows, strict=True)]
        return [self._generation(*row) for row in zip(prompts, rows, answers, strict=True)]

    def tokens_of(self, generation: Generation) -> list[tuple[int, str]]:
        """Ids and texts of an answer's tokens, the stop token included."""
        return take_apart(self._checkpoint.tokenizer, generation)

    def check(self, prompts: Sequence[Prompt]) -> None:
        """Tokenise every prompt now: one BOS each, and room for the answer."""
        lengths = [
            (prompt.example_id, len(encode_prompt(self._checkpoint.tokenizer, prompt))) for prompt in prompts
        ]
        context = getattr(self._checkpoint.model.config, "max_position_embeddings", None)
        require_room(lengths, max_new_tokens=self._request.decoding.max_new_tokens, context=context)

    def generate(self, prompt: Prompt) -> Generation:
        """Answer `prompt`; an error of the engine (memory, kernels) becomes a failed generation."""
        ids = encode_prompt(self._checkpoint.tokenizer, prompt)
        try:
            self._seed(prompt)
            (answer,) = self._answer_all([ids])
        except RuntimeError as error:
            return self._failed(prompt, ids, error)
        return self._generation(prompt, ids, answer)

    def _seed(self, prompt: Prompt) -> None:
        """Under sampling each answer has a seed of its own, whatever was generated before it."""
        sampling = self._request.decoding.sampling
        if sampling is not None:
            self._torch.manual_seed(sampling.seed_of(prompt.example_id))

    def _generation(self, prompt: Prompt, ids: list[int], answer: Answer) -> Generation:
        return answered(prompt, answer, prompt_tokens=len(ids), decoding=self._request.decoding.to_dict())

    def _failed(self, prompt: Prompt, ids: list[int], error: RuntimeError) -> Generation:
        reason = (str(error).strip().splitlines() or [""])[0][:200]
        return failed(
            prompt,
            f"{type(error).__name__}: {reason}",
            prompt_tokens=len(ids),
            decoding=self._request.decoding.to_dict(),
        )

    def _answer_all(self, rows: Sequence[list[int]]) -> list[Answer]:
        """Answer rows of ids in one pass.

        Shorter prompts are padded on the left, and the mask hides the padding; from it the library derives
        the positions, so every prompt starts at position 0.
        """
        device, eos_ids = self._checkpoint.model.device, self._checkpoint.eos_ids
        width = max(len(ids) for ids in rows)
        pad = self._config.pad_token_id
        inputs = self._torch.tensor([[pad] * (width - len(ids)) + ids for ids in rows], device=device)
        mask = self._torch.tensor([[0] * (width - len(ids)) + [1] * len(ids) for ids in rows], device=device)
        with self._torch.inference_mode():
            output = self._model.generate(
                input_ids=inputs, attention_mask=mask, generation_config=self._config
            )
        answered = [cut_at_end(new, eos_ids=eos_ids) for new in output[:, width:].tolist()]
        return [read_answer(self._checkpoint.tokenizer, new, eos_ids=eos_ids) for new in answered]

    def close(self) -> None:
        """Let go of the model, so that the next arm has the memory."""
        self._model = self._adapted = None
        self._checkpoint = replace(self._checkpoint, model=None)
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()
