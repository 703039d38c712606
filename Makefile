# Sparse Performance Workbook. The only makefile; everything built lands in $(BUILD).
# Type `make` for the menu. `make V=1 ...` shows the commands.

.DEFAULT_GOAL := menu
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

SHELL := /bin/sh
BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
OPT ?= -O3 -march=native
PROGRESS ?= progress.tsv
Q := $(if $(V),,@)

# --- what may stand on the command line -----------------------------------------------------------
KNOWN_VARIABLES := V BUILD CC OPT CFLAGS LIBS SANITIZE THREADS MATRIX CASE CHECK SEED LIMIT \
                   PROGRESS MATRIX_MIRROR NAMES QUICK LONG MAINTAINER OUT_FILE SHARED_MATRICES ONLY
UNKNOWN := $(filter-out $(KNOWN_VARIABLES),$(foreach v,$(MAKEOVERRIDES),$(firstword $(subst =, ,$(v)))))
ifneq ($(UNKNOWN),)
$(error $(firstword $(UNKNOWN)) is no variable of this workbook. Known are: $(KNOWN_VARIABLES))
endif

# --- the configuration: one folder of objects for each, so that switching costs nothing -----------
ifneq ($(filter-out 1 thread,$(SANITIZE)),)
$(error SANITIZE is '$(SANITIZE)', must be 1 (addresses and undefined behaviour) or thread (races))
endif
ifeq ($(SANITIZE),1)
  OPT := -O1 -march=native
  SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else ifeq ($(SANITIZE),thread)
  # ThreadSanitizer is sound for OpenMP only with clang's run time, which tells it of the barriers.
  CC := clang
  OPT := -O1 -march=native
  SANITIZER := -fsanitize=thread -fno-omit-frame-pointer
endif
OUT := $(BUILD)/$(notdir $(CC))$(if $(SANITIZE),-sanitize-$(SANITIZE))

# --- what this machine has: probed once, kept in build/, shown by `make info` ---------------------
# Goals that build nothing must work where nothing can be built.
LIGHT_GOALS := menu help setup doctor clean matrices hint-% reset-% exercise-files
BUILDS := $(filter-out $(LIGHT_GOALS),$(or $(MAKECMDGOALS),menu))
ifneq ($(BUILDS),)
ifneq ($(shell mkdir -p $(OUT) 2>&1 && test -w $(OUT) || echo no),)
$(error cannot write to $(OUT). Name another folder for everything built: make BUILD=/some/folder $(MAKECMDGOALS))
endif
include $(OUT)/probe.mk
endif
$(OUT)/probe.mk: lib/commands/probe.sh
	$(Q)CC='$(CC)' sh lib/commands/probe.sh >$@.partial && mv $@.partial $@

WARN := -Wall -Wextra -Wshadow $(if $(OPENMP),,-Wno-unknown-pragmas)
CODE := -std=gnu11 $(OPT) -g $(OPENMP) $(SANITIZER) -Ilib $(CFLAGS)
LINK := $(OPENMP) $(SANITIZER) -rdynamic
ALL_LIBS := $(HWLOC_LIBS) $(LIKWID_LIBS) $(BLAS_LIBS) -lz -lm -ldl $(LIBS)

# --- a change of flags rebuilds -------------------------------------------------------------------
FLAGS := $(strip $(CC) $(CC_VERSION) $(WARN) $(CODE) $(HWLOC_CFLAGS) $(LIKWID_CFLAGS) $(ALL_LIBS))
ifneq ($(BUILDS),)
ifneq ($(strip $(file <$(OUT)/flags)),$(FLAGS))
$(file >$(OUT)/flags,$(FLAGS))
endif
endif

# --- the library ----------------------------------------------------------------------------------
# An optional part is a pair of files, the real one and a _none, of which exactly one is linked.
LIB_C := $(wildcard $(foreach d,base formats perf kernels kernels/* solvers task,lib/$(d)/*.c))
LIB_C := $(filter-out lib/perf/topology_$(if $(HWLOC_LIBS),none,hwloc).c,$(LIB_C))
LIB_C := $(filter-out lib/perf/markers_$(if $(LIKWID_LIBS),none,likwid).c,$(LIB_C))
# --- simt: the checker of CUDA source. It is no part of a build that has the real __tsan_ functions. ---
SIMT_C := $(if $(filter thread,$(SANITIZE)),,$(filter-out lib/simt/rewrite.c,$(wildcard lib/simt/*.c)))
LIB_C += $(SIMT_C)
REWRITE := $(OUT)/bin/simt-rewrite
$(REWRITE): $(OUT)/lib/simt/rewrite.o
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZER) $< -o $@
COMPILE_CUDA = REWRITE='$(REWRITE)' sh lib/simt/compile.sh
CUDA_NEEDS := $(REWRITE) lib/simt/compile.sh lib/task/functions.awk lib/simt/shim.h \
  $(wildcard lib/simt/include/*.h lib/simt/include/*/*.h)
# --- end of simt ---
LIB_O := $(LIB_C:%.c=$(OUT)/%.o)

$(OUT)/lib/perf/topology_hwloc.o: EXTRA := $(HWLOC_CFLAGS)
$(OUT)/lib/perf/markers_likwid.o: EXTRA := $(LIKWID_CFLAGS)
$(OUT)/lib/commands/bench.o: EXTRA := $(BLAS_CFLAGS)

$(OUT)/%.o: %.c $(OUT)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CODE) $(WARN) -Werror $(EXTRA) -MMD -MP -c $< -o $@

# --- commands: one main each, lib/commands/NAME.c -> $(OUT)/bin/NAME -------------------------------
COMMAND_C := $(wildcard lib/commands/*.c)
COMMANDS := $(filter-out textplot,$(notdir $(COMMAND_C:.c=)))
COMMAND_BIN := $(COMMANDS:%=$(OUT)/bin/%)

$(COMMAND_BIN): $(OUT)/bin/%: $(OUT)/lib/commands/%.o $(OUT)/lib/commands/textplot.o $(LIB_O)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LINK) $^ $(ALL_LIBS) -o $@

# --- exercises ------------------------------------------------------------------------------------
# An exercise is a folder exercises/NN-slug with a driver, linked with the library into one judge, and
# answers: the learner's file, the solution and the wrong ones, each a shared object that it loads.
FOLDERS := $(notdir $(wildcard exercises/[0-9][0-9]-*))
number = $(patsubst 0%,%,$(firstword $(subst -, ,$1)))
file = $(subst -,_,$(patsubst $(firstword $(subst -, ,$1))-%,%,$1)).c

COMPILE_ANSWER = CC='$(CC)' CODE='$(CODE) -Wall -Wextra -Wshadow' sh lib/task/compile.sh
# A value in single quotes, whatever it holds; and an option if its variable was given, even empty.
quote = '$(subst ','\'',$1)'
option = $(if $(filter-out undefined,$(origin $1)),--$2 $(call quote,$($1)))
JUDGE_OPTIONS = --build $(call quote,$(strip $(notdir $(CC)) $(CC_VERSION) $(OPT) $(OPENMP) $(SANITIZER))) \
  $(call option,THREADS,threads) $(call option,MATRIX,matrix) $(call option,CASE,case) \
  $(call option,SEED,seed) $(call option,LIMIT,limit) $(call option,CHECK,check)

# $1 folder
define exercise_rules
$(OUT)/judge/$1: $(OUT)/exercises/$1/driver.o $(LIB_O)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CC) $(LINK) $$^ $(ALL_LIBS) -o $$@
$(OUT)/exercises/$1/driver.o: EXTRA := -Iexercises/$1
$(OUT)/exercises/$1/answer.so: exercises/$1/$(call file,$1) $(OUT)/flags lib/task/compile.sh lib/task/functions.awk
	$$(Q)$(COMPILE_ANSWER) $1 $$< $$@
$(OUT)/solutions/$1/answer.so: solutions/$1/$(call file,$1) $(OUT)/flags lib/task/compile.sh lib/task/functions.awk
	$$(Q)$(COMPILE_ANSWER) $1 $$< $$@
$(OUT)/wrong/$1/%.so: tests/wrong/$1/%.c $(OUT)/flags lib/task/compile.sh lib/task/functions.awk
	$$(Q)$(COMPILE_ANSWER) $1 $$< $$@

.PHONY: exercise-$(call number,$1) solution-$(call number,$1)
exercise-$(call number,$1): $(OUT)/judge/$1 $(OUT)/solutions/$1/answer.so $(OUT)/exercises/$1/answer.so
	$$(Q)$(OUT)/judge/$1 --folder exercises/$1 --answer $(OUT)/exercises/$1/answer.so \
	  --source exercises/$1/$(call file,$1) --reference $(OUT)/solutions/$1/answer.so \
	  --progress $$(call quote,$$(PROGRESS)) $$(JUDGE_OPTIONS)
solution-$(call number,$1): $(OUT)/judge/$1 $(OUT)/solutions/$1/answer.so
	$$(Q)$(OUT)/judge/$1 --folder exercises/$1 --answer $(OUT)/solutions/$1/answer.so \
	  --source solutions/$1/$(call file,$1) --reference $(OUT)/solutions/$1/answer.so $$(JUDGE_OPTIONS)
endef
$(foreach f,$(FOLDERS),$(eval $(call exercise_rules,$f)))

JUDGES := $(FOLDERS:%=$(OUT)/judge/%)
SOLUTION_SO := $(FOLDERS:%=$(OUT)/solutions/%/answer.so)
WRONG_SO := $(patsubst tests/wrong/%.c,$(OUT)/wrong/%.so,$(wildcard tests/wrong/*/*.c))

# --- unit tests: tests/LAYER/test_NAME.c, one program each -----------------------------------------
TEST_C := $(wildcard tests/*/test_*.c)
TEST_SUPPORT := $(patsubst %.c,$(OUT)/%.o,$(wildcard tests/support/*.c))
TEST_BIN := $(TEST_C:%.c=$(OUT)/%)
# --- simt: the kernels that its tests load, in both builds; and the same files by nvcc ---
SIMT_TESTS := $(patsubst %.c,$(OUT)/%,$(wildcard tests/simt/test_*.c))
ifeq ($(SIMT_C),)
TEST_BIN := $(filter-out $(SIMT_TESTS),$(TEST_BIN))
endif
SIMT_KERNELS := $(wildcard tests/simt/kernels/*.cu)
SIMT_SO := $(SIMT_KERNELS:%.cu=$(OUT)/%.fast.so) $(SIMT_KERNELS:%.cu=$(OUT)/%.check.so)
$(OUT)/%.fast.so: %.cu $(CUDA_NEEDS)
	$(Q)$(COMPILE_CUDA) tests $< $@ --fast
$(OUT)/%.check.so: %.cu $(CUDA_NEEDS)
	$(Q)$(COMPILE_CUDA) tests $< $@ --check
$(SIMT_TESTS) $(OUT)/tests/simt/bench: | $(SIMT_SO) $(REWRITE)
$(OUT)/tests/simt/bench: $(OUT)/tests/simt/bench.o $(OUT)/tests/simt/support.o $(LIB_O)
	$(Q)$(CC) $(LINK) $^ $(ALL_LIBS) -o $@
$(SIMT_TESTS): $(OUT)/tests/simt/support.o
.PHONY: simt-bench simt-nvcc
simt-bench: $(OUT)/tests/simt/bench
	$(Q)$<
simt-nvcc:
	$(Q)for f in $(SIMT_KERNELS); do echo "$$f"; nvcc -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra \
	  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -c $$f -o $(OUT)/nvcc.o || exit 1; done
# --- end of simt ---
$(TEST_BIN): $(OUT)/%: $(OUT)/%.o $(TEST_SUPPORT) $(LIB_O) $(OUT)/lib/commands/textplot.o
	$(Q)$(CC) $(LINK) $^ $(CMOCKA_LIBS) $(ALL_LIBS) -o $@

.PHONY: all unit-tests
all: $(COMMAND_BIN) $(JUDGES) $(SOLUTION_SO)
	@:
unit-tests: $(TEST_BIN)
	@:

# One program alone: make run-formats/test_csr
run-%: $(OUT)/tests/%
	$(Q)$<

# --- goals that commands answer -------------------------------------------------------------------
.PHONY: menu help
menu help:
	@echo menu

-include $(wildcard $(OUT)/lib/*/*.d $(OUT)/lib/*/*/*.d $(OUT)/tests/*/*.d $(OUT)/exercises/*/*.d)
