"""Backends that answer otherwise under one circumstance only; a new process can open them by name."""

import os

from faircall.errors import EnvironmentProblem
from faircall.records import Generation

WRONG = '{"name":"wx","arguments":{"city":"Nowhere"}}'
HOME = "FAIRCALL_TEST_HOME_PROCESS"


class Even:
    """Answers every prompt with its gold call, and counts how often it was asked for each."""

    def __init__(self, request):
        self.request, self.asked, self.closed = request, [], 0

    def describe(self):
        model = {"base_model_id": "even", "dtype": "float32", "quantization": "none"}
        return {
            "model": {**model, "base_model_revision": "1", "tokenizer_revision": "1"},
            "adapter": {"source": "none"},
            "decoding": self.request.decoding.to_dict(),
            "backend": {"engine": "even", "version": "1", "device": "cpu", "batch_plan": "one by one"},
            "source": {"adapter": None},
        }

    def check(self, prompts):
        pass

    def generate(self, prompt):
        self.asked.append(prompt.example_id)
        return self.answer(prompt, wrong=self.is_wrong(prompt))

    def is_wrong(self, prompt):
        return False

    def answer(self, prompt, *, wrong=False, failure=None, finish="stop"):
        return Generation(
            prompt.example_id,
            "" if failure else WRONG if wrong else prompt.target_text,
            language=prompt.language,
            prompt_sha256=prompt.prompt_sha256,
            decoding=self.request.decoding.to_dict(),
            finish_reason=None if failure else finish,
            prompt_tokens=3,
            new_tokens=4,
            failure=failure,
        )

    def close(self):
        self.closed += 1


class Ordered(Even):
    """Wrong where the prompt before has the greater id: in the order of the run that never happens.

    What came before the first prompt of a pass, at the end of the run, does not count.
    """

    def is_wrong(self, prompt):
        before = self.asked[-2] if len(self.asked) > 1 else ""
        return before != "fr-3" and before > prompt.example_id


class Homely(Even):
    """Wrong in every process but the one that the environment names."""

    def is_wrong(self, prompt):
        return os.environ[HOME] != str(os.getpid())


class Dying(Even):
    def is_wrong(self, prompt):
        if os.environ[HOME] != str(os.getpid()):
            os.write(2, b"loading\nout of luck\n")
            os._exit(3)
        return False


class Batched(Even):
    """In a batch, all but the longest prompt are answered wrongly."""

    @property
    def batch_size(self):
        return self.request.batch_size

    def prompt_length(self, prompt):
        return len(prompt.prompt_text)

    def generate_batch(self, prompts):
        self.asked.append([prompt.example_id for prompt in prompts])
        return [self.answer(prompt, wrong=place > 0) for place, prompt in enumerate(prompts)]


class Failing(Even):
    """Fails on `en-1` when asked again."""

    def generate(self, prompt):
        self.asked.append(prompt.example_id)
        if prompt.example_id == "en-1" and self.asked.count("en-1") > 1:
            return self.answer(prompt, failure="RuntimeError: out of memory")
        return self.answer(prompt)


class Refusing(Even):
    """Refuses to go on once `fr-3`, the last prompt of the run, was answered."""

    def generate(self, prompt):
        if "fr-3" in self.asked:
            raise EnvironmentProblem("the engine is gone")
        return super().generate(prompt)


class Ending(Even):
    """The same text, but cut off, when asked again."""

    def generate(self, prompt):
        self.asked.append(prompt.example_id)
        again = self.asked.count(prompt.example_id) > 1 and prompt.example_id != "en-0"
        return self.answer(prompt, finish="length" if again else "stop")


class Changing(Even):
    """States another version in another process."""

    def describe(self):
        stated = super().describe()
        return {**stated, "backend": {**stated["backend"], "version": str(os.getpid())}}


class Spelling(Ordered):
    """Knows tokens: every character is one, its number is its code point."""

    def tokens_of(self, generation):
        return [(ord(character), character) for character in generation.raw_text]
