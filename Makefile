# `make play`, `make train` and `make test` set up a fresh machine by themselves; PYTHON chooses the interpreter
# (3.11 to 3.14), GAME the game that is played.
PYTHON ?= python3
GAME ?= schnapsen
VENV := .venv
BIN := $(VENV)/bin

# On Linux PyPI's torch brings gigabytes of CUDA packages. Without a GPU pip also looks at the index of builds
# for the CPU. It would try an index that it cannot reach six times for each package: so it is asked first.
# Your own PIP_EXTRA_INDEX_URL turns this off.
CPU_INDEX := https://download.pytorch.org/whl/cpu
ASK = timeout 20 $(BIN)/pip --isolated index versions torch --index-url $(CPU_INDEX) --timeout 5 --retries 0
CPU_BUILDS = $$(if [ -z "$$PIP_EXTRA_INDEX_URL" ] && [ "$$(uname)" = Linux ] && [ ! -e /proc/driver/nvidia ] \
	&& ! command -v nvidia-smi && $(ASK); then echo --extra-index-url $(CPU_INDEX) >&3; fi 3>&1 >/dev/null 2>&1)

SHARED = --dist loadscope --no-loadscope-reorder

.PHONY: play test warm-gaigel warm-others lint pages test-slow axe coverage train reproduce benchmark peers dist dist-compiled docs site format clean

play: $(VENV)/playable
	$(BIN)/stichwerk play $(GAME)

# Two processes compile the games, which all tests then find on disk, and check the code and the generated pages.
# Then two run the tests, a file at a time.
test: $(VENV)/ready
	$(MAKE) -j 2 warm-gaigel warm-others lint pages
	$(BIN)/pytest -n 2 $(SHARED) -m "not slow"

warm-gaigel: $(VENV)/ready
	$(BIN)/stichwerk warm gaigel

warm-others: $(VENV)/ready
	$(BIN)/stichwerk warm schnapsen sixty_six snapszer preferans

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

pages: $(VENV)/ready
	$(BIN)/python docs/generate.py --check

test-slow: $(VENV)/ready
	EXAMPLES=300 $(BIN)/pytest -m "slow or hypothesis"

# axe-core (MPL 2.0) judges the page's accessibility, TypeScript (Apache 2.0) the types of scripts, and
# onnxruntime-web (MIT) runs a network in the browser; without them those tests are skipped.
axe:
	npm install --no-save --no-package-lock --no-audit --no-fund axe-core@4.14.1 typescript@5.9.3 @types/node@20 onnxruntime-web@1

# Interpreted, the rule-book examples count lines of rules; compiled, the fast tests count all else.
coverage: $(VENV)/ready
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --cov --cov-report= tests/envs/games/*/test_examples.py
	$(BIN)/pytest -n 2 $(SHARED) -m "not slow" --cov --cov-append --cov-report=term --cov-report=html

train: $(VENV)/ready
	$(BIN)/python train.py configs/schnapsen.yaml --run runs/schnapsen --resume

reproduce: $(VENV)/ready
	$(BIN)/python benchmarks/reproduce.py

benchmark: $(VENV)/ready
	$(BIN)/python benchmarks/environments.py
	$(BIN)/python benchmarks/training.py

# Other libraries for card games, in an environment of their own, and a table of them and this suite.
peers:
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --editable ".[eval]" --requirement benchmarks/peers/requirements.txt
	.venv-peers/bin/python benchmarks/peers.py

# A wheel and a source distribution in `dist`, as a release uploads them; TAG must be the version's, such as v0.4.0.
dist:
	$(PYTHON) -m venv build/dist-venv
	build/dist-venv/bin/pip install --quiet build twine
	rm -rf dist
	build/dist-venv/bin/python -m build --outdir dist
	build/dist-venv/bin/twine check --strict dist/*
	test -z "$(TAG)" || ls dist/stichwerk-$(TAG:v%=%).tar.gz

# A wheel in `dist` of the games' compiled code, for this system and this version of Python and of Numba.
dist-compiled: $(VENV)/ready
	cd packaging/compiled && $(CURDIR)/$(BIN)/python -m hatchling build -t wheel -d $(CURDIR)/dist

docs: $(VENV)/ready
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/catalogues.py

# A website of the pages, in build/site.
site: docs
	$(BIN)/properdocs build --strict

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-peers .venv-rllib node_modules build .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[train,dev]" $(CPU_BUILDS)
	touch $@ $(VENV)/playable

# A table needs neither torch nor the tools of developers.
$(VENV)/playable: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[play]"
	touch $@
