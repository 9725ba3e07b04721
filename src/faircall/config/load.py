"""Reading a config, and the resolved form that a run keeps.

Relative paths in a config are relative to the folder of the config file, whatever the working directory is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import PrivateAttr, ValidationError

from faircall.config.complaints import check_decoding, complain, from_validation
from faircall.config.crosscheck import check_sections
from faircall.config.schema import ConfigFile
from faircall.config.yaml_lines import YamlValue, read_yaml
from faircall.credentials import find_credentials
from faircall.digest import sha256_bytes, sha256_json
from faircall.errors import ArtifactInvalid, ConfigError, FileUnreadable

RESOLVED_VERSION: Final = "faircall.config.resolved.v1"
MAX_BYTES: Final = 1_000_000
_NEVER: Final = object()
_SERVED: Final = ("served_as", "answers_as", "base_url")
_OPTIONAL: Final = ("server", "vllm", "experiment")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that the config names, as it was when the config was read. `path` is as written."""

    path: str
    sha256: str
    size: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of manifests and resolved configs."""
        return {"path": self.path, "sha256": self.sha256, "bytes": self.size}


class Config(ConfigFile):
    """A config that holds together, with the digests of the files that it names.

    `folder` is where relative paths start; `inputs` are the datasets, and the template file if one is named.
    """

    _folder: Path = PrivateAttr(default=Path())
    _inputs: tuple[InputFile, ...] = PrivateAttr(default=())

    @property
    def folder(self) -> Path:
        """The folder of the config file."""
        return self._folder

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The files that the config names, with digests."""
        return self._inputs

    @property
    def reference_language(self) -> str:
        """The language of the root dataset: translations are compared with it."""
        return next(dataset.language for dataset in self.datasets if not dataset.paired)

    def path_of(self, written: str) -> Path:
        """A path of the config, from the folder of the config file."""
        return self._folder / Path(written).expanduser()

    def resolved(self) -> dict[str, Any]:
        """Every key with its value, defaults included, and the digests of the input files."""
        return {
            "config": _without_unused(self.model_dump(mode="json")),
            "inputs": [file.to_dict() for file in self._inputs],
        }

    @property
    def sha256(self) -> str:
        """The digest of the resolved form: `config_sha256` of every artifact."""
        return sha256_json(self.resolved())

    def to_yaml(self) -> str:
        """The text of `config.resolved.yaml`."""
        document = {"schema_version": RESOLVED_VERSION, "config_sha256": self.sha256, **self.resolved()}
        return yaml.safe_dump(document, sort_keys=False, allow_unicode=False, width=110)


def _without_unused(dumped: dict[str, Any]) -> dict[str, Any]:
    """What is said of servers, engines and batches is left out where nothing is: digests of old runs stay."""
    arms = {
        name: {key: value for key, value in arm.items() if key not in _SERVED or value is not None}
        for name, arm in dumped["arms"].items()
    }
    rest = {key: value for key, value in dumped.items() if key not in _OPTIONAL or value is not None}
    if rest.get("server") and not rest["server"]["base_urls"]:
        rest["server"] = {key: value for key, value in rest["server"].items() if key != "base_urls"}
    unused = {"batch_size": 1, "sampling": None}
    policy = {key: value for key, value in dumped["eval"].items() if unused.get(key, _NEVER) != value}
    return {**rest, "arms": arms, "eval": policy}


def load_config(path: Path | str) -> Config:
    """Read, validate and resolve a config.

    Raises:
        FileUnreadable: the config, or a file that it names, cannot be read.
        ConfigError: a key or value; names `file:line` and the dotted key.
        EvaluationError: decoding that is not greedy.
    """
    path = Path(path)
    document = read_yaml(read_text(path), name=str(path))
    _refuse_credentials(document)
    config = _validate(document)
    config._folder = path.parent
    config._inputs = tuple(_named_files(config, document))
    return config


def load_resolved(path: Path | str, *, folder: Path | str = ".") -> Config:
    """Read the `config.resolved.yaml` of a run back; the recorded input digests are kept, not computed again.

    Args:
        path: the file.
        folder: where relative paths of the config start; reports and re-scoring do not need it.

    Raises:
        ArtifactInvalid: it is not a resolved config, or not the one that its digest names.
    """
    path = Path(path)
    document = read_yaml(read_text(path), name=str(path))
    value = document.value
    if not isinstance(value, dict) or value.get("schema_version") != RESOLVED_VERSION:
        raise ArtifactInvalid(f"{path}: not a resolved config ({RESOLVED_VERSION})")
    try:
        config = Config.model_validate(value["config"])
        config._inputs = tuple(InputFile(**_renamed(entry)) for entry in value["inputs"])
    except (ValidationError, KeyError, TypeError) as fault:
        raise ArtifactInvalid(f"{path}: not a resolved config: {' '.join(str(fault).split())}") from None
    config._folder = Path(folder)
    if config.sha256 != value.get("config_sha256"):
        raise ArtifactInvalid(f"{path}: its content does not match its config_sha256")
    return config


def _renamed(entry: dict[str, Any]) -> dict[str, Any]:
    return {("size" if key == "bytes" else key): value for key, value in entry.items()}


def _validate(document: YamlValue) -> Config:
    if not isinstance(document.value, dict):
        raise ConfigError(
            f"{document.place(())}: a config is a mapping of sections", hint="see `faircall init`"
        )
    check_decoding(document)
    try:
        config = Config.model_validate(document.value)
    except ValidationError as error:
        raise from_validation(document, error) from None
    check_sections(config, document)
    return config


def _refuse_credentials(document: YamlValue) -> None:
    found = next(find_credentials(document.value), None)
    if found:
        message = f"{document.name}: {found} looks like a credential"
        raise ConfigError(message, hint="configs are copied into runs; keep keys in environment variables")


def _named_files(config: Config, document: YamlValue) -> list[InputFile]:
    named: list[tuple[tuple[str | int, ...], str]] = [
        (("datasets", index, "path"), dataset.path) for index, dataset in enumerate(config.datasets)
    ]
    template = config.formatting.chat_template_from
    if template != "base" and template not in config.arms:
        named.append((("formatting", "chat_template_from"), template))
    files = []
    for location, written in named:
        try:
            data = config.path_of(written).read_bytes()
        except OSError as fault:
            problem = f"names a file that cannot be read: {written} ({fault.strerror})"
            hint = "relative paths start at the folder of the config file"
            raise complain(document, location, problem, hint=hint) from None
        files.append(InputFile(written, sha256_bytes(data), len(data)))
    return files


def read_text(path: Path) -> str:
    """The text of a config-like file of a size that is sensible for one."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        hint = "`faircall init` writes an example config"
        raise FileUnreadable(f"{path}: cannot be read ({fault.strerror})", hint=hint) from None
    if len(data) > MAX_BYTES:
        raise FileUnreadable(f"{path}: larger than {MAX_BYTES} bytes, so it is no config")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise FileUnreadable(f"{path}: not UTF-8 (byte {fault.start})") from None
