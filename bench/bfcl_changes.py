"""Changes of a gold call for `bfcl_agreement.py`: a changed call, or None where nothing fits."""

import copy
import unicodedata


def truth_of(truth):
    """The accepted values per argument, as BFCL writes them."""
    return next(iter(truth[0].values()))


def other_accepted(call, truth, rng):
    """Another accepted value of one argument."""
    accepted = truth_of(truth)
    names = [name for name, values in accepted.items() if any(type(v) is not dict for v in values)]
    return name_and_set(call, rng, names, lambda name: rng.choice(accepted[name]))


def unicode_spelling(call, truth, rng):
    """The same text with its accents apart, or in capitals where one letter becomes two."""
    names = [
        name for name, value in call["arguments"].items() if isinstance(value, str) and not value.isascii()
    ]

    def change(name):
        value = call["arguments"][name]
        return rng.choice((unicodedata.normalize("NFD", value), value.replace("ß", "SS")))

    return name_and_set(call, rng, names, change)


def reworded(call, truth, rng):
    names = [name for name, value in call["arguments"].items() if isinstance(value, str) and value]
    forms = (
        str.upper,
        str.lower,
        str.title,
        lambda s: s.replace(" ", ""),
        lambda s: s.replace(",", ""),
        lambda s: f" {s} ",
        lambda s: s.replace(" ", "_"),
        lambda s: s + ".",
        lambda s: s.replace("'", '"'),
    )
    return name_and_set(call, rng, names, lambda name: rng.choice(forms)(call["arguments"][name]))


def another_text(call, truth, rng):
    names = [name for name, value in call["arguments"].items() if isinstance(value, str)]
    return name_and_set(call, rng, names, lambda name: call["arguments"][name] + " more")


def another_number(call, truth, rng):
    names = [name for name, value in call["arguments"].items() if type(value) in (int, float)]
    return name_and_set(call, rng, names, lambda name: call["arguments"][name] + rng.choice((1, -1, 0.5)))


def number_form(call, truth, rng):
    names = [name for name, value in call["arguments"].items() if type(value) in (int, float)]

    def change(name):
        value = call["arguments"][name]
        turned = float(value) if type(value) is int else int(value)
        return rng.choice((turned, str(value)))

    return name_and_set(call, rng, names, change)


def boolean_form(call, truth, rng):
    names = [name for name, value in call["arguments"].items() if type(value) is bool]
    return name_and_set(
        call, rng, names, lambda n: rng.choice((not call["arguments"][n], int(call["arguments"][n]), "true"))
    )


def left_out(call, truth, rng):
    names = list(call["arguments"])
    if not names:
        return None
    changed = copy.deepcopy(call)
    del changed["arguments"][rng.choice(names)]
    return changed


def optional_given(call, truth, rng):
    accepted = truth_of(truth)
    names = [name for name, values in accepted.items() if name not in call["arguments"] and values]
    return name_and_set(call, rng, names, lambda name: rng.choice(accepted[name]))


def invented(call, truth, rng):
    changed = copy.deepcopy(call)
    changed["arguments"]["not_declared"] = 1
    return changed


def wrong_name(call, truth, rng):
    return {**copy.deepcopy(call), "name": call["name"] + "_2"}


def list_change(call, truth, rng):
    names = [name for name, value in call["arguments"].items() if isinstance(value, list) and value]

    def change(name):
        value = copy.deepcopy(call["arguments"][name])
        kind = rng.randrange(5)
        if kind == 0:
            return value[::-1]
        if kind == 1:
            return value[:-1]
        if kind == 2:
            return [*value, value[0]]
        if kind == 3:
            return []
        return [
            item.upper() if isinstance(item, str) else float(item) if type(item) is int else item
            for item in value
        ]

    return name_and_set(call, rng, names, change)


def object_change(call, truth, rng):
    names = [name for name, value in call["arguments"].items() if isinstance(value, dict) and value]

    def change(name):
        value = copy.deepcopy(call["arguments"][name])
        key = rng.choice(list(value))
        kind = rng.randrange(5)
        if kind == 4 and value[key] in (0, 1):
            value[key] = bool(value[key])
        elif kind == 0:
            del value[key]
        elif kind == 1:
            value["not_declared"] = 1
        elif kind == 2 and isinstance(value[key], str):
            value[key] = value[key].upper()
        else:
            value[key] = float(value[key]) if type(value[key]) is int else "other"
        return value

    return name_and_set(call, rng, names, change)


def null_or_text(call, truth, rng):
    return name_and_set(call, rng, list(truth_of(truth)), lambda name: rng.choice((None, "", [], {})))


def name_and_set(call, rng, names, value_of):
    if not names:
        return None
    changed = copy.deepcopy(call)
    name = rng.choice(sorted(names))
    changed["arguments"][name] = value_of(name)
    return changed


CHANGES = (
    other_accepted, reworded, unicode_spelling, another_text, another_number, number_form, boolean_form,
    left_out, optional_given, invented, wrong_name, list_change, object_change, null_or_text,
)  # fmt: skip
