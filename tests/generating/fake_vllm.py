"""A stand-in for vLLM without a model: it notes how it is called, and answers or fails as told."""

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace

END = 1
VARIABLES = (
    "VLLM_BATCH_INVARIANT",
    "VLLM_ENABLE_V1_MULTIPROCESSING",
    "VLLM_NO_USAGE_STATS",
    "VLLM_LOGGING_LEVEL",
    "VLLM_LOGGING_STREAM",
)


class Tokenizer:
    """A token for each character; `</s>` is 1, `<s>` is 0 where the tokenizer has it."""

    eos_token_id = END

    def __init__(self, *, bos=False):
        self.bos_token_id, self.bos_token = (0, "<s>") if bos else (None, None)

    def __call__(self, text, add_special_tokens):
        start = [0] if self.bos_token and add_special_tokens else []
        return {"input_ids": start + [ord(letter) for letter in text.replace(self.bos_token or "\0", "\0")]}

    def decode(self, ids, skip_special_tokens=False, clean_up_tokenization_spaces=False):
        assert not skip_special_tokens
        assert not clean_up_tokenization_spaces
        return "".join({0: "<s>", END: "</s>"}.get(number) or chr(number) for number in ids)

    def convert_tokens_to_ids(self, token):
        return {"<s>": 0, "</s>": END}[token]

    def convert_ids_to_tokens(self, number):
        return {0: "<s>", END: "</s>"}[number]


class SamplingParams:
    def __init__(self, **given):
        self.given = given


@dataclass
class LoRARequest:
    lora_name: str
    lora_int_id: int
    lora_path: str


@dataclass
class Fake:
    """What the engine was given, and how it answers. `reply` makes an answer of a row of token ids."""

    arguments: dict = field(default_factory=dict)
    calls: list = field(default_factory=list)
    adapters: list = field(default_factory=list)
    stopped: int = 0
    fault: object = lambda rows: None
    change: object = lambda output: output
    reply: object = lambda row: [*row[:3], END]
    start_fault: Exception | None = None
    adapter_fault: Exception | None = None
    effect: bool = True
    context: int = 64
    device: str = "cpu"
    capability: tuple = (0, 0)
    devices: int = 1


def install(monkeypatch, fake):
    """Put the stand-in where `import vllm` finds it, for one test."""

    class LLM:
        def __init__(self, **arguments):
            if fake.start_fault is not None:
                raise fake.start_fault
            fake.arguments = arguments
            self.llm_engine = _engine(fake)

        def generate(self, prompts, params, *, lora_request, use_tqdm):
            rows = [prompt["prompt_token_ids"] for prompt in prompts]
            fake.calls.append(SimpleNamespace(prompts=prompts, params=params, lora=lora_request))
            assert use_tqdm is False
            fault = fake.fault(rows)
            if fault is not None:
                raise fault
            return [_output(fake, *pair, lora_request) for pair in zip(rows, params, strict=True)]

    helper = type("PEFTHelper", (), {"__dataclass_fields__": {"rank_pattern": None}})
    modules = {
        "vllm": {"LLM": LLM, "SamplingParams": SamplingParams, "__version__": "0.0-fake"},
        "vllm.platforms": {"current_platform": _platform(fake)},
        "vllm.lora": {},
        "vllm.lora.request": {"LoRARequest": LoRARequest},
        "vllm.lora.peft_helper": {"PEFTHelper": helper},
        "vllm.distributed": {"cleanup_dist_env_and_memory": lambda: None},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)


def keep_environment(monkeypatch):
    """Start without the variables that the backend sets, and take back what it sets."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def install_torch(monkeypatch):
    """A torch that only counts threads, for tests that need no tensors."""
    threads = [8]
    torch = ModuleType("torch")
    torch.__version__ = "0.0-fake"
    torch.cuda = SimpleNamespace(is_available=lambda: False)
    torch.get_num_threads = lambda: threads[0]
    torch.set_num_threads = lambda number: threads.__setitem__(0, number)
    monkeypatch.setitem(sys.modules, "torch", torch)


def _platform(fake):
    class Platform:
        @property
        def device_type(self):
            return fake.device

        def get_device_name(self):
            return f"a {fake.device}"

        def is_cpu(self):
            return fake.device == "cpu"

        def is_cuda(self):
            return fake.device == "cuda"

        def has_device_capability(self, wanted):
            return fake.capability >= wanted

    return Platform()


def _engine(fake):
    def add_lora(request):
        if fake.adapter_fault is not None:
            raise fake.adapter_fault
        fake.adapters.append(request)
        return True

    def shutdown():
        fake.stopped += 1

    layer = SimpleNamespace(get_attn_backend=lambda: SimpleNamespace(get_name=lambda: "FAKE_ATTN"))
    return SimpleNamespace(
        add_lora=add_lora,
        engine_core=SimpleNamespace(shutdown=shutdown),
        model_config=SimpleNamespace(max_model_len=fake.context),
        vllm_config=SimpleNamespace(
            parallel_config=SimpleNamespace(tensor_parallel_size=fake.devices),
            scheduler_config=SimpleNamespace(max_num_seqs=256, max_num_batched_tokens=4096),
            compilation_config=SimpleNamespace(static_forward_context={"layer.0": layer, "layer.1": layer}),
            attention_config=SimpleNamespace(backend=None),
        ),
    )


def _output(fake, row, params, lora):
    new = fake.reply(row)
    adapted = lora is not None and fake.effect
    answer = SimpleNamespace(
        token_ids=tuple(new),
        finish_reason="stop" if new[-1] == END else "length",
        logprobs=[{5: SimpleNamespace(logprob=-1.0 if adapted else -2.0)}]
        if "logprobs" in params.given
        else None,
    )
    return fake.change(SimpleNamespace(prompt_token_ids=list(row), lora_request=lora, outputs=[answer]))
