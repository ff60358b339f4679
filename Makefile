# `make help` lists what can be made.

PREFIX ?= /usr/local
sysconfdir ?= /etc
bindir = $(PREFIX)/bin
libdir = $(PREFIX)/lib
docdir = $(PREFIX)/share/doc/pruned
mandir = $(PREFIX)/share/man
presetdir = $(PREFIX)/share/pruned/presets
MANUAL = $(filter-out $(READER_MANUAL),$(wildcard systemd/man/*.[1578]))
READER_MANUAL = systemd/man/reader.1

# Where Debian's shells look for completions; zsh has another place for what no package installed.
bash_completions = $(PREFIX)/share/bash-completion/completions
zsh_completions = $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
fish_completions = $(PREFIX)/share/fish/vendor_completions.d

# Where systemd finds units.
unitdir = $(libdir)/systemd/system
userunitdir = $(libdir)/systemd/user

# Where the built programs are.
BIN_DIR ?= .build/release
# How many read records the sample store of `make run` has.
RECORDS ?= 100000

# The version of the package, and where it is built.
VERSION ?= $(shell sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/pruned/Process/Version.swift)
PACKAGES ?= .build

# Where `make bench` writes every single run.
JSON ?= .build/bench$(if $(QUICK),-quick).json

# What the tests printed last; what failed is said again at their end.
TEST_LOG = .build/test.log
# The tests of whole programs, and those with database servers.
PROGRAM_TESTS = ^(EndToEnd|Service)[.]
SERVER_TESTS = ^((MariaDB|PostgreSQL)Pruning|TestSupport)Tests[.]|^Conformance[.](MariaDB|PostgreSQL)
# A root directory with Debian's newest PostgreSQL.
NEWEST_SERVER = $(abspath .build/newest-server)
# The longest time that one of these groups may take.
TEST_SECONDS ?= 1200

SHELL := bash

BUILD_PACKAGES = g++ libcurl4-openssl-dev libmariadb-dev libpq-dev libsqlite3-dev libsystemd-dev libtomlplusplus-dev libxml2-dev \
    pkg-config
DEB_PACKAGES = debhelper dpkg-dev lintian
TEST_PACKAGES = $(DEB_PACKAGES) acl debootstrap faketime fish libmariadb3 liferea man-db mandoc mariadb-client-core \
    mariadb-server-core newsboat percona-toolkit pgbouncer postgresql procps prometheus quiterss rssguard sqlite3 strace \
    systemd-container tzdata util-linux xfsprogs xvfb zsh

# Not empty when installing into the running system: then systemd has to be told.
SYSTEMD_RUNS := $(if $(DESTDIR),,$(wildcard /run/systemd/system))

# $(call installed,PACKAGES): installs those that are missing.
define installed
@missing=$$(for package in $(1); do \
    dpkg-query -W -f '$${Status}\n' $$package 2>&1 | grep -q 'ok installed' || echo $$package; done); \
test -n "$$missing" || exit 0; \
if [ "$$(id -u)" = 0 ]; then sudo=; elif command -v sudo >/dev/null; then sudo=sudo; else \
    echo "Missing packages. As root: apt-get install" $$missing >&2; exit 1; fi; \
$$sudo apt-get update; $$sudo apt-get install -y --no-install-recommends $$missing
endef

# $(call unit,FILE,DIRECTORY): installs a unit, with what the units have in common in it.
define unit
sed -e 's|@bindir@|$(bindir)|' $(foreach part,daemon account sandbox, \
    -e '/^@$(part)@$$/{' -e 'r systemd/include/$(part).conf' -e 'd' -e '}') systemd/$(1) | \
    install -D -m 644 /dev/stdin $(DESTDIR)$(2)/$(notdir $(1))
endef

# $(call tests,OPTIONS): runs those tests. When they take too long, the processes that are left tell why.
define tests
@: > $(TEST_LOG); export PRUNED_BIN_DIR=$(abspath $(BIN_DIR)); \
swift test --skip-build --disable-xctest $(1) > $(TEST_LOG) 2>&1 & tests=$$!; \
{ sleep $(TEST_SECONDS) > /dev/null 2>&1 || exit; echo 'The tests take too long:'; ps -eo pid,ppid,etimes,stat,wchan:20,args; pkill -KILL -s 0 -f '[P]ackageTests.xctest'; } & \
watch=$$!; trap 'kill $$tests $$watch' INT TERM; tail -n +1 -F --pid=$$tests $(TEST_LOG); \
wait $$tests; status=$$?; pkill -P $$watch; kill $$watch; test $$status = 0 || { \
    echo 'What failed:' >&2; grep -A 8 '^✘.* recorded an issue' $(TEST_LOG) >&2; exit 1; }
endef

# $(call manual,PAGES): installs manual pages.
define manual
for page in $(1); do \
    install -D -m 644 -t $(DESTDIR)$(mandir)/man$${page##*.} $$page || exit; done
endef

# $(call completions,PROGRAM): installs what its shells complete. They read it and do not run it: without "#!".
define completions
@set -o pipefail; complete() { \
    echo "install -D -m 644 /dev/stdin $(DESTDIR)$$2"; \
    $(BIN_DIR)/$(1) --generate-completion-script $$1 | sed '1{/^#!/d}' | install -D -m 644 /dev/stdin $(DESTDIR)$$2; }; \
complete bash $(bash_completions)/$(1) && complete zsh $(zsh_completions)/_$(1) && \
    complete fish $(fish_completions)/$(1).fish
endef

.PHONY: build everything run test bench campaign mistakes order lint install install-service install-reader uninstall deb package help swift build-packages deb-packages test-packages
.DEFAULT_GOAL := build

# The Swift runtime is linked in: the programs run where no Swift is installed. lld, because the default
# linker warns about code inside Foundation. Relocations are packed, and nothing is exported to libraries that nobody
# loads: a megabyte and a half less, and a quicker start. Nor is a library of the system first looked for in eleven places
# beside the program, by each of its processes.
# libstdc++, of which they need little, is linked in as well: it is found first in a directory that has no shared one. And
# libgcc, of which they need the unwinding. Functions with the same code stand once: another megabyte and a half.
STATIC = $(abspath .build/static)
# The functions that the service calls stand together, as `make order` lists them; what is not in the list comes after
# them. The kernel maps a program in pieces of 64 KB: nearly three megabytes less are resident.
ORDER = $(abspath systemd/pruned.order)
LINKING = -Xswiftc -Xfrontend -Xswiftc -function-sections \
    -Xlinker --symbol-ordering-file=$(ORDER) -Xlinker --no-warn-symbol-ordering \
    -Xswiftc -use-ld=lld -Xswiftc -L$(STATIC) -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic -Xlinker --icf=all \
    -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
RELEASE = swift build --configuration release --disable-local-rpath --static-swift-stdlib $(LINKING)
# Swift's own clang stands beside it; not every installation has it on PATH, and Debian's has a number in its name.
CLANG = $(shell swift=$$(readlink -f "$$(command -v swift)"); for clang in "$${swift%/*}/clang" clang \
    $$(ls -rv /usr/bin/clang-[0-9]* /usr/lib/llvm-*/bin/clang 2>/dev/null); do command -v "$$clang" && break; done)
$(STATIC)/libstdc++.a: | build-packages
	@library=$$("$(CLANG)" -print-file-name=libstdc++.a) && test -f "$$library" || { \
	    echo 'No libstdc++.a is found by clang ("$(CLANG)"): install the package g++ of the newest GCC there is' >&2; exit 1; }; \
	mkdir -p $(STATIC) && ln -sf "$$library" $(STATIC)

build: swift build-packages $(STATIC)/libstdc++.a ## build the programs for release
	$(RELEASE) --product pruned
	$(RELEASE) --product reader

# The benchmark and the campaign as well.
everything: swift build-packages $(STATIC)/libstdc++.a
	$(RELEASE)

run: build ## prune a sample store; a second run finds nothing left (RECORDS=100000)
	@state=$$(mktemp -d) && trap 'rm -rf "$$state"' EXIT && set -x && \
	$(BIN_DIR)/reader sample --state-dir "$$state" --records $(RECORDS) && \
	$(BIN_DIR)/pruned --run-now --state-dir "$$state" && \
	$(BIN_DIR)/pruned --run-now --state-dir "$$state"

# First the units by themselves: they share two or three threads, and the others wait on them for programs.
test: everything test-packages ## run all tests; as root, also those on a real systemd
	$(MAKE) bench QUICK=1
	Tests/Campaign/Mistakes/try --apply
	timeout --kill-after=10 900 $(BIN_DIR)/Campaign --slice
	swift build --build-tests
	$(call tests,--skip '$(PROGRAM_TESTS)' --skip '$(SERVER_TESTS)')
	$(call tests,--filter '$(SERVER_TESTS)')
	$(call tests,--filter '$(PROGRAM_TESTS)')

# A directory named by WORK keeps the stores for the next time. PRUNED="BEFORE AFTER" compares two builds in turn,
# PEERS=no without the DELETE statements.
bench: everything test-packages ## measure and judge the speed (QUICK=1, RUNS=5, ROWS=1,2b, PRUNED="A B", WORK=DIR)
	$(BIN_DIR)/PruneBenchmark $(if $(QUICK),--quick) $(if $(RUNS),--runs $(RUNS)) \
	    $(if $(ROWS),--rows $(ROWS)) $(if $(WORK),--work $(WORK) --keep) \
	    $(PRUNED:%=--pruned %) $(if $(filter no,$(PEERS)),--without-peers) --json $(JSON)

# Each case follows from the seed and its number: what was found can be repeated alone. Without HOURS each part goes on
# until it has reached its aim.
campaign: everything test-packages ## try what can go wrong (HOURS=1, PART="writes damage", SEED=1, ONLY=number of a case)
	$(BIN_DIR)/Campaign $(PART) $(if $(HOURS),--hours $(HOURS)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

mistakes: build test-packages ## put mistakes into a copy of the program, and see the campaign find them (MISTAKE=walk-skips)
	Tests/Campaign/Mistakes/try $(MISTAKE)

# The service runs once under callgrind, which does not understand its debug information. It logs and reports as it does
# below systemd, though nobody listens. The next build links by the new list.
order: build ## list the functions that the service calls, when much of it has changed
	$(call installed,valgrind)
	state=$$(mktemp -d) && trap 'rm -rf "$$state"' EXIT && strip -g -o "$$state/pruned" $(BIN_DIR)/pruned && \
	$(BIN_DIR)/reader sample --state-dir "$$state" --records 100000 && exec 2> "$$state/log" && \
	JOURNAL_STREAM=$$(stat -c %d:%i "$$state/log") NOTIFY_SOCKET="$$state/nobody" WATCHDOG_USEC=3000000 \
	timeout --preserve-status 60 valgrind --tool=callgrind --demangle=no --callgrind-out-file="$$state/calls" \
	    "$$state/pruned" serve --state-dir "$$state" --config $(abspath systemd/pruned.toml) && \
	LC_ALL=C comm -12 <(nm "$$state/pruned" | cut -c20- | LC_ALL=C sort -u) \
	    <(sed -n "s/^c\\{0,1\\}fn=([0-9]*) \\(.*\\)/\\1/p" "$$state/calls" | sed "s/'[0-9]*$$//" | LC_ALL=C sort -u) \
	    > $(ORDER)
	rm $(BIN_DIR)/pruned

lint: swift ## check the format of the sources
	swift format lint --strict --recursive Package.swift Sources Tests

install: install-reader install-service ## install, keeping an existing configuration (PREFIX, DESTDIR)

install-reader: $(BIN_DIR)/reader
	install -D -s -t $(DESTDIR)$(bindir) $<
	$(call manual,$(READER_MANUAL))
	$(call completions,reader)

install-service: $(BIN_DIR)/pruned
	install -D -s -t $(DESTDIR)$(bindir) $<
	$(call unit,pruned.service,$(unitdir))
	$(call unit,pruned@.service,$(unitdir))
	$(call unit,pruned-run.service,$(unitdir))
	$(call unit,pruned-run.timer,$(unitdir))
	$(call unit,user/pruned.service,$(userunitdir))
	install -D -m 644 systemd/pruned.sysusers $(DESTDIR)$(libdir)/sysusers.d/pruned.conf
	install -D -m 644 systemd/pruned.tmpfiles $(DESTDIR)$(libdir)/tmpfiles.d/pruned.conf
	install -D -m 644 systemd/pruned.catalog $(DESTDIR)$(libdir)/systemd/catalog/pruned.catalog
	install -D -m 644 -t $(DESTDIR)$(docdir)/examples systemd/pruned.toml systemd/pruned.rules.yml \
	    systemd/pruned.grafana.json systemd/postgresql.conf
	install -D -m 644 -t $(DESTDIR)$(presetdir) systemd/presets/*.toml
	$(call manual,$(MANUAL))
	$(call completions,pruned)
	test -e $(DESTDIR)$(sysconfdir)/pruned/pruned.toml || \
	    test -L $(DESTDIR)$(sysconfdir)/pruned/pruned.toml || \
	    sed '/^\[store\./,$$s/^[^#]/#&/' systemd/pruned.toml | \
	    install -D -m 644 /dev/stdin $(DESTDIR)$(sysconfdir)/pruned/pruned.toml
	install -d $(DESTDIR)$(sysconfdir)/pruned/conf.d
ifneq ($(SYSTEMD_RUNS),)
	systemd-sysusers $(libdir)/sysusers.d/pruned.conf
	systemd-tmpfiles --create $(libdir)/tmpfiles.d/pruned.conf
	journalctl --update-catalog
	systemctl daemon-reload
	@echo 'Installed. Next, to start it now and at every boot: systemctl enable --now pruned'
	@echo 'Or, to have it run once a day only: systemctl disable --now pruned; systemctl enable --now pruned-run.timer'
	@echo 'If an older version is running: systemctl restart pruned'
endif

uninstall: ## remove what was installed, but neither configuration nor state (PREFIX, DESTDIR)
ifneq ($(SYSTEMD_RUNS),)
	-systemctl disable --now pruned.service pruned-run.timer
	-systemctl stop pruned-run.service 'pruned@*.service'
endif
	rm -f $(DESTDIR)$(bindir)/pruned $(DESTDIR)$(bindir)/reader
	rm -f $(addprefix $(DESTDIR)$(unitdir)/,pruned.service pruned@.service pruned-run.service pruned-run.timer)
	rm -f $(DESTDIR)$(userunitdir)/pruned.service
	rm -f $(DESTDIR)$(libdir)/sysusers.d/pruned.conf $(DESTDIR)$(libdir)/tmpfiles.d/pruned.conf
	rm -f $(DESTDIR)$(libdir)/systemd/catalog/pruned.catalog
	rm -rf $(DESTDIR)$(docdir) $(DESTDIR)$(presetdir)
	rmdir $(DESTDIR)$(dir $(presetdir)) 2>/dev/null || true
	rm -f $(foreach page,$(MANUAL) $(READER_MANUAL),$(DESTDIR)$(mandir)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(foreach name,pruned reader,$(DESTDIR)$(bash_completions)/$(name) \
	    $(DESTDIR)$(zsh_completions)/_$(name) $(DESTDIR)$(fish_completions)/$(name).fish)
ifneq ($(SYSTEMD_RUNS),)
	journalctl --update-catalog
	systemctl daemon-reload
endif
	@echo 'Left in place: $(sysconfdir)/pruned, /var/lib/pruned, /var/lib/pruned-user and the user pruned.'

# debhelper works in a directory of its own. The date is the same for the same sources.
deb: build deb-packages ## build the Debian packages into .build
	$(MAKE) package

package: $(BIN_DIR)/pruned $(BIN_DIR)/reader
	mkdir -p $(PACKAGES)
	rm -rf $(PACKAGES)/debian
	cp -r systemd/debian $(PACKAGES)/debian
	date=$$(git log -1 --format=%cD 2>/dev/null) || date=$$(date -R); \
	    sed -i "s/@version@/$(VERSION)/; s/@date@/$$date/" $(PACKAGES)/debian/changelog
	cd $(PACKAGES) && DEB_RULES_REQUIRES_ROOT=no debian/rules binary \
	    SOURCES=$(CURDIR) BIN_DIR=$(abspath $(BIN_DIR)) PACKAGES=$(abspath $(PACKAGES))
	rm -rf $(PACKAGES)/debian

help: ## list what can be made
	@sed -n 's/^\([a-z]*\):[^#]*## /\1:\t/p' $(MAKEFILE_LIST) | expand -t 12

# Only when they are missing: `sudo make install` finds no swift, and needs none after `make build`.
$(BIN_DIR)/pruned $(BIN_DIR)/reader &:
	$(MAKE) build

swift:
	@needed=$$(sed -n '1s|.*swift-tools-version: *||p' Package.swift); \
	found=$$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -1); \
	test -n "$$found" && printf '%s\n' "$$needed" "$$found" | sort --check=quiet -V || { \
	    echo "Swift $$needed or later is needed; on PATH: $${found:-none}." >&2; \
	    echo 'Get it from https://www.swift.org/install/linux; Debian has one in sid (package swiftlang).' >&2; exit 1; }

deb-packages:
	$(call installed,$(DEB_PACKAGES))

build-packages: swift
	$(call installed,$(BUILD_PACKAGES))

# The tests that need one of these say so themselves. Of tt-rss, which brings a web server, only the tables are wanted.
# The newest PostgreSQL is in no stable Debian: it is unpacked with its libraries, and runs there.
test-packages:
	-$(call installed,$(TEST_PACKAGES))
	-mkdir -p .build && cd .build && { ls tt-rss_*.deb >/dev/null 2>&1 || apt-get download tt-rss; }
	-test -d $(NEWEST_SERVER) || { rm -rf $(NEWEST_SERVER).part && \
	    debootstrap --foreign --variant=minbase --include=postgresql sid $(NEWEST_SERVER).part && \
	    for package in $(NEWEST_SERVER).part/var/cache/apt/archives/*.deb; do \
	        dpkg-deb -x $$package $(NEWEST_SERVER).part && rm $$package || exit; done && \
	    touch $(NEWEST_SERVER).part/etc/passwd && mv $(NEWEST_SERVER).part $(NEWEST_SERVER); }
