# Two commands matter: `make demo` and `make test`. Each sets up what it needs; the second time that takes no time.

# Tests start many processes, and without bytecode each of them compiles a hundred modules.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
RUN := $(VENV)/bin
# Compiling all modules, of which most are never imported, takes half of pip's time.
PIP_INSTALL = $(RUN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes
# These need a kernel, but in virtual time, which no load changes.
VIRTUAL := tests/backends/test_vm.py tests/kernel/test_agreement.py
ALONE := $(filter-out $(VIRTUAL),$(wildcard $(patsubst %,tests/%/test_*.py,backends emulation kernel)))
PROFILE := target/profile/fairlane.profdata
HOST = $(shell rustc -vV | sed -n 's/host: //p')
# What the compiled extension is made of. Python files are used where they are, and need no building.
SOURCES := Cargo.toml Cargo.lock pyproject.toml README.md $(shell find crates algorithms -type f 2>/dev/null)

.PHONY: help demo test compiled rust-tests test-rust test-python test-soak soak fidelity bench lint lint-python lint-javascript lint-rust docs docs-serve reference headers images campaign web wheels pins clean
.DELETE_ON_ERROR:

help:
	@echo "make demo      rerun a published experiment: ours beside the paper's, and plots"
	@echo "make test      run all tests"
	@echo "make fidelity  compare the simulator with what real Linux did"
	@echo "make bench     measure speed and memory, relative to the bound of the machine"
	@echo "make lint      check style and types"
	@echo "make docs      build the documentation as a site, into site/"
	@echo "make docs-serve  show it, and build it again with every change"
	@echo "make reference write those pages of the reference again that come from the code"
	@echo "make headers   write the headers and the page again that come from the table of the kernel's structures"
	@echo "make images    draw the pictures of the documentation again"
	@echo "make soak      judge random networks by laws, for TIME=30m"
	@echo "make campaign  try mutated files and arguments at length, and count what is survived"
	@echo "make web       build the simulator as a web page, into target/live/"
	@echo "make wheels    build a package into dist/ that needs no compiler to be installed"
	@echo "make pins      write the hashes of the pinned packages again"
	@echo "make clean     remove everything that was built"

demo: $(VENV)/.built
	@$(RUN)/fairlane reproduce fiftyshades2019 --only baseline
	@$(RUN)/fairlane report results/fiftyshades2019

test: compiled test-rust test-python test-soak

# Two processes compile what the tests run: linking the extension uses one core for minutes.
compiled: $(VENV)/.python
	@$(MAKE) --no-print-directory -j 2 $(VENV)/.built rust-tests $(BESIDE)

# The bindings need an interpreter around them: test-python covers them. `cargo bench` runs the benchmarks.
CARGO_TEST = cargo test --locked --workspace --exclude fairlane-python-bindings --exclude fairlane-hot-paths

rust-tests:
	$(CARGO_TEST) --no-run

test-rust: $(VENV)/.preflight
	$(CARGO_TEST)

# Two processes share the files of tests, but for those that need what the machine has once: its kernel and its clock.
test-python: $(VENV)/.built $(VENV)/.test $(VENV)/.docs
	$(RUN)/python -m pytest -q -n 2 --dist loadfile $(ALONE:%=--ignore=%)
	$(RUN)/python -m pytest -q $(ALONE)

# The page that `make web` has built, in Chromium.
.PHONY: test-web
test-web: $(VENV)/.built
	cd web && PYTHON=$(abspath $(RUN))/python npm test --silent

# About two minutes of CPU, and the same networks every time; `make soak` takes others each time.
test-soak: $(VENV)/.built
	@$(RUN)/python -m tools.soak --from 0 --count 1024

soak: TIME ?= 30m
soak: $(VENV)/.built
	@$(RUN)/python -m tools.soak --time $(TIME)

fidelity: $(VENV)/.built
	@mkdir -p results
	@$(RUN)/fairlane fidelity --out results/fidelity.csv --repeats 20 --scenarios --report docs/concepts/fidelity.md --agreement calibration/agreement.csv

bench: $(VENV)/.built
	@$(RUN)/python benchmarks/share_of_bound.py --write

lint: lint-python lint-javascript lint-rust

lint-python: $(VENV)/.built $(VENV)/.lint
	$(RUN)/ruff check python tests benchmarks tools
	$(RUN)/ruff format --check python tests benchmarks tools
	$(RUN)/mypy
	$(RUN)/lint-imports --no-logo

# Minified scripts are those of others.
lint-javascript: SCRIPTS = $(shell find python/fairlane docs -name '*.js' -not -name '*.min.js' -not -path '*/data/*') \
    $(shell find web/src web/tests web/build web/public benchmarks -name '*.ts' -o -name '*.tsx' -o -name '*.js' -o -name '*.mjs')
lint-javascript: $(VENV)/.lint
	$(RUN)/oxfmt --check $(SCRIPTS)
	$(RUN)/oxlint --deny-warnings $(SCRIPTS)

# clippy.toml says what a simulation must not use. Only `make campaign` builds fuzz/libfuzzer, so its lock file is
# checked here.
lint-rust:
	cargo metadata --locked --format-version 1 --manifest-path fuzz/libfuzzer/Cargo.toml >/dev/null
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo clippy --locked -p fairlane-quic --all-targets --features exchange -- -D warnings

# A broken link fails: --strict counts the warnings that are logged, so --quiet would let all of them pass. The site needs
# no network; the variable only silences an advertisement.
docs docs-serve: export NO_MKDOCS_2_WARNING = 1
docs: $(VENV)/.python $(VENV)/.docs
	@$(RUN)/mkdocs build --strict && echo "site/index.html"

docs-serve: $(VENV)/.python $(VENV)/.docs
	@$(RUN)/mkdocs serve --strict

reference: $(VENV)/.built
	@$(RUN)/python -m tools.reference

# All but fidelity-windows.png: `make fidelity` draws that one, from the runs of its table.
headers:
	@cargo run --quiet --locked -p fairlane-congestion-control --example headers

images: $(VENV)/.built $(VENV)/.test
	$(RUN)/python tools/site/pictures.py
	folder=$$(mktemp -d) && cd $$folder && $(abspath $(RUN))/python $(abspath tools/execute_notebook.py) $(abspath docs/guides/first-steps.ipynb)

# The engine in WebAssembly into target/web, then the page around it into target/live.
.PHONY: page
web: $(VENV)/.built
	@$(RUN)/python -m tools.web
	@$(MAKE) --no-print-directory page

page:
	@cd web && npm ci --no-audit --no-fund --silent && npm run build --silent && echo "target/live/index.html; fairlane live"

campaign: $(VENV)/.built $(VENV)/.test
	@tools/campaign

# For this machine's architecture, or `make wheels ARCH=aarch64` (needs clang and `rustup target add
# aarch64-unknown-linux-gnu`). Zig links with glibc 2.17. The algorithms, which use no glibc, are compiled with cc:
# zig's linker would drop the section that says how many arguments their callbacks have. For this machine's architecture
# the compiler has a profile of what simulations execute most (tools/profile). tools/sbom.py lists what is in the wheel.
PACKED = --compatibility manylinux2014 --out dist --sbom-include $$($(RUN)/python tools/sbom.py $(or $(ARCH:%=%-unknown-linux-gnu),$(HOST)) dist)
# Sources, compilers and profile determine the bytes, the folder does not: no path and no time of the build is in them.
CARGO_FOLDER = $(or $(CARGO_HOME),$(HOME)/.cargo)
# Zig compiles start files once for all builds, with the folder of the first in their debugging information: it is left out.
wheels: export CARGO_PROFILE_RELEASE_STRIP = debuginfo
wheels: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
wheels: export CFLAGS = -ffile-prefix-map=$(CURDIR)=/fairlane -ffile-prefix-map=$(CARGO_FOLDER)=/cargo
wheels: export FAIRLANE_PAGE = $(wildcard target/live/index.html)
PLACELESS = --remap-path-prefix=$(CURDIR)=/fairlane --remap-path-prefix=$(CARGO_FOLDER)=/cargo
ifdef ARCH
wheels: $(VENV)/.python $(VENV)/.wheels
	export CC_$(ARCH)_unknown_linux_gnu=$(abspath tools/cross/$(ARCH)-cc) PATH=$(abspath $(RUN)):$$PATH RUSTFLAGS="$(PLACELESS)"; \
	maturin build --release --zig --target $(ARCH)-unknown-linux-gnu $(PACKED)
else
wheels: export PATH := $(abspath $(RUN)):$(PATH)
wheels: export CC_$(subst -,_,$(HOST)) = cc
wheels: $(VENV)/.python $(VENV)/.wheels $(PROFILE)
	export RUSTFLAGS="$(PLACELESS)$$([ ! -e $(PROFILE) ] || echo ' -Cprofile-use=$(abspath $(PROFILE))')"; \
	maturin build --release --zig $(PACKED)
	@[ -n "$$FAIRLANE_PAGE" ] || echo "the package is without the page of fairlane live: make web, then make wheels"
endif

$(PROFILE): $(VENV)/.built $(VENV)/.wheels $(wildcard tools/profile/*)
	@mkdir -p $(@D)
	tools/profile/collect $(abspath $(RUN))/python $@

pins: $(VENV)/.python
	@$(RUN)/python tools/pin_requirements.py

clean:
	rm -rf $(VENV) target results site dist python/fairlane/*.so python/fairlane/data

# Stamps: each file says that a step was done, and make redoes the step when what it depends on is newer.

$(VENV)/.preflight: tools/preflight
	@python=$$(tools/preflight) && mkdir -p $(VENV) && echo "$$python" > $@

$(VENV)/.python: $(VENV)/.preflight requirements/run.txt requirements/build.txt
	$$(cat $(VENV)/.preflight) -m venv $(VENV)
	$(PIP_INSTALL) -r requirements/run.txt -r requirements/build.txt
	@touch $@

$(VENV)/.built: $(VENV)/.python $(SOURCES)
	PIP_QUIET=1 VIRTUAL_ENV=$(abspath $(VENV)) $(RUN)/maturin develop --release
	@touch $@

$(VENV)/.test $(VENV)/.lint $(VENV)/.docs $(VENV)/.wheels: $(VENV)/.%: $(VENV)/.python requirements/%.txt
	$(PIP_INSTALL) -r requirements/$*.txt
	@touch $@
