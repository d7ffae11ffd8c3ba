# make            build/locant
# make report     install what is missing, build, compare the encodings;
#                 ARGS="..." goes to 'locant report'
# make test       install what is missing, run every check
# make test-page  the page in Chromium, which is installed; 'make test' does the
#                 same where it finds one
# make test-full  10000 random cases of every declared property of every
#                 encoding, 400 of every oracle, a run killed 100 times,
#                 every call that writes failing once, all of the tests under
#                 the sanitizers, four minutes of each fuzz target: within two
#                 hours on 2 CPUs; PROPERTY_CASES, ORACLE_CASES and FUZZ_SECONDS
#                 change that
# make null       how often a report claims what is not true (docs/RESULTS.md),
#                 in about ten minutes; ARGS="..." goes to tools/null_reports.py
# make test-python  the Python package with PyTorch, transformers, matplotlib
#                 (some GB of wheels); 'make test' runs what needs NumPy alone
# make test-mpi   training on several processes, with Open MPI and with MPICH,
#                 which it installs, and 'make bench-scale'; 'make test' does the
#                 first with the MPI that it finds
# make bench      speed against peak speeds of this machine, recorded in
#                 bench/results; ARGS="..." goes to 'locant bench'
# make bench-table  the table "compared with the peak" of docs/SPEED.md for this
#                 machine: ISA=avx2 with those kernels, for its best ones if left
#                 out; TABLES="decode input" its rows of these tables of 'locant
#                 bench' alone; ARGS="..." goes to 'locant bench'
# make bench-peers  speed against PyTorch, onnxruntime, ggml (some GB of wheels)
# make bench-scale  the simulated tables of docs/SCALE.md, training on 2 to 32
#                 hosts, in half a minute; fails if an efficiency has fallen
# make install    into PREFIX (/usr/local), under DESTDIR if given

# Debian's own, even where PATH leads to another that lacks its modules.
CMAKE  ?= $(or $(wildcard /usr/bin/cmake),cmake)
CTEST  ?= $(patsubst %cmake,%ctest,$(CMAKE))
PREFIX ?= /usr/local
ARGS   ?=
MAKEFLAGS += --no-print-directory
JOBS   ?= $(shell nproc)
BUILD   = $(CMAKE) --build build -j $(JOBS)
define configure
	@mkdir -p build
	@$(CMAKE) -S . -B build -DLOCANT_TESTS=OFF \
	    -DCMAKE_INSTALL_PREFIX=$(PREFIX) > build/configure.log 2>&1 || \
	    { cat build/configure.log; exit 1; }
endef

build/locant: FORCE
	$(configure)
	@$(BUILD) --target locant

report:
	@scripts/setup build
	@$(MAKE) build/locant
	@build/locant report $(ARGS)

test:
	@scripts/setup build test
	@scripts/test

PAGE = --preset smoke --generated --dir build/page/lab -o build/page/page.html \
       --encodings 'none; learned; sinusoidal; rope; alibi; t5; kerple; \
                    transformer-xl'
test-page:
	@scripts/setup build page
	@$(MAKE) build/locant
	@mkdir -p build/page
	@build/locant report $(PAGE) > build/page/report.log
	@for run in 1 2; do \
	    build/locant probe $$run --dir build/page/lab > /dev/null || exit 1; \
	done
	@build/locant report $(PAGE) > build/page/report.log
	@tests/browser/page.py build/page/page.html build/page
	@node tests/forms.mjs build/locant

PROPERTY_CASES ?= 10000
ORACLE_CASES   ?= 400
# $(1) cases in the programs named $(2)
define random_cases
	@cd build/test && LOCANT_CASES=$(1) $(CTEST) -j $(JOBS) --timeout 3600 \
	    --output-on-failure --no-tests=error -R '^test_($(2))'
endef

define build_tests
	@scripts/setup build test
	@mkdir -p build/test
	@$(CMAKE) -S . -B build/test -DLOCANT_WERROR=ON -DLOCANT_TESTS=ON \
	    > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@$(CMAKE) --build build/test -j $(JOBS)
endef

test-full:
	$(build_tests)
	$(call random_cases,$(PROPERTY_CASES),property|traits|encoding|graph|resize)
	$(call random_cases,$(ORACLE_CASES),whole)
	$(call random_cases,100,checkpoint|faults|kills|store_crowd)
	@scripts/test sanitized

NULL_RUN = --encoding rope --layers 2 --width 32 --ff 128 --steps 40
null:
	$(build_tests)
	@for seed in $$(seq 72); do \
	    build/test/locant train $(NULL_RUN) --seed $$seed --dir build/null && \
	    build/test/locant eval $$seed --blocks 6 --dir build/null || exit 1; \
	done > build/null.log
	@tools/null_reports.py build/null $(ARGS)

test-python:
	@scripts/setup build peers
	$(configure)
	@$(BUILD) --target locant locant_shared locant_lab_shared
	@scripts/python $(ARGS)

test-mpi:
	@scripts/setup build test mpi
	@scripts/test-mpi

bench:
	@scripts/setup build
	@$(MAKE) build/locant
	@build/locant bench --append bench/results $(ARGS)

bench-table:
	@scripts/setup build table
	@$(MAKE) build/locant
	@scripts/speed-table "$(TABLES)" $(if $(ISA),--isa $(ISA)) $(ARGS)

bench-peers:
	@scripts/setup build peers
	$(configure)
	@$(BUILD) --target locant_shared locant_lab_shared
	@scripts/peers $(ARGS)

bench-scale:
	@scripts/bench-scale

install:
	$(configure)
	@$(BUILD)
	@$(CMAKE) --install build

clean:
	rm -rf build

FORCE:
.PHONY: report test test-page test-python test-full test-mpi null bench bench-table bench-peers bench-scale install clean FORCE
