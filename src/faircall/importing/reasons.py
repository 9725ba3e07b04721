"""Why a row is not used: one declared reason each, a sentence that is also the key of the counts."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Every reason, in the order in which they are looked for."""

    ROW_NOT_OBJECT = "the row is not an object"
    ID_INVALID = "id is not text or an integer"
    IDS_DIFFER = "id and example_id differ"
    LANGUAGE_DIFFERS = "language is not the language of the dataset"
    SOURCE_INVALID = "source_example_id is not text or an integer"
    FORM_UNKNOWN = "the row is in no form that is read (query/answers or messages)"

    QUERY_INVALID = "query is not text"
    ANSWERS_MISSING = "answers is missing"
    ANSWERS_NOT_JSON = "answers is not valid JSON"
    ANSWERS_REPEAT_KEY = "answers repeats a key"
    ANSWERS_NOT_LIST = "answers is not a list of calls"

    MESSAGES_MISSING = "messages is missing"
    MESSAGES_INVALID = "messages is not a list of messages with a role"
    CONTENT_INVALID = "the content of a message is neither text nor text parts"
    LEGACY_CALL = "function_call is an old form that is not read"
    CALLS_INVALID = "tool_calls is not a list of function calls"
    NO_USER = "no user message stands before the call"

    NO_CALL = "there is no call"
    MULTI_CALL = "there are several calls in one step"
    CALL_SHAPE = "the call is not exactly a name and arguments"
    NAME_INVALID = "the name of the call is not text or is empty"
    ARGUMENTS_EMPTY = "arguments is an empty string"
    ARGUMENTS_NOT_JSON = "arguments is not valid JSON"
    ARGUMENTS_REPEAT_KEY = "arguments repeats a key"
    ARGUMENTS_TWICE = "arguments decode to a string, not an object"
    ARGUMENTS_NOT_OBJECT = "arguments is not an object"

    TOOLS_NOT_JSON = "tools is not valid JSON"
    TOOLS_REPEAT_KEY = "tools repeats a key"
    TOOLS_NOT_LIST = "tools is not a list of objects"
    TOOL_NAMELESS = "a tool has no name"
    TOOL_REPEATED = "two tools have one name"

    QUERY_MISSING = "query is missing"
    QUERY_SHORT = "query is shorter than data.min_query_chars"
    QUERY_LONG = "query is longer than data.max_query_chars"
    TOOLS_MISSING = "no tools are offered"
    GOLD_NOT_OFFERED = "the tool of the gold call is not offered"
    ROOT_NAMES_SOURCE = "a row of the root dataset names a source_example_id"
    SOURCE_MISSING = "a row of a paired dataset names no source_example_id"
    ROOT_UNKNOWN = "source_example_id names no row of the root dataset"
    ROOT_DROPPED = "the row that source_example_id names was dropped"
    ROOT_DIFFERS = "tools or gold differ from those of the row that source_example_id names"
    TRANSLATION_REPEATED = "an earlier row translates the same root into this language"
    QUERY_REPEATED = "query repeats an earlier one"
    NOT_SAMPLED = "not needed for the configured counts"


class Refused(Exception):
    """A row, or a step of it, cannot be used; carries the reason to the reader of the row."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason
