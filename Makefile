# make            build/locant
# make report     install what is missing, build, compare the encodings;
#                 ARGS="..." goes to 'locant report'
# make test       install what is missing, run every check
# make bench      speed against the roof of this machine
# make install    into PREFIX (/usr/local), under DESTDIR if given

# Debian's own, even where PATH leads to another that lacks its modules.
CMAKE  ?= $(or $(wildcard /usr/bin/cmake),cmake)
PREFIX ?= /usr/local
ARGS   ?=
MAKEFLAGS += --no-print-directory
JOBS   ?= $(shell nproc)
BUILD   = $(CMAKE) --build build -j $(JOBS)
# $(1): what is only built when asked for
define configure
	@mkdir -p build
	@$(CMAKE) -S . -B build -DLOCANT_TESTS=OFF -DLOCANT_BENCH=$(1) \
	    -DCMAKE_INSTALL_PREFIX=$(PREFIX) > build/configure.log 2>&1 || \
	    { cat build/configure.log; exit 1; }
endef

build/locant: FORCE
	$(call configure,OFF)
	@$(BUILD) --target locant

report:
	@scripts/setup build
	@$(MAKE) build/locant
	@build/locant report $(ARGS)

test:
	@scripts/setup build test
	@scripts/test

bench:
	@scripts/setup build
	$(call configure,ON)
	@$(BUILD) --target locant_bench
	@build/bench/locant_bench $(ARGS)

install:
	$(call configure,OFF)
	@$(BUILD)
	@$(CMAKE) --install build

clean:
	rm -rf build

FORCE:
.PHONY: report test bench install clean FORCE
