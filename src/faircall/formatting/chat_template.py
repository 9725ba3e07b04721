"""A chat template: messages and tools to text, in Jinja's sandbox, as transformers renders it.

The environment has what published templates rely on: trimmed blocks, loop controls, the `generation` block,
`raise_exception` and a `tojson` that escapes nothing. It has no clock: `strftime_now` is defined only when
the option of that name gives a date, and then it formats that date.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, NoReturn

from jinja2 import Template, TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from faircall.digest import sha256_text
from faircall.errors import ConfigError, DataError
from faircall.tools import declaration

CLOCK: Final = "strftime_now"


class _GenerationBlock(Extension):
    """`{% generation %}` marks what an assistant wrote; for a prompt it is its content."""

    tags = {"generation"}  # noqa: RUF012 - the attribute that Jinja reads

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class ChatTemplate:
    """A compiled template. `sha256` is the digest of its source."""

    def __init__(self, source: str) -> None:
        """Compile a template.

        Raises:
            ConfigError: it is not a Jinja template; names the line.
        """
        self.sha256 = sha256_text(source)
        try:
            self._template: Template = _environment().from_string(source)
        except TemplateError as fault:
            line = getattr(fault, "lineno", None)
            raise ConfigError(f"chat template, line {line}: {fault.message}", hint="not Jinja") from None
        except RecursionError:
            raise ConfigError("chat template: nested too deeply", hint="") from None

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        special_tokens: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> str:
        """The text of a conversation up to the point where the model answers.

        Args:
            messages: role and content; parts of text are joined, keys without a value are left out.
            tools: offered tools in either form; the template gets the form of chat servers.
            special_tokens: `bos_token` and its kind.
            options: `chat_template_kwargs`.

        Raises:
            DataError: the template refuses the messages, or fails on them.

        >>> ChatTemplate("{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}").render(
        ...     [{"role": "user", "content": "Hi"}])
        '[user] Hi'
        """
        values = {**(special_tokens or {}), **_with_clock(options or {})}
        try:
            return self._template.render(
                **values,
                messages=[_plain_message(message) for message in messages],
                tools=[wrap_tool(tool) for tool in tools] or None,
                documents=None,
                add_generation_prompt=True,
            )
        except Exception as fault:  # a template is a foreign program: it may fail in any way
            message = " ".join(str(fault).split()) or type(fault).__name__
            raise DataError(f"the chat template fails: {message}", hint=_hint_for(message)) from None


def wrap_tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool in the form of chat servers, which templates expect.

    >>> wrap_tool({"name": "wx"})
    {'type': 'function', 'function': {'name': 'wx'}}
    """
    return tool if declaration(tool) is not tool else {"type": "function", "function": tool}


def plain_content(content: Any) -> Any:
    """The content of a message as one text where it comes in text parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content


def _plain_message(message: Mapping[str, Any]) -> dict[str, Any]:
    plain = {**message, "content": plain_content(message.get("content"))}
    return {key: value for key, value in plain.items() if value is not None}


def _with_clock(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with the date under `strftime_now` as the function that templates call."""
    values = dict(options)
    if CLOCK in values:
        values[CLOCK] = _read_date(values[CLOCK]).strftime
    return values


def _read_date(value: Any) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        name = f"formatting.chat_template_kwargs.{CLOCK}"
        raise ConfigError(f'{name} must be a date as text, as in "2026-01-31", not {value!r}') from None


def _hint_for(message: str) -> str:
    if CLOCK in message:
        return f'there is no clock; set formatting.chat_template_kwargs: {{{CLOCK}: "2026-01-31"}}'
    return "check formatting.chat_template_from and chat_template_kwargs against the model's template"


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationBlock, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    return environment


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as templates for models want it; Jinja's own filter escapes for HTML."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise_exception(message: str) -> NoReturn:
    raise TemplateError(message)
