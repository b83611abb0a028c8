# `make test` and `make train` set up a fresh machine by themselves; PYTHON chooses the interpreter (3.11 to 3.14).
# On Linux PyPI's torch brings gigabytes of CUDA packages; without a GPU set
# PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu, and pip takes the smaller build of the same version.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: test test-slow axe coverage train reproduce benchmark docs site format clean

test: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow"

test-slow: $(VENV)/ready
	$(BIN)/pytest -m slow

# axe-core (MPL 2.0) judges the page's accessibility; without it those tests are skipped.
axe:
	npm install --no-save --no-package-lock --no-audit --no-fund axe-core@4.14.1

# Interpreted, the rule-book examples count lines of rules; compiled, the fast tests count all else.
coverage: $(VENV)/ready
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --cov --cov-report= tests/envs/games/*/test_examples.py
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow" --cov --cov-append --cov-report=term --cov-report=html

train: $(VENV)/ready
	$(BIN)/python train.py configs/schnapsen.yaml --run runs/schnapsen --resume

reproduce: $(VENV)/ready
	$(BIN)/python benchmarks/reproduce.py

benchmark: $(VENV)/ready
	$(BIN)/python benchmarks/environments.py
	$(BIN)/python benchmarks/training.py

docs: $(VENV)/ready
	$(BIN)/python docs/generate.py

# A website of the pages, in build/site.
site: docs
	$(BIN)/properdocs build --strict

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-rllib node_modules build .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[train,dev]"
	touch $@
