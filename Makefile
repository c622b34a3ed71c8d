# `make help` lists the targets. Everything is built below build/, one folder per CMake preset.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
# What is only run again needs no build that shows a search where it leads.
FUZZ_PRESET = $(if $(filter 0,$(FUZZ_SECONDS)),asan,fuzz)
E2E_ARGS ?=
WEB_ARGS ?=
BENCH_ARGS ?=
CLUSTER_MINUTES ?= 40
CLUSTER_ARGS ?=
SOAK ?= upgrade cluster fuzz kill portable web
PREFIX ?= /usr/local

# Where threads meet: in the server, and in commands that do several things at once. Programs whose
# code runs on one thread only (values, documents, archives) have nothing to show to ThreadSanitizer.
TSAN_TESTS := base_test obs_test http_client_test http_server_test blobs_fs_test blobs_test \
  blobs_s3_client_test blobs_s3_store_test peers_test catalog_sql_test catalog_postgres_test upstream_test \
  upstream_modules_test upstream_openid_test doctor_test service_test service_mirror_test \
  service_sign_in_test service_identity_test api_test operations_test cli_test
empty :=
space := $(empty) $(empty)

# Configures a preset once, and again when presets change (CMake re-runs itself when its own files
# do), then builds targets.
configure = test build/$(1)/build.ninja -nt CMakePresets.json || cmake --preset $(1) $(2) || $(no_room)
ninja = ninja -C build/$(1) -j $(JOBS) $(2) || $(no_room)
# Compilers that find a full disk say so in the middle of a page.
no_room = { df -Pm . | awk 'NR == 2 && $$4 < 50 { \
  print "make: the disk is full: " $$4 " MB are left at " $$6 }' >&2; exit 1; }
# End-to-end tests mostly wait: four at once on each processor. Unit tests take three slots each.
ctest = ctest --test-dir build/$(1) --output-on-failure --no-tests=error -j $$((4 * $(JOBS))) $(2)

.PHONY: help
help: ## list the targets
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

# The optimiser is two thirds of the compiler's time: without a program from `make build`, a first
# look does not wait for it.
QUICK_OR_BUILT := $(if $(wildcard build/release/koya),build,start)

.PHONY: run
run: $(QUICK_OR_BUILT) $(if $(DEMO),packages-demo) ## install what is missing, build, start a demo server, say what to do next
	@tools/run-demo $(if $(DEMO),--demo)

.PHONY: demo
demo: packages-demo $(QUICK_OR_BUILT) ## the same with a registry that is filled: modules, a provider, people (make run DEMO=1)
	@tools/run-demo --demo

.PHONY: start
start: packages
	@$(call configure,start)
	@$(call ninja,start,koya)
	@ln -f build/start/koya build/koya
	@echo "build/koya is compiled without the optimiser, for a quick start; 'make build' makes the fast one."

# The start is not built here, but its list of sources is compared: they may have come or gone.
.PHONY: test
test: lint build-all ## install what is missing, look at the source text, build, run every test
	@cmake --preset start > /dev/null || $(no_room)
	@python3 -B tools/check_build.py build=build/release start=build/start
	@$(call ctest,release)

.PHONY: build
build: packages ## build the program: build/koya
	@$(call configure,release,-DKOYA_TESTS=OFF)
	@$(call ninja,release,koya)
	@ln -f build/release/koya build/koya

.PHONY: build-all
build-all: packages-test ## build the program and its tests
	@grep -qs '^KOYA_TESTS:BOOL=ON' build/release/CMakeCache.txt || \
	  cmake --preset release -DKOYA_TESTS=ON
	@$(call ninja,release,all)
	@ln -f build/release/koya build/koya

.PHONY: packages packages-demo packages-test packages-more packages-sanitize packages-lint packages-check \
  packages-fresh packages-cross packages-release packages-engine packages-bench
packages:
	@tools/install-packages build
packages-demo:
	@tools/install-packages demo
packages-test: packages-more
	@tools/install-packages build test
# What some tests need, which are skipped without it.
packages-more:
	-@tools/install-packages pooler proxy cluster monitoring
packages-sanitize:
	@tools/install-packages build test sanitize
packages-lint:
	@tools/install-packages lint
packages-check:
	@tools/install-packages build test check
packages-fresh:
	-@tools/install-packages fresh
packages-cross:
	@tools/install-packages cross
packages-release:
	-@tools/install-packages release
packages-engine:
	-@tools/install-packages engine
packages-bench:
	@tools/install-packages build bench
	-@tools/install-packages cluster

.PHONY: unit
unit: build-all ## the unit and conformance tests
	@$(call ctest,release,-L unit)

.PHONY: packages-browser
packages-browser:
	-@tools/install-packages browser
	-@command -v node >/dev/null && command -v npm >/dev/null || tools/install-packages node

.PHONY: e2e
e2e: build-all packages-browser ## the program as its users meet it: terraform or tofu, the command line, raw HTTP
	@$(call ctest,release,-L e2e $(E2E_ARGS))

.PHONY: web
web: web-pages web-journeys ## every page in Chromium: axe-core, budgets, no script, golden pictures, journeys

.PHONY: web-pages web-journeys
web-pages web-journeys: build packages-browser packages-demo
	@KOYA_BIN=$${KOYA_BIN:-build/koya} python3 -B e2e/test_$(subst -,_,$(@:%-pages=%)).py $(WEB_ARGS) || \
	  [[ $$? == 77 ]]

.PHONY: pictures
pictures: build packages-browser packages-demo ## make docs/pictures/ anew, from a registry that the demo has filled
	@KOYA_BIN=$${KOYA_BIN:-build/koya} python3 -B e2e/web_pictures.py docs/pictures

.PHONY: golden
golden: build ## record what every GET route answers (e2e/golden); prints what changed: look at it, then commit
	@KOYA_BIN=$${KOYA_BIN:-build/koya} python3 -B e2e/golden_answers.py --record

.PHONY: crash
crash: build ## kill -9 during concurrent publishes and fetches, in full; 30 rounds each are in make test
	@for each in kill9 kill9_providers kill9_mirror; do \
	  KOYA_BIN=$${KOYA_BIN:-build/koya} python3 -B e2e/$$each.py; done

.PHONY: last-release
last-release: packages ## the program of the commit in tools/last-release: built once, then kept
	@tools/build-last-release $(JOBS)

.PHONY: upgrade
upgrade: build last-release packages-more ## the last release and this one on one database, both ways, under load
	@KOYA_BIN=$${KOYA_BIN:-build/koya} python3 -B e2e/test_upgrade.py || [[ $$? == 77 ]]

.PHONY: cluster
cluster: build packages-more ## three servers under load and faults for CLUSTER_MINUTES (40)
	@KOYA_BIN=$${KOYA_BIN:-build/koya} python3 -B e2e/cluster/run.py \
	  --minutes $(CLUSTER_MINUTES) $(CLUSTER_ARGS) || [[ $$? == 77 ]]

# What takes longer than a change should wait for: each part is done within 45 minutes.
.PHONY: soak soak-cluster soak-fuzz soak-kill soak-portable soak-upgrade soak-web
soak: ## long tests for nights and before a release: SOAK=upgrade|cluster|fuzz|kill|portable|web, or all in turn
	@failed=; for part in $(SOAK); do echo "=== soak: $$part"; \
	  $(MAKE) soak-$$part || failed+=" $$part"; done; \
	[[ -z $$failed ]] || { echo "=== soak: FAILED:$$failed"; exit 1; }
# The report is what e2e/cluster/add_up.py takes.
soak-cluster: CLUSTER_ARGS += --report build/soak-cluster.jsonl
soak-cluster: cluster
soak-fuzz: FUZZ_SECONDS = 120
soak-fuzz: fuzz
soak-kill: crash
soak-portable: portable
soak-upgrade: upgrade
soak-web: web

.PHONY: asan
asan: packages-sanitize ## each file by itself; unit tests under AddressSanitizer and UBSan
	@$(call configure,asan)
	@$(call ninja,asan)
	@$(call ctest,asan,-L unit)

.PHONY: e2e-asan
e2e-asan: packages-sanitize ## the end-to-end tests with the program under AddressSanitizer and UBSan
	@$(call configure,asan)
	@$(call ninja,asan,koya markup_test)
	@$(call ctest,asan,-L e2e $(E2E_ARGS))

.PHONY: tsan
tsan: packages-sanitize ## tests of what runs on several threads under ThreadSanitizer
	@$(call configure,tsan)
	@$(call ninja,tsan,$(TSAN_TESTS))
	@$(call ctest,tsan,-R '^($(subst $(space),|,$(TSAN_TESTS)))$$')

.PHONY: fuzz
fuzz: packages-sanitize ## each fuzz harness for FUZZ_SECONDS (60) from its seeds; 0: only what is there
	@$(call configure,$(FUZZ_PRESET))
	@$(call ninja,$(FUZZ_PRESET),fuzz)
	@tools/run-fuzz build/$(FUZZ_PRESET)/fuzz $(FUZZ_SECONDS) $(JOBS)

.PHONY: check
check: ## what CI runs: lint, the tests, the sanitizers, every other check
	@.ci/run

.PHONY: lint
lint: check-format check-layers check-coroutines check-sizes check-words check-build ## what is quick to see in the source text: run it before each commit

.PHONY: check-format
check-format: packages-lint ## fail when clang-format would change a file
	@tools/check-format

.PHONY: check-layers
check-layers: ## fail when a folder includes what docs/layers.txt forbids
	@python3 tools/check_layers.py src docs/layers.txt

.PHONY: check-coroutines
check-coroutines: ## fail on coroutine shapes that compilers get wrong (docs/coroutines.md)
	@python3 -B tools/check_coroutines.py src

.PHONY: check-sizes
check-sizes: ## report file and function sizes; fail over the hard stops
	@python3 tools/measure.py src fuzz bench

.PHONY: check-words
check-words: ## fail on unfinished work, conflict markers and stray files
	@tools/check-words

.PHONY: check-build
check-build: ## fail when headers include more than tools/build-budget.txt allows, or .ci/run is out of order
	@python3 -B tools/check_build.py

.PHONY: alone
alone: packages-test ## compile each file by itself: what a joined build leaves unseen
	@$(call configure,release,-DKOYA_TESTS=ON)
	@$(call ninja,release,koya_precompiled)
	@python3 tools/tidy.py -p build/release -j $(JOBS) --alone

.PHONY: tidy
tidy: packages-check ## clang-tidy over our files (only those that changed since it last passed)
	@$(call configure,release,-DKOYA_TESTS=OFF)
	@$(call ninja,release,koya_precompiled)
	@python3 tools/tidy.py -p build/release -j $(JOBS)

.PHONY: docs
docs: build ## write docs/api.md and docs/config.md from the route table and the settings
	@tools/generate-docs docs

.PHONY: check-docs
check-docs: build ## fail when the generated documents differ from the tree
	@tools/generate-docs --check docs

.PHONY: format
format: packages-lint ## run clang-format over the sources
	@tools/check-format --fix

.PHONY: bench
bench: build packages-bench ## Koya beside nginx, in one run; tables in build/bench/
	@$(call ninja,release,read_module judge_policy)
	@python3 bench/run.py $(BENCH_ARGS)

.PHONY: instructions
instructions: build packages-bench ## instructions of a warm request beside those recorded; RECORD=1 records them again
	@KOYA_BIN=$${KOYA_BIN:-build/koya} python3 -B bench/instructions.py $(if $(RECORD),--record) $(BENCH_ARGS)

.PHONY: fresh
fresh: ## follow the README in a fresh Debian 12 (root; debootstrap)
	@tools/fresh-debian

.PHONY: install
install: build ## install the program below PREFIX (/usr/local), its debug information in a file beside it
	@objcopy --only-keep-debug build/koya build/koya.debug
	@cd build && objcopy --strip-debug --add-gnu-debuglink=koya.debug koya koya.stripped
	@install -D -m 0755 build/koya.stripped $(DESTDIR)$(PREFIX)/bin/koya
	@install -D -m 0644 build/koya.debug $(DESTDIR)$(PREFIX)/bin/koya.debug

# The compiler compiles for every architecture; libraries of another one are Debian's packages.
ARCH ?= amd64
.PHONY: dist dist-amd64 dist-arm64
dist: dist-$(ARCH) ## pack dist/koya-VERSION-linux-ARCH.tar.gz, which runs on any Linux from 4.18 on (ARCH=arm64)
dist-amd64: build
	@tools/make-dist build/koya dist
dist-arm64: build packages-cross
	@tools/make-root arm64 build/root-arm64
	@test build/arm64/build.ninja -nt CMakePresets.json || \
	  cmake --preset release -B build/arm64 -DKOYA_TESTS=OFF --toolchain cmake/arm64.cmake
	@$(call ninja,arm64,koya)
	@tools/make-dist build/arm64/koya dist --arch arm64 --root build/root-arm64 --runs build/koya \
	  --strip llvm-strip-19 \
	  --cc "clang-19 --target=aarch64-linux-gnu --sysroot=build/root-arm64 -fuse-ld=lld"

.PHONY: image
image: dist packages-fresh ## make a container image of that, as an OCI and docker archive, in dist/
	@for tree in dist/koya-*-linux-*/; do tools/make-image "$${tree%/}" dist; done

.PHONY: portable
portable: build dist-arm64 packages-fresh packages-release packages-engine ## run what make dist packs in an empty root, in Debian 11, 12 and 13, as an image and as packages (root)
	@export KOYA_BIN=$${KOYA_BIN:-build/koya} KOYA_BUILD_TOOLS=1 \
	  KOYA_PORTABLE_SYSTEMS=bullseye,bookworm,trixie,image,arm64; \
	  for name in portable packages helm install_guide renovate; do \
	    python3 -B e2e/test_$$name.py || [[ $$? == 77 ]] || exit 1; done

.PHONY: deb-rpm
deb-rpm: dist packages-release ## make the .deb and .rpm of make dist's tree, and its bill of materials
	@for tree in dist/koya-*-linux-*64/; do \
	  tools/make-packages $$tree dist; tools/make-sbom $$tree $${tree%/}.cdx.json; done

.PHONY: release
release: ## all of these for VERSION, with notes, SHA256SUMS and its signature by KEY (a file, or gpg's ID)
	@tools/make-release --check "$(VERSION)"
	@rm -rf dist
	@$(MAKE) dist-amd64 dist-arm64
	@$(MAKE) image deb-rpm
	@tools/make-release "$(VERSION)" dist $(if $(KEY),--key "$(KEY)")

.PHONY: clean
clean: ## remove everything that was built
	@rm -rf build dist
