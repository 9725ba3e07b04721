"""The obvious implementation of parser, flattening and metrics: slow, short, from the contract alone."""

import json
import re

NUMBER = re.compile(r"\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


def find_span(text):
    """(status, span): the walk, character by character, with the limits of D2."""
    start = next((i for i, char in enumerate(text) if char in "{["), None)
    if start is None:
        return "no_json", None
    closers, i, in_string = [], start, False
    while i < len(text):
        char = text[i]
        if in_string:
            if char == "\\":
                i += 1
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in "{[":
            closers.append("}" if char == "{" else "]")
            if len(closers) > 256:
                return "invalid_json", None
        elif char in "}]":
            if closers.pop() != char:
                return "invalid_json", None
            if not closers:
                return None, text[start : i + 1]
        elif char.isdigit() and char.isascii():
            literal = NUMBER.match(text, i)
            whole = literal[1] is None and literal[2] is None
            if (whole and len(literal[0]) > 1000) or (not whole and float(literal[0]) == float("inf")):
                return "invalid_json", None
            i = literal.end() - 1
        i += 1
    return "invalid_json", None


def refuse(_):
    raise ValueError("not RFC 8259")


def parse(text):
    """(status, call)."""
    status, span = find_span(text)
    if status:
        return status, None
    repeated = []

    def pairs(members):
        repeated.extend(key for i, (key, _) in enumerate(members) if key in [k for k, _ in members[:i]])
        return dict(members)

    try:
        value = json.loads(span, parse_constant=refuse, object_pairs_hook=pairs)
    except ValueError:
        return "invalid_json", None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if (
        repeated
        or not isinstance(value, dict)
        or set(value) != {"name", "arguments"}
        or not isinstance(value["name"], str)
        or value["name"] == ""
        or not isinstance(value["arguments"], dict)
    ):
        return "invalid_shape", None
    return "ok", value


def flatten(value, path=()):
    """{path as a tuple: canonical leaf}."""
    if isinstance(value, dict) and value:
        return {p: leaf for key in value for p, leaf in flatten(value[key], (*path, ("key", key))).items()}
    if isinstance(value, list) and value:
        members = enumerate(value)
        return {
            p: leaf for i, member in members for p, leaf in flatten(member, (*path, ("index", i))).items()
        }
    return {path: json.dumps(value, sort_keys=True, separators=(",", ":"))}


def components(gold, text):
    """[numerator, denominator] for each of the five metrics, in their order."""
    _, call = parse(text)
    gold_pairs = flatten(gold["arguments"])
    if call is None:
        return [[0, 1], [0, 1], [0, 1], [0, len(gold_pairs)], [0, 1]]
    pairs = flatten(call["arguments"])
    matched = sum(1 for path, leaf in pairs.items() if gold_pairs.get(path) == leaf)
    name, arguments = call["name"] == gold["name"], pairs == gold_pairs
    return [
        [1, 1],
        [int(name), 1],
        [int(arguments), 1],
        [2 * matched, len(gold_pairs) + len(pairs)],
        [int(name and arguments), 1],
    ]
