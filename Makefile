# The whole workflow; `make` alone lists it. Needs Python 3.11 or later and nothing else:
# everything is installed into .venv, from the package index.
#
#   PYTHON   the interpreter that .venv is made with (python3)
#   PYTHONS  the versions that make test-pythons runs the wheel on (3.11 3.12 3.13);
#            make test-wheel takes that of .venv, unless WHEEL_PYTHONS names others
#   SECONDS_EACH   how long make fuzz runs each harness (60)
#   ARGS     more arguments for pytest (make test ARGS="-k rlp") or for the benchmarks

PYTHON ?= python3
PYTHONS ?= 3.11 3.12 3.13
WHEEL_PYTHONS ?= $(RUN)
SECONDS_EACH ?= 60
CLANG ?= clang
ARGS ?=

VENV := .venv
BENCH_VENV := .venv-bench
RUN := $(VENV)/bin/python
PIP_INSTALL := -m pip install --disable-pip-version-check --no-input -qq
PYTHON_INCLUDE = $$($(RUN) -c 'import sysconfig; print(sysconfig.get_path("include"))')
WITH_KECCAK := $(RUN) tools/hashlib_with_keccak.py $(VENV)/openssl
ACCELERATOR := setup.py $(wildcard csrc/*.[ch] src/hexary/_native/*.[ch])
SOURCES := $(shell find src -name '*.py') $(ACCELERATOR)
C_FLAGS := -std=c11 -Wall -Wextra -Werror -Wconversion
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
WRAP := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
CHECKED := -g -O1 $(SANITIZE)
FUZZERS := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
PYTHON_FUZZERS := $(filter-out run,$(patsubst fuzz/python/%.py,%,$(wildcard fuzz/python/*.py)))
SANITIZED := build/sanitized/site-packages
# CPython never gives all of its memory back, so leaks are left to tests/isolated/leaks.py.
WITH_SANITIZERS = LD_PRELOAD="$$($(CC) -print-file-name=libasan.so)" PYTHONMALLOC=malloc \
  PYCRYPTODOME_DISABLE_DEEPBIND=1 \
  ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 \
  PYTHONPATH="$(CURDIR)/$(SANITIZED)" HEXARY_BACKEND=native HEXARY_REQUIRE_INSTALLED=1 $(RUN)
# What depends on how fast the process is says nothing when the sanitizers slow it down.
UNTIMED := not in_time_proportional and not test_store_crash
C_TESTS := $(patsubst csrc/tests/test_%.c,%,$(wildcard csrc/tests/test_*.c))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help verify test test-fast test-hashlib test-full test-crash check check-c format
.PHONY: fuzz fuzz-c fuzz-python test-sanitized wheel test-wheel test-pythons coverage bench docs clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

verify: $(VENV)/installed ## verify the fixtures that hexary ships
	$(VENV)/bin/hexary verify fixtures

test: $(VENV)/installed-test ## run the whole test suite on the default backend
	$(RUN) -m pytest $(ARGS)

test-fast: $(VENV)/installed-test ## the suite without slow tests, with a sample of the vectors
	$(RUN) -m pytest -m "not slow" --conformance=sample $(ARGS)

test-hashlib: $(VENV)/installed-test ## the suite on a hashlib with keccak (OpenSSL >= 3.2)
	$(WITH_KECCAK) $(RUN) -m pytest -m "not slow" --conformance=sample $(ARGS)

test-full: $(VENV)/installed-test ## every test and every vector on every backend
	HEXARY_BACKEND=native $(RUN) -m pytest $(ARGS)
	HEXARY_BACKEND=pycryptodome $(RUN) -m pytest $(ARGS)
	$(WITH_KECCAK) $(RUN) -m pytest $(ARGS)

test-crash: $(VENV)/installed-test ## kill a committing process 200 times on each store
	$(RUN) -m pytest tests/unit/trie/test_store_crash.py --kills=200 $(ARGS)

# A wheel of its own, installed beside .venv: the path puts it before the source tree.
test-sanitized: $(VENV)/installed-test ## tests with the accelerator under ASan and UBSan
	rm -rf build/sanitized && mkdir -p $(SANITIZED)
	HEXARY_BUILD=require CFLAGS="$(CHECKED) -fno-omit-frame-pointer" LDFLAGS="$(SANITIZE)" \
	  $(RUN) -m build --outdir build/sanitized . > build/sanitized/log 2>&1 \
	  || { cat build/sanitized/log; exit 1; }
	$(RUN) $(PIP_INSTALL) --no-deps --target $(SANITIZED) build/sanitized/*.whl
	$(WITH_SANITIZERS) -m pytest -q -m "not slow" -k "$(UNTIMED)" $(addprefix tests/,unit/hash unit/rlp \
	  unit/trie twin property/test_rlp.py property/test_trie.py property/test_records.py \
	  property/test_proofs.py property/test_fuzz_corpora.py) $(ARGS)
	$(WITH_SANITIZERS) tests/isolated/count_differences.py 100000
	$(WITH_SANITIZERS) tests/isolated/count_core_differences.py 50000
	$(WITH_SANITIZERS) tests/isolated/no_memory.py
	$(WITH_SANITIZERS) tests/isolated/meddling.py 200
	$(WITH_SANITIZERS) tests/isolated/interpreters.py

wheel: $(VENV)/installed-release ## build and audit dist/*.whl, for the Python of .venv and later ones
	rm -rf build/release dist && mkdir -p build/release dist
	HEXARY_BUILD=require $(RUN) -m build --outdir build/release . > build/release/log 2>&1 \
	  || { cat build/release/log; exit 1; }
	if [ "$$(uname)" = Linux ]; then \
	  PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(RUN) -m auditwheel repair -w dist \
	    build/release/*.whl >> build/release/log 2>&1 || { cat build/release/log; exit 1; }; \
	else cp build/release/*.whl dist; fi
	cp build/release/*.tar.gz dist
	$(VENV)/bin/abi3audit --strict --summary dist/*.whl
	@ls dist

test-wheel: wheel ## install the wheel outside the tree and run what a release has to pass
	$(RUN) tools/try_wheel.py $(WHEEL_PYTHONS) $(if $(ARGS),-- $(ARGS))

test-pythons: wheel ## the wheel on each of PYTHONS: the unit, property and twin tests
	$(RUN) tools/try_wheel.py --extra test $(PYTHONS) -- -q -m "not slow" \
	  $(addprefix $(CURDIR)/tests/,unit property twin) $(ARGS)

check: $(VENV)/installed-check ## lint, formatting, types and the stub
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	@if $(RUN) -c 'import hexary._native.accelerator' 2> /dev/null; \
	then MYPYPATH=src $(RUN) -m mypy.stubtest hexary._native.accelerator; \
	else echo "no accelerator is built here, to compare its stub with"; fi

# At -O3 once more, as it is built: there a register shows that assembly has not named.
check-c: $(VENV)/bin/python ## compile the C code with every warning, test it under sanitizers
	for abi in "" -DPy_GIL_DISABLED=1; do \
	  $(CC) $(C_FLAGS) $$abi -I"$(PYTHON_INCLUDE)" -Icsrc -fsyntax-only \
	    src/hexary/_native/*.c || exit 1; \
	done
	@rm -rf build/c && mkdir -p build/c
	cd build/c && $(CC) $(C_FLAGS) $(CHECKED) -c $(abspath $(wildcard csrc/*.c))
	for name in $(C_TESTS); do \
	  test $$name = memory && link="$(WRAP)" || link=; \
	  $(CC) $(C_FLAGS) $(CHECKED) $$link -Icsrc csrc/tests/test_$$name.c build/c/*.o \
	    -o build/c/test_$$name && build/c/test_$$name || exit 1; \
	done
	for how in -O3 "-O3 -DHEXARY_NO_ASSEMBLY"; do \
	  for name in keccak guard; do \
	    $(CC) $(C_FLAGS) $$how -Icsrc csrc/tests/test_$$name.c csrc/keccak*.c \
	      -o build/c/test_$$name && build/c/test_$$name || exit 1; \
	  done; \
	done
	for name in $(FUZZERS); do \
	  $(CC) $(C_FLAGS) $(CHECKED) -Icsrc fuzz/fuzz_$$name.c fuzz/replay.c build/c/*.o \
	    -o build/c/fuzz_$$name && printf '%s: ' $$name && \
	    build/c/fuzz_$$name fuzz/corpus/$$name/* || exit 1; \
	done

fuzz: fuzz-c fuzz-python ## run every fuzzing harness for SECONDS_EACH

fuzz-c: ## the harnesses of the C code, with libFuzzer
	@command -v $(CLANG) > /dev/null || { echo "make fuzz needs clang and its libFuzzer," \
	  "as in Debian's clang and libclang-rt-*-dev; make check-c replays the corpora" \
	  "without them, and make fuzz-python runs the harnesses in Python" >&2; exit 1; }
	@mkdir -p build/fuzz/bin
	for name in $(FUZZERS); do \
	  mkdir -p build/fuzz/$$name && \
	  $(CLANG) $(C_FLAGS) -fsanitize=fuzzer $(CHECKED) -Icsrc \
	    fuzz/fuzz_$$name.c csrc/*.c -o build/fuzz/bin/$$name && \
	  build/fuzz/bin/$$name -max_total_time=$(SECONDS_EACH) -max_len=4096 \
	    -print_final_stats=1 -verbosity=0 -artifact_prefix=build/fuzz/$$name/ \
	    build/fuzz/$$name fuzz/corpus/$$name || exit 1; \
	done

fuzz-python: $(VENV)/installed-fuzz ## the harnesses of the Python code, and of both twins
	for name in $(PYTHON_FUZZERS); do \
	  $(RUN) fuzz/python/run.py $$name --seconds $(SECONDS_EACH) \
	    --found build/fuzz/$$name || exit 1; \
	done

format: $(VENV)/installed-check ## format, and fix what the linter can
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

coverage: $(VENV)/installed-test ## test-hashlib with line and branch coverage of src/hexary
	$(WITH_KECCAK) $(RUN) -m pytest -m "not slow" --conformance=sample --cov $(ARGS)

bench: $(BENCH_VENV)/installed ## measure hexary and its peers in one alternating run
	$(BENCH_VENV)/bin/python tools/hashlib_with_keccak.py $(BENCH_VENV)/openssl \
	  $(BENCH_VENV)/bin/python benchmarks/run.py $(ARGS)

docs: $(VENV)/installed-docs ## build docs/_build/html
	$(RUN) -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean: ## remove everything that make has made
	rm -rf $(VENV) $(BENCH_VENV) .venv-wheel build dist docs/_build htmlcov .coverage .coverage.*
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks tools -name __pycache__ -prune -exec rm -rf {} +
	rm -rf src/hexary.egg-info
	rm -f src/hexary/_native/accelerator*.so src/hexary/_native/accelerator*.pyd
	rm -f src/hexary/_native/not_built.txt

# One stamp per extra; a changed pyproject.toml, or C file, installs again.

define new_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "hexary needs Python 3.11 or later, and $(PYTHON) is not:" \
	    "$$($(PYTHON) --version 2>&1); try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Creating $(1) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(1)
endef

$(VENV)/bin/python:
	$(call new_venv,$(VENV))

$(VENV)/installed: pyproject.toml $(ACCELERATOR) | $(VENV)/bin/python
	@echo "Installing hexary into $(VENV)"
	@$(RUN) $(PIP_INSTALL) -e .
	@touch $@

$(VENV)/installed-%: pyproject.toml $(ACCELERATOR) | $(VENV)/bin/python
	@echo "Installing hexary[$*] into $(VENV)"
	@$(RUN) $(PIP_INSTALL) -e '.[$*]'
	@touch $@ $(VENV)/installed

$(BENCH_VENV)/bin/python:
	$(call new_venv,$(BENCH_VENV))

# Not editable: what is measured is the package as users install it.
$(BENCH_VENV)/installed: pyproject.toml $(SOURCES) | $(BENCH_VENV)/bin/python
	@echo "Installing hexary[bench] into $(BENCH_VENV)"
	@$(BENCH_VENV)/bin/python $(PIP_INSTALL) --force-reinstall --no-deps .
	@$(BENCH_VENV)/bin/python $(PIP_INSTALL) '.[bench]'
	@touch $@
