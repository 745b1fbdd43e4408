# perfhud: `make help` lists the targets.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# Debian's packages have them in vendor-completions.
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
# Options for the HUD that `make run` starts.
ARGS ?=

BUILD_PACKAGES = libncurses-dev
TEST_PACKAGES = $(BUILD_PACKAGES) time gcc binutils libc6-dev ncurses-bin procps tmux xterm xvfb xfonts-base imagemagick x11-utils xdotool mandoc python3 valgrind \
  fish zsh vim less nano emacs-nox mc htop vttest
# Languages of the programs that know their own truth, and a load beside them.
TRUTH_PACKAGES = nodejs default-jdk-headless stress-ng
# Terminals beside xterm, tmux and screen.
LONG_PACKAGES = kitty sakura libgl1-mesa-dri
# Real terminals and programs in them, for pictures.
TERMINAL_PACKAGES = $(LONG_PACKAGES) alacritty rxvt-unicode stterm mlterm konsole screen dialog man-db fonts-dejavu-core
PACKAGE_PACKAGES = $(BUILD_PACKAGES) binutils dpkg lintian debootstrap tmux python3
# Readers of what perfhud exports.
EXPORT_PACKAGES = prometheus prometheus-node-exporter
BENCH_PACKAGES = $(BUILD_PACKAGES) gcc libc6-dev procps htop btop bsdutils tmux screen vim make python3

BINARY = .build/release/perfhud
DEMO = .build/release/perfhud-demo
PICTURES = .build/release/perfhud-pictures
# One static executable that needs nothing but /proc. The flags stand here and not in Package.swift,
# where they would bar other packages from depending on the libraries. The object has the commit and its day.
# Without the hash of each module, in which the path of this folder is, the same commit gives the same bytes.
RELEASE = -c release -Xswiftc -static-executable -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
  -Xlinker -s $(addprefix -Xlinker ,$(STAMP))
STAMP = $(shell scripts/stamp-build.sh $(SWIFT))
# Where `make deb` and `make tarball` leave what they make.
PACKAGES = .build/packages

.DEFAULT_GOAL := help
.PHONY: help run build test test-truth test-faults test-exports test-terminals test-long check check-instructions check-sanitize bench bench-programs bench-watch bench-overlay bench-supervisor bench-rest \
  bench-bars bench-replay bench-screen bench-events bench-tree bench-hud bench-recording bench-compare fuzz install uninstall deps deps-test deps-bench format \
  lint layers golden clean soak bench-floods screenshots check-pictures deb tarball test-packages docs

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

run: deps ## build, start the demo program and show it (ARGS='--tick 0' for options)
	@$(MAKE) --no-print-directory build
	@scripts/run-demo.sh $(BINARY) $(DEMO) $(ARGS)

build: ## build the release binary, .build/release/perfhud
	@$(SWIFT) build $(RELEASE) --product perfhud 2>&1 | scripts/quiet-build.sh
	@$(SWIFT) build $(RELEASE) --product perfhud-demo 2>&1 | scripts/quiet-build.sh

test: deps-test ## build everything and run all tests
	@$(MAKE) --no-print-directory build
	@scripts/test.sh

test-truth: deps-test ## compare with programs that know their own truth (ARGS='--load 4 --repeat 20')
	@scripts/install-packages.sh $(TRUTH_PACKAGES)
	@$(MAKE) --no-print-directory build
	@python3 Tests/Truth/truth.py $(ARGS)

test-faults: deps-test ## make each system call of perfhud fail in turn, a quarter of an hour (ARGS='--only write')
	@$(MAKE) --no-print-directory build
	@python3 Tests/Faults/matrix.py $(ARGS)

test-exports: deps-test ## scrape a run through node_exporter, and compare with its recording
	@scripts/install-packages.sh $(EXPORT_PACKAGES)
	@$(MAKE) --no-print-directory build
	@python3 Tests/Exports/prometheus.py $(ARGS)

test-terminals: deps-test ## compare pixels with and without perfhud in real terminals (ARGS='kitty st --only vim')
	@scripts/install-packages.sh $(TERMINAL_PACKAGES)
	@$(MAKE) --no-print-directory build
	@python3 Tests/Terminals/terminals.py $(ARGS)

test-long: deps-test ## the tests with all that takes long, some hours; two more terminals
	@scripts/install-packages.sh $(LONG_PACKAGES)
	@$(MAKE) --no-print-directory build
	@LONG_TESTS=1 scripts/test.sh

check: deps-test ## what CI runs: format, layers, tests, copies, products, instructions, words, documents
	@$(MAKE) --no-print-directory lint layers
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory check-pictures
	@scripts/check-copies.sh
	@scripts/check-products.sh
	@scripts/check-release.sh
	@$(MAKE) --no-print-directory check-instructions
	@python3 Benchmarks/all.py --self-test
	@scripts/check-words.sh
	@scripts/check-docs.sh

check-instructions: deps-test ## compare the instructions of the hot loops with scripts/instructions.txt (ARGS=--update)
	@$(SWIFT) build $(RELEASE) --product bench-screen 2>&1 | scripts/quiet-build.sh
	@SWIFT=$(SWIFT) scripts/check-instructions.sh $(ARGS)

check-sanitize: deps-test ## run the unit tests with the address sanitizer (ARGS=thread: another one)
	@scripts/check-sanitize.sh $(ARGS)

bench: deps-bench ## measure everything that has a bar, in one table; fails if a bar is missed (ARGS='--quick')
	@$(MAKE) --no-print-directory build bench-programs
	@python3 Benchmarks/all.py $(ARGS)

bench-programs: deps ## build the programs that the benchmarks run
	@$(SWIFT) build $(RELEASE) --product bench-events 2>&1 | scripts/quiet-build.sh
	@for name in bench-hud bench-recording bench-replay; do \
	  $(SWIFT) build -c release --scratch-path .build/bench --product $$name 2>&1 | scripts/quiet-build.sh || exit 1; done

bench-watch: deps-bench ## measure against top, htop, btop and a minimal C program (ARGS='--quick')
	@$(MAKE) --no-print-directory build
	@python3 Benchmarks/watching.py $(ARGS)

bench-overlay: deps-bench ## measure the overlay against a bare relay, script, tmux and screen
	@$(MAKE) --no-print-directory build
	@python3 Benchmarks/overlay.py $(ARGS)

bench-supervisor: deps-bench ## measure what the supervisor costs, by the same perfhud without one
	@$(MAKE) --no-print-directory build
	@python3 Benchmarks/supervisor.py $(ARGS)

bench-rest: deps-bench ## measure bytes and CPU while nothing happens (ARGS='--fill 40 --seconds 15')
	@$(MAKE) --no-print-directory build
	@python3 Benchmarks/rest.py $(ARGS)

bench-bars: deps-bench ## what the HUD says of programs that know their own truth
	@$(MAKE) --no-print-directory build
	@python3 Benchmarks/bars.py $(ARGS)

bench-floods: deps ## count paintings and lines in floods, on a terminal without synchronized updates
	@$(MAKE) --no-print-directory build
	@python3 Benchmarks/floods.py $(ARGS)

soak: deps ## days of samples at once, then minutes of changing load: nothing grows (ARGS='--minutes 60')
	@$(SWIFT) build -c release --scratch-path .build/bench --product bench-soak 2>&1 | scripts/quiet-build.sh
	@$(MAKE) --no-print-directory build
	@python3 Benchmarks/soak.py $(ARGS)

fuzz: deps ## feed random bytes to what reads them (ARGS='--bytes 1000000 --seed 7', SANITIZE=address)
	@$(SWIFT) build -c release -Xswiftc -assert-config -Xswiftc Debug --scratch-path .build/fuzz \
	  $(if $(SANITIZE),--sanitize=$(SANITIZE)) --product perfhud-fuzz 2>&1 | scripts/quiet-build.sh
	@ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:handle_segv=0 .build/fuzz/release/perfhud-fuzz $(ARGS)

bench-events: deps ## measure what an event costs the program that sends it (ARGS='--quick', ARGS=flood)
	@$(SWIFT) build $(RELEASE) --product bench-events 2>&1 | scripts/quiet-build.sh
	@$(if $(filter flood,$(ARGS)),$(MAKE) --no-print-directory build)
	@python3 Benchmarks/events.py $(ARGS)

bench-tree: deps build ## measure trees of processes: cost, and CPU time that is not lost (ARGS='--quick')
	@python3 Benchmarks/tree.py $(ARGS)

bench-screen: deps ## measure the parser and the screen model alone (ARGS='FILE ...')
	@$(SWIFT) build $(RELEASE) --product bench-screen 2>&1 | scripts/quiet-build.sh
	@.build/release/bench-screen $(ARGS)

bench-recording: deps ## measure how fast a recording is written, read and folded (ARGS=4: hours)
	@$(SWIFT) build -c release --scratch-path .build/bench --product bench-recording 2>&1 | scripts/quiet-build.sh
	@.build/bench/release/bench-recording make .build/bench/long.phr $(or $(ARGS),24)
	@.build/bench/release/bench-recording fold .build/bench/long.phr
	@.build/bench/release/bench-recording write .build/bench/hour.phr

bench-replay: deps ## measure how fast the player of recordings folds a day and seeks in it (ARGS=HOURS)
	@$(SWIFT) build -c release --scratch-path .build/bench --product bench-replay 2>&1 | scripts/quiet-build.sh
	@.build/bench/release/bench-replay $(ARGS)

bench-compare: deps ## count false alarms and found changes of comparisons of made-up runs (ARGS=NUMBER)
	@$(SWIFT) build -c release --scratch-path .build/bench --product bench-compare 2>&1 | scripts/quiet-build.sh
	@.build/bench/release/bench-compare $(ARGS)

bench-hud: deps ## measure the redraw of the HUD and its formatter of figures
	@$(SWIFT) build -c release --scratch-path .build/bench --product bench-hud 2>&1 | scripts/quiet-build.sh
	@.build/bench/release/bench-hud

install: ## install binary, manual pages, completions, clients, tmux and shell files below PREFIX
	@test -x $(BINARY) || $(MAKE) --no-print-directory build
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/perfhud
	@for page in docs/*.[1-8]; do \
	  install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; done
	@for file in tmux/perfhud.tmux shell/perfhud.bash shell/perfhud.zsh shell/perfhud.fish \
	  grafana/perfhud.json; do \
	  install -D -m 644 contrib/$$file $(DESTDIR)$(PREFIX)/share/perfhud/$$file; done
	@chmod 755 $(DESTDIR)$(PREFIX)/share/perfhud/tmux/perfhud.tmux
	@for file in perfhud.h perfhud.py; do \
	  install -D -m 644 clients/$$file $(DESTDIR)$(PREFIX)/share/perfhud/clients/$$file; done
	@mkdir -p $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(ZSH_COMPLETIONS) \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(BINARY) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/perfhud
	$(BINARY) --generate-completion-script zsh > $(DESTDIR)$(ZSH_COMPLETIONS)/_perfhud
	$(BINARY) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/perfhud.fish

uninstall: ## remove what install installed
	rm -f $(DESTDIR)$(PREFIX)/bin/perfhud \
	  $(foreach page,$(wildcard docs/*.[1-8]),$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/perfhud $(DESTDIR)$(ZSH_COMPLETIONS)/_perfhud \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/perfhud.fish
	rm -rf $(DESTDIR)$(PREFIX)/share/perfhud

deb: deps ## make a Debian package in .build/packages
	@$(MAKE) --no-print-directory build
	@packaging/deb.sh $(PACKAGES)

tarball: deps ## make an archive of the static binary with its files in .build/packages
	@$(MAKE) --no-print-directory build
	@packaging/tarball.sh $(PACKAGES)

test-packages: ## install, run and remove the package in a new Debian without Swift, as root (ARGS='--rebuild')
	@scripts/install-packages.sh $(PACKAGE_PACKAGES)
	@$(MAKE) --no-print-directory build
	@scripts/check-packages.sh $(ARGS)

deps: ## install missing Debian packages that the build needs
	@scripts/install-packages.sh $(BUILD_PACKAGES)

deps-test: ## install missing Debian packages that the tests need
	@scripts/install-packages.sh $(TEST_PACKAGES)

deps-bench: ## install missing Debian packages that the benchmarks need
	@scripts/install-packages.sh $(BENCH_PACKAGES)

docs: deps ## write the reference of Sampler and PerfHUDClient (DocC) to .build/documentation
	@scripts/make-docs.sh $(SWIFT)

format: ## format the Swift sources
	@$(SWIFT) format --in-place --recursive Package.swift Sources Tests

lint: ## check the format of the Swift sources
	@$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	@echo "format: clean"

layers: ## check which target imports which (docs/ARCHITECTURE.md)
	@scripts/check-layers.sh

golden: ## write the golden screens anew; look at the difference before you commit it
	@PERFHUD_UPDATE_GOLDEN=1 $(SWIFT) test --filter HUDTests

screenshots: deps ## draw the pictures of the documents anew, docs/images; look at them before you commit them
	@$(SWIFT) build $(RELEASE) --product perfhud-pictures 2>&1 | scripts/quiet-build.sh
	@$(PICTURES) Tests/Pictures/Screens docs/images

check-pictures: deps ## check that docs/images is what `make screenshots` draws
	@$(SWIFT) build $(RELEASE) --product perfhud-pictures 2>&1 | scripts/quiet-build.sh
	@scripts/check-pictures.sh $(PICTURES)

clean: ## remove everything that was built
	rm -rf .build
