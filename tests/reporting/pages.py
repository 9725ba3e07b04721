"""Material for the pages: two bilingual arms with every kind of answer, and what a hostile model writes."""

import json
import random
from functools import cache

from faircall.api.comparison import build_comparison_report
from faircall.api.evaluation import evaluate
from faircall.api.example_rows import example_rows
from faircall.api.stored import as_result
from faircall.records import Example, Generation, ToolCall

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
NAMES = ("get_weather", "book_table", "set_timer", "send_email", "find_route")
TOOLS = tuple({"name": name, "description": "", "parameters": SCHEMA} for name in NAMES)
CITIES = ("Graz", "Zürich", "São Paulo", "Oslo", "Kraków", "Lima", "Pune", "北京")
RLO, LINE, LONE, EMOJI = "\u202e", "\u2028", "\ud800", "\U0001f600"
HOSTILE = (
    "<script>alert('raw')</script>",
    "</script><script>alert('broken out')</script>",
    '<img src=x onerror=alert(1)><a href="javascript:alert(2)">javascript:alert(3)</a>',
    f"{RLO}reversed{LINE}next line{LONE}lone\x00null]]>-->",
    "{{ 7 * 7 }} {% raw %} ${alert(4)} &lt;b&gt;",
)


def gold_of(number):
    return ToolCall(NAMES[number % 5], {"city": CITIES[number % 8], "days": number % 7, "opts": {"a.b": [1]}})


def answer_of(number, draw, skill):
    """An answer that gets better with skill: prose, broken JSON, wrong tool, wrong values, right."""
    gold = gold_of(number).to_dict()
    luck = draw.random() * 1.2 - skill
    if luck < 0.05:
        return f"Sure {EMOJI}: {json.dumps(gold)} — done."
    if luck < 0.15:
        gold["arguments"]["days"] = str(gold["arguments"]["days"])
    elif luck < 0.3:
        gold["arguments"]["city"] = "nowhere"
    elif luck < 0.4:
        gold["name"] = NAMES[(number + 1) % 5]
    elif luck < 0.45:
        gold["name"] = "invented_tool"
    elif luck < 0.55:
        return json.dumps(gold)[:-3]
    elif luck < 0.6:
        gold["arguments"]["surprise"] = "unasked value"
    else:
        return f"I would call {gold['name']} for you."
    return json.dumps(gold)


def arm(name, *, skill, count=60, seed=1, languages=("en", "fr"), hostile=(), like=None):
    """One arm: `count` rows per language, translated rows pointing to roots; `like` answers as that arm."""
    examples, generations = [], []
    for language in languages:
        for number in range(count):
            key = f"{language}-{number:05}"
            examples.append(
                Example(
                    key,
                    gold_of(number),
                    tools=TOOLS,
                    language=language,
                    source_example_id=f"en-{number:05}" if language != "en" else None,
                    query=f"[{language}] secret request {number} about {CITIES[number % 8]}",
                )
            )
            text = (
                hostile[number]
                if number < len(hostile)
                else answer_of(number, random.Random(f"{like or name}{seed}{key}"), skill)
            )
            generations.append(Generation(key, text, language=language, finish_reason="stop"))
    identity = {
        "adapter": {"source": None if name == "base" else "adapters/tuned"},
        "model": {"dtype": "float32"},
    }
    return evaluate(examples, generations, name=name, identity=identity)


CLAIMS = (
    {"id": "fr_better", "slice": "fr", "kind": "superiority"},
    {"id": "en_kept", "slice": "en", "kind": "non_inferiority", "margin": 0.02},
    {"id": "same", "kind": "equivalence", "margin": 0.01},
)


def compared(first, second, **options):
    """The report and the rows of two evaluations."""
    arms = as_result(first), as_result(second)
    report = build_comparison_report(arms[0].arm, arms[1].arm, resamples=199, **options)
    return json.loads(json.dumps(report)), example_rows(*arms)


@cache
def bilingual():
    """`(report, rows)`: base against a better adapter, English and French, with claims."""
    return compared(arm("base", skill=0.2), arm("adapter", skill=0.55), claims=CLAIMS)


@cache
def hostile():
    """The same with answers that try to run, break or disguise the page."""
    first = arm("base", skill=0.2, hostile=HOSTILE)
    return compared(first, arm("adapter", skill=0.5, hostile=HOSTILE[::-1]))
