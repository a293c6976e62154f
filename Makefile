# How to play, test and build Cinq Mille. Everything is installed into .venv, which is made again
# when the requirements change, when the folder was moved, or when its Python is gone.
#   make serve         the game in the browser; options go through ARGS="..."
#   make play          the terminal game
#   make test          every check and every test, and the documentation
#   make check         the quick part of it
#   make setup bench coverage docs constraints clean

PYTHON ?= python3
BIN := .venv/bin
BASE := .venv/.installed
FULL := .venv/.installed-test-docs
PIP = $(BIN)/python -m pip install -qq --no-input --disable-pip-version-check -c constraints.txt

.PHONY: serve play setup test check bench coverage docs constraints clean FORCE

serve: $(BASE)
	@$(BIN)/cinqmille serve $(ARGS)

play: $(BASE)
	@$(BIN)/cinqmille play $(ARGS)

setup: $(FULL)

test: $(FULL)
	@scripts/check all

check: $(FULL)
	@scripts/check quick

bench: $(FULL)
	@for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file $(ARGS) || exit; done

coverage: $(FULL)
	$(BIN)/python -m coverage run -m pytest
	$(BIN)/python -m coverage combine
	$(BIN)/python -m coverage report

docs: $(FULL)
	$(BIN)/python -m zensical build --clean --strict

# The stamp holds the folder it was made for.
$(BASE): pyproject.toml constraints.txt
	@scripts/venv "$(PYTHON)" .venv
	@echo "Installing Cinq Mille into .venv, once ..." >&2
	@$(PIP) -e . </dev/null
	@echo "$(CURDIR)" >$@

$(FULL): $(BASE)
	@echo "Installing what the tests and the documentation need, once ..." >&2
	@$(PIP) -e ".[test,docs]" </dev/null
	@touch $@

ifneq ($(shell $(BIN)/python -c "" 2>/dev/null && cat $(BASE) 2>/dev/null),$(CURDIR))
$(BASE): FORCE
endif

constraints:
	scripts/venv "$(PYTHON)" build/uv
	build/uv/bin/python -m pip install -qq --no-input --disable-pip-version-check uv
	{ echo "# The exact versions everyone installs, for pip's option -c; 'make constraints' writes this file."; \
	  build/uv/bin/uv pip compile -q --universal --no-header --no-annotate --all-extras \
	    --python-version 3.11 pyproject.toml; } >build/constraints.txt
	mv build/constraints.txt constraints.txt

clean:
	rm -rf .venv build dist site .cache .benchmarks .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
