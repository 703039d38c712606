# Sparse Performance Workbook. Three parts of it are lib/judge/judge.mk, how answers are built and
# judged, lib/commands/commands.mk, what commands answer, and tests/tests.mk, what only tests and
# maintainers build. Everything built lands in $(BUILD).
# Type `make` for the menu. `make V=1 ...` shows the commands.

.DEFAULT_GOAL := menu
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDEXPANSION:
MAKEFLAGS += --no-builtin-rules --no-print-directory

SHELL := /bin/sh
# gnuplot and others write UTF-8 only where the locale knows it
ifeq ($(filter-out C POSIX,$(LC_ALL) $(LC_CTYPE) $(LANG)),)
export LC_ALL := C.UTF-8
endif
BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
OPT ?= -O3 -march=native
PROGRESS ?= progress.tsv
Q := $(if $(V),,@)

# --- what may stand on the command line -----------------------------------------------------------
KNOWN_VARIABLES := V BUILD CC OPT CFLAGS LIBS SANITIZE THREADS MATRIX CASE CHECK SEED LIMIT \
  PROGRESS MATRIX_MIRROR NAMES QUICK LONG MAINTAINER OUT_FILE SHARED_MATRICES ONLY \
  NVCC PEERS MKLROOT NAME FOR PDF SOLVER PRECOND TOL RHS ITERATIONS NV WHICH FILE ARGS DETAIL KEEP \
  RANKS SUBMISSIONS GRADES POINTS STUDENTS JOBS AGAIN ISOLATION FOLDERS EVERY ONCE HTML \
  SUBMISSION RESULTS FORMAT TIMED REFERENCE DEVICE FRESH CLUSTERS
UNKNOWN := $(filter-out $(KNOWN_VARIABLES),\
  $(foreach v,$(.VARIABLES),$(if $(filter command,$(origin $v)),$v)))
ifneq ($(UNKNOWN),)
$(error $(firstword $(UNKNOWN)) is no variable of this workbook. Known are: $(KNOWN_VARIABLES))
endif
# Of a dry run (make -n) and of a silent one (make -s) make tells its recipes by a letter.
flag = $(findstring $1,$(filter-out -%,$(firstword $(MAKEFLAGS))))
# What calls make again may not be done by a dry run: $(call again,COMMAND), behind a +.
again = $(if $(call flag,n),@echo $(call quote,$1),@MAKE='$(MAKE)' $1)
# A value in single quotes, whatever it holds; and an option if its variable was given, even empty.
quote = '$(subst ','\'',$1)'
option = $(if $(filter-out undefined,$(origin $1)),--$2 $(call quote,$($1)))

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
  export TSAN_OPTIONS := ignore_noninstrumented_modules=1
endif
empty :=
space := $(empty) $(empty)
ifneq ($(words $(BUILD)),1)
$(error BUILD is '$(BUILD)', must be one folder, with no space in its name)
endif
OUT := $(BUILD)/$(subst $(space),-,$(notdir $(CC)))$(if $(SANITIZE),-sanitize-$(SANITIZE))

# --- what this machine has: probed once, kept in build/, shown by `make info` ---------------------
# Goals that build nothing must work where nothing can be built.
LIGHT_GOALS := menu help setup doctor clean matrices hint-% reset-% diff-% watch-% exercise-files \
  print-out slides book report grade-export room
BUILDS := $(filter-out $(LIGHT_GOALS),$(or $(MAKECMDGOALS),menu))
# In `make setup tour` on a bare machine there is nothing to probe before setup has installed it. So
# setup is done before probe.mk is made; then make starts again, with what is there now.
SETUP_FIRST := $(if $(MAKE_RESTARTS),,$(filter setup,$(MAKECMDGOALS)))
PROBE := CC='$(CC)' NVCC='$(NVCC)' sh lib/commands/probe.sh
ifneq ($(BUILDS),)
ifneq ($(shell mkdir -p $(OUT) 2>&1 && test -w $(OUT) || echo no),)
$(error cannot write to $(OUT). Name another folder for everything built: \
  make BUILD=/some/folder $(MAKECMDGOALS))
endif
PROBED := $(if $(SETUP_FIRST),,$(wildcard $(OUT)/probe.mk))
include $(OUT)/probe.mk
ifneq ($(PROBED),)
ifeq ($(CC_VERSION),)
$(shell rm -f $(OUT)/probe.mk)
$(error $(CC) was not found, or cannot compile. \
  Type `make setup`, which installs it, or name yours: make CC=...)
endif
# Built on a machine without a GPU, the same folder is used on one that has one: asked once more.
ifneq ($(if $(GPU_NODES),,$(wildcard /dev/nvidia[0-9] /dev/dxg)),)
$(shell $(PROBE) >$(OUT)/probe.mk)
include $(OUT)/probe.mk
endif
ifeq ($(ZLIB_LIBS),)
$(shell rm -f $(OUT)/probe.mk)
$(error zlib and its header zlib.h were not found. Type `make setup`, which installs them)
endif
endif
endif
$(OUT)/probe.mk: lib/commands/probe.sh $(SETUP_FIRST)
	$(Q)$(PROBE) >$@.partial && mv $@.partial $@

# -Wno-psabi: functions on vectors wider than the CPU has are all inlined, so no ABI is concerned.
WARN := -Wall -Wextra -Wshadow -Wno-psabi $(if $(OPENMP),,-Wno-unknown-pragmas)
CODE := -std=gnu11 $(OPT) -g $(OPENMP) $(SANITIZER) -Ilib $(CFLAGS)
LINK := $(OPENMP) $(SANITIZER) -rdynamic
# One pair of files is all that changes with CHOLMOD, so that nothing else is built anew.
USUAL_LIBS := $(HWLOC_LIBS) $(LAPACK_LIBS) $(BLAS_LIBS) $(ZLIB_LIBS) -lm -ldl $(LIBS)
ALL_LIBS := $(CHOLMOD_LIBS) $(USUAL_LIBS)

# A change of flags rebuilds. $(call stamp,FILE,TEXT): a file that holds the text, as old as that.
stamp = $(if $(PROBED),$(if $(findstring [$(strip $2)],[$(strip $(file <$1))]),,$(file >$1,$2)))
$(call stamp,$(OUT)/flags,$(CC) $(CC_VERSION) $(WARN) $(CODE) $(HWLOC_CFLAGS) \
  $(USUAL_LIBS))
# The same of nvcc, which builds less.
$(call stamp,$(OUT)/nvcc,nvcc: $(NVCC) $(CUDA_VERSION) $(CUDA_CODE))

# --- the library: one archive, of which judges take all, and other programs what they need --------
# An optional part is a pair of files, the real one and a _none, of which exactly one is in it.
unused = lib/$1_$(if $($2),none,$3).c
LIB_C := $(filter-out $(call unused,perf/topology,HWLOC_LIBS,hwloc) \
  $(call unused,solvers/small,LAPACK_LIBS,lapack) \
  $(call unused,solvers/cholesky,CHOLMOD_LIBS,cholmod) $(call unused,kernels/blas,BLAS_LIBS,cblas) \
  $(addprefix lib/judge/,$(if $(filter thread,$(SANITIZE)),checker.c sectors.c,checker_none.c)) \
  $(wildcard lib/distributed/*_mpi.c), \
  $(wildcard $(addprefix lib/,$(addsuffix /*.c,base formats perf kernels kernels/* solvers \
  solvers/* distributed judge kit))))
RANKS_C := $(wildcard lib/ranks/*.c lib/simt/fiber*.c)
# The checker of CUDA source is no part of a build that has the real __tsan_ functions.
SIMT_C := $(if $(filter thread,$(SANITIZE)),,\
  $(filter-out lib/simt/rewrite%.c $(RANKS_C),$(wildcard lib/simt/*.c)))
# Who is linked with CUDA has these from nvcc or for the checker, and all others the _none files.
CUDA_CU := lib/base/device_cuda.cu lib/perf/bandwidth_cuda.cu $(wildcard lib/kernels/cuda/*.cu)
NONE_C := lib/base/device_none.c lib/perf/bandwidth_cuda_none.c lib/kernels/cuda_none.c
LIB_C := $(filter-out $(NONE_C),$(LIB_C)) $(RANKS_C) $(SIMT_C) \
  lib/commands/command.c lib/commands/solving.c
LIB_O := $(LIB_C:%.c=$(OUT)/%.o)
NONE_O := $(NONE_C:%.c=$(OUT)/%.o)
LIB := $(OUT)/libspw.a
$(call stamp,$(OUT)/members,$(LIB_C))

# Arithmetic that is after its own rounding errors, kernels/double_double.h.
UNMERGED := kernels/reference/gram_dd kernels/expert/gram_dd solvers/orthogonalise_mixed
$(UNMERGED:%=$(OUT)/lib/%.o): EXTRA := -ffp-contract=off
$(OUT)/tests/kernels/test_double_double.o: EXTRA := -ffp-contract=off -Itests
$(OUT)/lib/solvers/cholesky_cholmod.o: EXTRA := $(CHOLMOD_CFLAGS)
$(OUT)/lib/perf/topology_hwloc.o: EXTRA := $(HWLOC_CFLAGS)
$(OUT)/exercises/%.o: EXTRA = -I$(<D)
# The library is compiled quickly: a debugger has its lines and functions, no more; and what the
# judge, ranks of MPI and tests do themselves is little. Below -O2 gcc leaves out vzeroupper:
# answers that the judge calls, compiled for SSE, then take three times as long.
$(OUT)/lib/%.o: EXTRA += -g1
$(OUT)/lib/judge/%.o $(OUT)/lib/ranks/%.o: EXTRA += -O2
$(OUT)/lib/judge/races/%.o: EXTRA += $(OPT)
$(OUT)/tests/%.o: EXTRA += -Itests -O1
$(OUT)/tests/ranks/%.o: EXTRA += -Ilib/ranks/include
$(OUT)/%.o: %.c $(OUT)/flags
	$(Q)mkdir -p $(@D) && $(CC) $(CODE) $(WARN) -Werror $(EXTRA) -MMD -MP -c $< -o $@$(tick)

# The first time it is built by as many compilers as there are cores, and says so.
CORES := $(shell nproc 2>/dev/null || echo 2)
ifeq ($(if $(wildcard $(LIB)),,$(if $(SPW_LIBRARY),,first)),first)
$(LIB): $(OUT)/flags
	$(if $(call flag,s),,@echo ' Building the library, once, about a minute: $(words $(LIB_O)) files')
	+$(Q)SPW_LIBRARY=1 $(MAKE) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(CORES)) $@
else
$(LIB): $(LIB_O) $(OUT)/members
	$(Q)rm -f $@ && ar rcsT $@ $(LIB_O)
endif
ifneq ($(SPW_LIBRARY),)
COMPILED :=
tick = $(eval COMPILED += x)$(if $(filter 50 100 150,$(words $(COMPILED))),\
  $(if $(call flag,s),,$(info $(space) $(words $(COMPILED)) of $(words $(LIB_O)))))
endif

# A program: objects of its own, the library, and $1, further flags. A judge has all of the library,
# so that an answer that calls it can be told so.
link = $(Q)mkdir -p $(@D) && $(CC) $(LINK) $(filter %.o,$^) $(LIB) $1 $(ALL_LIBS) -o $@
link_whole = $(subst $(LIB),-Wl$(,)--whole-archive $(LIB) -Wl$(,)--no-whole-archive,$(link))
, := ,

# --- cuda: for the checker in any case, and by nvcc where there is one ----------------------------
REWRITE := $(OUT)/bin/simt-rewrite
$(REWRITE): $(OUT)/lib/simt/rewrite.o $(OUT)/lib/simt/rewrite_text.o
	$(Q)mkdir -p $(@D) && $(CC) $(SANITIZER) $^ -o $@
COMPILE_CUDA = REWRITE='$(REWRITE)' sh lib/simt/compile.sh
CUDA_NEEDS := $(REWRITE) lib/simt/compile.sh lib/judge/answer.sh lib/judge/functions.awk \
  lib/simt/shim.h $(wildcard lib/simt/include/*.h lib/simt/include/*/*.h)

# NVCC=no does without it. cudart and the sanitizers do not go together.
CUDA := $(if $(SANITIZE)$(filter no,$(NVCC)),,$(CUDA_CODE))
CUDA_O := $(if $(CUDA),$(CUDA_CU:%.cu=$(OUT)/%.o),$(NONE_O))
$(CUDA_CU:%.cu=$(OUT)/%.o): $(OUT)/%.o: %.cu $(OUT)/flags $(OUT)/nvcc
	$(Q)mkdir -p $(@D)
	$(Q)$(or $(NVCC),nvcc) -std=c++17 -O3 -lineinfo $(CUDA_CODE) -Ilib -Werror all-warnings \
	  -Xcompiler -Wall,-Wextra,-Wshadow -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# The same sources, one object each, with a callback at every access. `#pragma unroll` is nvcc's.
CHECKER_O := $(if $(SIMT_C),$(CUDA_CU:%.cu=$(OUT)/checker/%.o))
CHECKER_CXX = $(or $(patsubst %gcc,%g++,$(filter %gcc,$(CC))),g++) -std=c++17 -x c++ \
  -Wall -Wextra -Wshadow -Wno-unknown-pragmas
$(CHECKER_O): $(OUT)/checker/%.o: %.cu $(CUDA_NEEDS) $(OUT)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(CHECKER_CXX) -E -MMD -MP -MF $(@:.o=.d) -MT $@ -isystem lib/simt/include -Ilib $< \
	  -o $(@:.o=.ii)
	$(Q)$(REWRITE) <$(@:.o=.ii) >$(@:.o=.rewritten.ii)
	$(Q)$(CHECKER_CXX) -fpreprocessed -Werror -g -O1 -fsanitize=thread \
	  --param tsan-distinguish-volatile=1 -fsanitize-coverage=trace-pc -fno-exceptions \
	  -fno-gnu-unique -c $(@:.o=.rewritten.ii) -o $@
	$(Q)rm $(@:.o=.ii) $(@:.o=.rewritten.ii)

# Where a GPU was found, CUDA exercises have a second judge, linked with nvcc's objects, and answers
# are built by nvcc, too. All of them share one CUDA runtime.
GPU := $(if $(and $(CUDA),$(CUDA_SHARED),$(SIMT_C)),$(GPU_NAME))
WHY_NO_CUDA := $(if $(CUDA),no libcudart.so beside nvcc,no nvcc for the GPU here)
NO_GPU := $(if $(SANITIZE),not with SANITIZE,$(if $(GPU_NAME),$(WHY_NO_CUDA),no GPU here))
GPU_LIBS = -L$(CUDA_SHARED) -Wl,-rpath,$(CUDA_SHARED) -lcudart -lstdc++
COMPILE_GPU = NVCC='$(or $(NVCC),nvcc)' CUDA_CODE='$(CUDA_CODE)' CUDA_SHARED='$(CUDA_SHARED)' \
  sh lib/judge/compile_gpu.sh

# --- commands: lib/commands/NAME.c -> $(OUT)/bin/NAME, and what a folder NAME/ has besides --------
NO_COMMANDS := command solving $(if $(SIMT_C),,check_cuda check_mpi)
COMMANDS := $(filter-out $(NO_COMMANDS),\
  $(patsubst lib/commands/%.c,%,$(wildcard lib/commands/*.c)))
COMMAND_BIN := $(COMMANDS:%=$(OUT)/bin/%)
UNUSED := %/blas_peers_$(if $(BLAS_LIBS),none,cblas).c $(if $(SIMT_C),,%/checker.c)
own_objects = $(patsubst %.c,$(OUT)/%.o,$(filter-out $(UNUSED),$(wildcard lib/commands/$1/*.c)))
# What runs programs of others has all that these may ask for.
$(COMMAND_BIN): $(OUT)/bin/%: $(OUT)/lib/commands/%.o $$(call own_objects,$$*) $(NONE_O) $(LIB)
	$(call link$(if $(filter %/check_cuda %/check_mpi,$@),_whole))
# The one program that is linked with MPI, where that was found.
MPI_O := $(patsubst %.c,$(OUT)/%.o,$(wildcard lib/distributed/*_mpi.c))
$(MPI_O): EXTRA := $(patsubst -I%,-isystem %,$(filter -I%,$(MPI_FLAGS)))
$(OUT)/bin/solve_ranks: $(if $(MPI_FLAGS),$(MPI_O))
$(OUT)/bin/solve_ranks: ALL_LIBS += $(MPI_FLAGS)
# Where a GPU was found, the same program with nvcc's objects.
$(OUT)/bin/bench-gpu: $(OUT)/lib/commands/bench.o $(call own_objects,bench) $(CUDA_O) $(LIB) \
  $(OUT)/nvcc
	$(call link,$(CUDA_LIBS))

# --- exercises ------------------------------------------------------------------------------------
# lib/commands/exercises.sh has them all. Each is a judge, a driver linked with the library, and
# answers: the learner's file, the solution and the wrong ones, each a shared object that it loads.
# NAME is a folder, 06-spmv-csr, or 06-spmv-csr.gpu for the GPU part in it; the number of that in
# goals is 6-gpu. Of each: file.NAME, number.NAME, needs.NAME, name.NUMBER.
TABLE := $(shell sh lib/commands/exercises.sh | cut -f 1,2,4,7 | tr ' \t' '_|')
define row
number.$(word 1,$1) := $(word 2,$1)
name.$(word 2,$1) := $(word 1,$1)
file.$(word 1,$1) := $(word 3,$1)
needs.$(word 1,$1) := $(word 4,$1)
endef
$(foreach r,$(TABLE),$(eval $(call row,$(subst |, ,$r))))
EXERCISES := $(foreach r,$(TABLE),$(firstword $(subst |, ,$r)))
NUMBERS := $(foreach e,$(EXERCISES),$(number.$e))
EXERCISE_FOLDERS := $(filter-out %.gpu,$(EXERCISES))

include lib/judge/judge.mk

# --- goals with a number --------------------------------------------------------------------------
NUMBERED := exercise solution hint watch reset diff traffic wrong
.PHONY: $(foreach g,$(NUMBERED),$(NUMBERS:%=$g-%))
e = $(name.$*)
RECORD = $(BUILD)/records/$*.json
$(NUMBERS:%=exercise-%): exercise-%: $$(call judge_needs,$$e,exercises)
	$(Q)$(call run_judge,$e,exercises,$(RECORD)) --hints $(BUILD)/hints-$*; status=$$?; \
	  sh lib/judge/progress.sh $(RECORD) $(call quote,$(PROGRESS)) && exit $$status
$(NUMBERS:%=solution-%): solution-%: $$(call judge_needs,$$e,solutions)
	$(Q)$(call run_judge,$e,solutions,$(BUILD)/records/solution-$*.json)
$(NUMBERS:%=hint-%): hint-%:
	@sh lib/commands/hint.sh $* exercises/$(basename $e)/hints$(if $(suffix $e),_gpu).md \
	  $(BUILD)/hints-$* $(RECORD) $(call quote,$(FOR))
$(NUMBERS:%=watch-%): watch-%:
	+$(call again,sh lib/commands/watch.sh $* $(call learners,$e))
$(NUMBERS:%=reset-%): reset-%:
	@sh lib/commands/reset.sh $(call solved,$e) $(call learners,$e)
$(NUMBERS:%=diff-%): diff-%:
	@sh lib/commands/diff.sh $(call learners,$e) $(call solved,$e)
counter = $(if $(is_cuda),sectors,traffic)
$(NUMBERS:%=traffic-%): traffic-%: $(OUT)/judge/$$e $$(call judge_needs,$$e,exercises)
	+$(call again,sh lib/commands/$(call counter,$e).sh '$(OUT)' '$(BUILD)' $e $(call learners,$e) \
	  -- --build $(call build_text,$e) $(call gpu_options,$e,exercises) $(JUDGE_OPTIONS))

.PHONY: all probe print-out
all: $(COMMAND_BIN) $(JUDGES) $(SOLUTION_SO)
	@:
probe:
	@:
print-out:
	@echo '$(OUT)'

# --- goals without a number; most are in the files that are included ------------------------------
.PHONY: menu help setup doctor test clean exercise-files
menu help:
	@sh lib/commands/menu.sh $(call quote,$(PROGRESS))
setup:
	$(if $(MAKE_RESTARTS),@:,@CC='$(CC)' sh lib/commands/setup.sh '$(BUILD)')
doctor:
	@CC='$(CC)' sh lib/commands/doctor.sh

# For maintainers: writes every learner's file anew from its solution, over what stands there.
exercise-files:
	$(Q)$(foreach e,$(EXERCISES),f=$(call learners,$e) && \
	  awk -f lib/commands/strip.awk $(call solved,$e) >$$f.partial && mv $$f.partial $$f &&) :

test:
	+$(call again,BUILD='$(BUILD)' CC='$(CC)' sh tests/run.sh)

include lib/commands/commands.mk
include $(wildcard tests/tests.mk)

# Only what the makefile made: BUILD may be any folder, those of compilers in it have a probe.mk.
clean:
	$(Q)rm -rf $(patsubst %/,%,$(dir $(wildcard $(BUILD)/*/probe.mk))) $(addprefix $(BUILD)/,plots \
	  hints-* machine.tsv formats.tsv bench.tsv collection.tsv energy.tsv reports records tests \
	  fuzz traffic pages)
	$(Q)-rmdir $(BUILD) 2>/dev/null || true

# --- what there is not ----------------------------------------------------------------------------
$(NUMBERED:%=%-%):
	@echo 'There is no exercise $*. There are: $(NUMBERS)' >&2; exit 2
.PHONY: lib exercises tests
lib exercises tests:
	@echo 'There is no goal $@. Type make for the menu.' >&2; exit 2
.DEFAULT:
	@echo 'There is no goal $@. Type make for the menu.' >&2; exit 2

# Of wrong answers, two thousand, those that are asked for.
-include $(wildcard $(addprefix $(OUT)/,lib/*/*.d lib/*/*/*.d checker/lib/*/*.d \
  checker/lib/*/*/*.d tests/*/*.d exercises/*/*.d solutions/*/*.d shipped/*/*.d)) \
  $(patsubst %.so,%.d,$(filter $(OUT)/wrong/%.so,$(MAKECMDGOALS)))
