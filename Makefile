# Sparse Performance Workbook. The only makefile; everything built lands in $(BUILD).
# Type `make` for the menu. `make V=1 ...` shows the commands.

.DEFAULT_GOAL := menu
.DELETE_ON_ERROR:
.SUFFIXES:
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
                   NVCC PEERS NAME SOLVER PRECOND TOL RHS ITERATIONS NV WHICH
UNKNOWN := $(filter-out $(KNOWN_VARIABLES),$(foreach v,$(.VARIABLES),$(if $(filter command,$(origin $v)),$v)))
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
               print-out slides book report grade
BUILDS := $(filter-out $(LIGHT_GOALS),$(or $(MAKECMDGOALS),menu))
# In `make setup tour` on a bare machine there is nothing to probe before setup has installed it. So setup
# is done before probe.mk is made; then make starts again, with what is there now, and setup is done.
SETUP_FIRST := $(if $(MAKE_RESTARTS),,$(filter setup,$(MAKECMDGOALS)))
ifneq ($(BUILDS),)
ifneq ($(shell mkdir -p $(OUT) 2>&1 && test -w $(OUT) || echo no),)
$(error cannot write to $(OUT). Name another folder for everything built: make BUILD=/some/folder $(MAKECMDGOALS))
endif
PROBED := $(if $(SETUP_FIRST),,$(wildcard $(OUT)/probe.mk))
include $(OUT)/probe.mk
ifneq ($(PROBED),)
ifeq ($(CC_VERSION),)
$(shell rm -f $(OUT)/probe.mk)
$(error $(CC) was not found, or cannot compile. Type `make setup`, which installs it, or name yours: make CC=...)
endif
# Built on a machine without a GPU, the same folder is used on one that has one: asked once more.
ifneq ($(if $(GPU_NODES),,$(wildcard /dev/nvidia[0-9] /dev/dxg)),)
$(shell CC='$(CC)' NVCC='$(NVCC)' sh lib/commands/probe.sh >$(OUT)/probe.mk)
include $(OUT)/probe.mk
endif
ifeq ($(ZLIB_LIBS),)
$(shell rm -f $(OUT)/probe.mk)
$(error zlib and its header zlib.h were not found. Type `make setup`, which installs them)
endif
endif
endif
$(OUT)/probe.mk: lib/commands/probe.sh $(SETUP_FIRST)
	$(Q)CC='$(CC)' NVCC='$(NVCC)' sh lib/commands/probe.sh >$@.partial && mv $@.partial $@

# -Wno-psabi: functions on vectors wider than the CPU has are all inlined, so no ABI is concerned.
WARN := -Wall -Wextra -Wshadow -Wno-psabi $(if $(OPENMP),,-Wno-unknown-pragmas)
CODE := -std=gnu11 $(OPT) -g $(OPENMP) $(SANITIZER) -Ilib $(CFLAGS)
LINK := $(OPENMP) $(SANITIZER) -rdynamic
ALL_LIBS := $(HWLOC_LIBS) $(LIKWID_LIBS) $(LAPACK_LIBS) $(BLAS_LIBS) $(ZLIB_LIBS) -lm -ldl $(LIBS)

# --- a change of flags rebuilds -------------------------------------------------------------------
FLAGS := $(strip $(CC) $(CC_VERSION) $(WARN) $(CODE) $(HWLOC_CFLAGS) $(LIKWID_CFLAGS) $(ALL_LIBS) $(NVCC) $(CUDA_VERSION) $(CUDA_CODE))
ifneq ($(PROBED),)
ifneq ($(strip $(file <$(OUT)/flags)),$(FLAGS))
$(file >$(OUT)/flags,$(FLAGS))
endif
endif

# One pair of files is all that changes with it, so that nothing else is built anew.
ALL_LIBS := $(CHOLMOD_LIBS) $(ALL_LIBS)

# --- the library ----------------------------------------------------------------------------------
# An optional part is a pair of files, the real one and a _none, of which exactly one is linked.
LIB_C := $(wildcard $(foreach d,base formats perf kernels kernels/* solvers solvers/* judge kit,lib/$(d)/*.c))
LIB_C := $(filter-out lib/perf/topology_$(if $(HWLOC_LIBS),none,hwloc).c,$(LIB_C))
LIB_C := $(filter-out lib/perf/markers_$(if $(LIKWID_LIBS),none,likwid).c,$(LIB_C))
LIB_C := $(filter-out lib/solvers/small_$(if $(LAPACK_LIBS),none,lapack).c,$(LIB_C))
LIB_C := $(filter-out lib/solvers/cholesky_$(if $(CHOLMOD_LIBS),none,cholmod).c,$(LIB_C))
LIB_C := $(filter-out lib/kernels/blas_$(if $(BLAS_LIBS),none,cblas).c,$(LIB_C))
LIB_C := $(filter-out lib/judge/checker$(if $(filter thread,$(SANITIZE)),,_none).c,$(LIB_C))
# --- simt: the checker of CUDA source. It is no part of a build that has the real __tsan_ functions. ---
SIMT_C := $(if $(filter thread,$(SANITIZE)),,$(filter-out lib/simt/rewrite.c,$(wildcard lib/simt/*.c)))
LIB_C += $(SIMT_C)
REWRITE := $(OUT)/bin/simt-rewrite
$(REWRITE): $(OUT)/lib/simt/rewrite.o
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZER) $< -o $@
COMPILE_CUDA = REWRITE='$(REWRITE)' sh lib/simt/compile.sh
CUDA_NEEDS := $(REWRITE) lib/simt/compile.sh lib/judge/answer.sh lib/judge/functions.awk lib/simt/shim.h \
  $(wildcard lib/simt/include/*.h lib/simt/include/*/*.h)
# --- end of simt ---
LIB_O := $(LIB_C:%.c=$(OUT)/%.o)

# --- cuda: for the checker in any case, and by nvcc where there is one. Programs are linked with the
# three _none files: nobody waits for nvcc but those that run on a GPU, a test and the second judges. ----
# NVCC=no does without it. cudart and the sanitizers do not go together.
CUDA := $(if $(SANITIZE)$(filter no,$(NVCC)),,$(CUDA_CODE))
CUDA_CU := lib/base/device_cuda.cu lib/perf/bandwidth_cuda.cu $(wildcard lib/kernels/cuda/*.cu)
CUDA_NONE := lib/base/device_none.c lib/perf/bandwidth_cuda_none.c lib/kernels/cuda_none.c
CUDA_NONE_O := $(CUDA_NONE:%.c=$(OUT)/%.o)
CUDA_O := $(if $(CUDA),$(CUDA_CU:%.cu=$(OUT)/%.o),$(CUDA_NONE_O))
HOST_O := $(filter-out $(CUDA_NONE_O),$(LIB_O))
NVCC_CODE := -std=c++17 -O3 -lineinfo $(CUDA_CODE) -Ilib -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow

$(CUDA_CU:%.cu=$(OUT)/%.o): $(OUT)/%.o: %.cu $(OUT)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(or $(NVCC),nvcc) $(NVCC_CODE) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# The same sources, one object each, with a callback at every access. `#pragma unroll` is nvcc's.
CHECKER_O := $(if $(SIMT_C),$(CUDA_CU:%.cu=$(OUT)/checker/%.o))
CXX_OF := $(patsubst %gcc,%g++,$(filter %gcc,$(CC)))
$(CHECKER_O): $(OUT)/checker/%.o: %.cu $(CUDA_NEEDS) $(OUT)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(CHECKER_CXX) -E -MMD -MP -MF $(@:.o=.d) -MT $@ -isystem lib/simt/include -Ilib $< -o $(@:.o=.ii)
	$(Q)$(REWRITE) <$(@:.o=.ii) >$(@:.o=.rewritten.ii)
	$(Q)$(CHECKER_CXX) -fpreprocessed -Werror -g -O1 -fsanitize=thread -fsanitize-coverage=trace-pc \
	  -fno-exceptions -fno-gnu-unique -c $(@:.o=.rewritten.ii) -o $@
	$(Q)rm $(@:.o=.ii) $(@:.o=.rewritten.ii)
CHECKER_CXX = $(or $(CXX_OF),g++) -std=c++17 -x c++ -Wall -Wextra -Wshadow -Wno-unknown-pragmas

# Tests that run kernels, linked with the checker's objects in the place of nvcc's.
ON_CHECKER := $(OUT)/tests/kernels/test_cuda $(OUT)/tests/kernels/test_cuda_spmm $(OUT)/tests/kernels/test_cuda_block $(OUT)/tests/perf/test_bandwidth_device $(OUT)/tests/judge/test_gpu $(OUT)/tests/solvers/test_cuda_solvers $(OUT)/tests/solvers/test_lobpcg_cuda
$(OUT)/tests/judge/test_gpu.o: EXTRA += '-DANSWER="$(OUT)/tests/judge/kernels/scale.check.so"' '-DREFERENCE="$(OUT)/tests/judge/kernels/quick.check.so"'
$(OUT)/tests/judge/test_gpu: | $(OUT)/tests/judge/kernels/scale.check.so $(OUT)/tests/judge/kernels/quick.check.so
$(OUT)/tests/%.o: EXTRA += -Itests
# Allocations on the device that are counted, and fail where a test says so.
$(OUT)/tests/solvers/test_lobpcg_cuda $(OUT)/tests/solvers/test_lobpcg_cuda_gpu: WRAP := -Wl,--wrap=spw_device_alloc,--wrap=spw_device_free
$(OUT)/tests/solvers/test_cuda_solvers $(OUT)/tests/solvers/test_cuda_solvers_gpu: WRAP := -Wl,--wrap=spw_device_alloc,--wrap=spw_device_free,--wrap=spw_device_alloc_host,--wrap=spw_device_free_host,--wrap=spw_device_event_create,--wrap=spw_device_event_destroy
$(OUT)/tests/judge/test_gpu: WRAP := -Wl,--wrap=spw_device_copy_from
$(ON_CHECKER): $(OUT)/%: $(OUT)/%.o $(OUT)/tests/device/on_device_checker.o $(HOST_O) $(CHECKER_O)
	$(Q)$(CC) $(LINK) $(WRAP) $^ $(CMOCKA_LIBS) $(ALL_LIBS) -o $@
# A judge that takes the checker for its GPU: tests of what it prints.
$(OUT)/tests/device/judge_08: $(OUT)/exercises/08-spmv-gpu/driver.o $(OUT)/tests/device/judge_on_checker.o $(HOST_O) $(CHECKER_O)
	$(Q)$(CC) $(LINK) -Wl,--wrap=spw_judge_on_gpu,--wrap=spw_call_on_gpu $^ $(ALL_LIBS) -o $@
ON_GPU := $(OUT)/tests/kernels/test_cuda_gpu $(OUT)/tests/kernels/test_cuda_spmm_gpu $(OUT)/tests/kernels/test_cuda_block_gpu $(OUT)/tests/perf/test_bandwidth_device_gpu $(OUT)/tests/solvers/test_cuda_solvers_gpu $(OUT)/tests/solvers/test_lobpcg_cuda_gpu
$(ON_GPU): $(OUT)/%: $(OUT)/%.o $(OUT)/tests/device/on_device_gpu.o $(HOST_O) $(CUDA_O)
	$(Q)$(CC) $(LINK) $(WRAP) $^ $(CMOCKA_LIBS) $(ALL_LIBS) $(if $(CUDA),$(CUDA_LIBS)) -o $@
# Where a GPU was found, CUDA exercises have a second judge, linked with nvcc's objects, and answers are built
# by nvcc, too. All of them share one CUDA runtime.
GPU := $(if $(and $(CUDA),$(CUDA_SHARED),$(SIMT_C)),$(GPU_NAME))
NO_GPU := $(if $(SANITIZE),not with SANITIZE,$(if $(GPU_NAME),$(if $(CUDA),no libcudart.so beside nvcc,no nvcc for the GPU here),no GPU here))
GPU_LIBS = -L$(CUDA_SHARED) -Wl,-rpath,$(CUDA_SHARED) -lcudart -lstdc++
COMPILE_GPU = NVCC='$(or $(NVCC),nvcc)' CUDA_CODE='$(CUDA_CODE)' CUDA_SHARED='$(CUDA_SHARED)' sh lib/judge/compile_gpu.sh
# --- end of cuda ---

# Arithmetic that is after its own rounding errors, kernels/double_double.h.
UNMERGED := kernels/reference/gram_dd kernels/expert/gram_dd solvers/orthogonalise_mixed
$(UNMERGED:%=$(OUT)/lib/%.o) $(OUT)/tests/kernels/test_double_double.o: EXTRA := -ffp-contract=off
$(OUT)/lib/solvers/cholesky_cholmod.o: EXTRA := $(CHOLMOD_CFLAGS)
$(OUT)/lib/perf/topology_hwloc.o: EXTRA := $(HWLOC_CFLAGS)
$(OUT)/lib/perf/markers_likwid.o: EXTRA := $(LIKWID_CFLAGS)

$(OUT)/%.o: %.c $(OUT)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CODE) $(WARN) -Werror $(EXTRA) -MMD -MP -c $< -o $@

# --- commands: one main each, lib/commands/NAME.c -> $(OUT)/bin/NAME -------------------------------
COMMAND_C := $(wildcard lib/commands/*.c)
# what they have in common; counters/ reads the outputs of other programs: likwid, cachegrind, ncu
COMMON_O := $(OUT)/lib/commands/command.o $(OUT)/lib/commands/counters/traffic.o
COMMANDS := $(filter-out command,$(notdir $(COMMAND_C:.c=)))
COMMAND_BIN := $(COMMANDS:%=$(OUT)/bin/%)

# bench has a folder of its own
BENCH_C := $(filter-out %/blas_peers_$(if $(BLAS_LIBS),none,cblas).c,$(wildcard lib/commands/bench/*.c))
$(OUT)/bin/bench: $(BENCH_C:%.c=$(OUT)/%.o)
$(OUT)/bin/plot: $(patsubst %.c,$(OUT)/%.o,$(filter-out %/checker$(if $(SIMT_C),_none).c,$(wildcard lib/commands/plot/*.c)))
$(COMMAND_BIN): $(OUT)/bin/%: $(OUT)/lib/commands/%.o $(COMMON_O) $(LIB_O)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LINK) $^ $(ALL_LIBS) -o $@

# --- exercises ------------------------------------------------------------------------------------
# An exercise is a folder exercises/NN-slug with a driver, linked with the library into one judge, and
# answers: the learner's file, the solution and the wrong ones, each a shared object that it loads.
# A folder that has driver_gpu.c and slug.cu besides holds a second exercise, its GPU part. That one goes
# by the name NN-slug.gpu, and its goals end in -gpu; $(basename NAME) is the folder of both.
FOLDERS := $(patsubst exercises/%/driver.c,%,$(wildcard exercises/[0-9][0-9]-*/driver.c))
EXERCISES := $(sort $(FOLDERS) $(patsubst exercises/%/driver_gpu.c,%.gpu,$(wildcard exercises/[0-9][0-9]-*/driver_gpu.c)))
number = $(patsubst 0%,%,$(firstword $(subst -, ,$1)))$(if $(suffix $1),-gpu)
slug = $(subst -,_,$(patsubst $(firstword $(subst -, ,$1))-%,%,$(basename $1)))
source = $(call slug,$1)$(if $(suffix $1)$(wildcard $(if $(wildcard solutions/$1/$(call slug,$1).c exercises/$1/$(call slug,$1).c),,solutions/$1/$(call slug,$1).cu)),.cu,.c)
# A driver is one file or several: driver.c and driver_*.c, of the GPU part driver_gpu.c and driver_gpu_*.c.
driver_c = $(filter-out $(if $(suffix $1),,exercises/$1/driver_gpu%),$(wildcard exercises/$(basename $1)/driver$(if $(suffix $1),_gpu)*.c))
driver_o = $(patsubst %.c,$(OUT)/%.o,$(call driver_c,$1))
learners = exercises/$(basename $1)/$(call source,$1)
solved = solutions/$(basename $1)/$(call source,$1)
hints = exercises/$(basename $1)/hints$(if $(suffix $1),_gpu).md

# CUDA source is built for the checker. $1 source
compile_answer = $(if $(filter %.cu,$1),$(COMPILE_CUDA),$(COMPILE_ANSWER))
answer_needs = $(if $(filter %.cu,$1),$(CUDA_NEEDS),lib/judge/compile.sh lib/judge/answer.sh lib/judge/functions.awk)
COMPILE_ANSWER = CC='$(CC)' CODE='$(CODE) $(WARN)' sh lib/judge/compile.sh
# A value in single quotes, whatever it holds; and an option if its variable was given, even empty.
quote = '$(subst ','\'',$1)'
option = $(if $(filter-out undefined,$(origin $1)),--$2 $(call quote,$($1)))
BUILD_TEXT := $(strip $(notdir $(CC)) $(CC_VERSION) $(OPT) $(OPENMP) $(SANITIZER))
build_text = $(call quote,$(strip $(if $(filter %.cu,$(call source,$1)),g++ -O1 for the checker$(if $(call on_gpu,$1),; nvcc $(CUDA_VERSION) -O3 for the GPU) $(SANITIZER),$(BUILD_TEXT))))
RECORDS = $(BUILD)/records
WORKBOOK = $(shell git rev-parse --short HEAD 2>/dev/null)
JUDGE_OPTIONS = --workbook '$(WORKBOOK)' \
  $(call option,THREADS,threads) $(call option,MATRIX,matrix) $(call option,CASE,case) \
  $(call option,SEED,seed) $(call option,LIMIT,limit) $(call option,CHECK,check)

# $1 exercise: is it CUDA source that a GPU runs, too?
on_gpu = $(and $(GPU),$(filter %.cu,$(call source,$1)))
judge = $(OUT)/judge$(if $(call on_gpu,$1),-gpu)/$1
gpu_answers = $(if $(call on_gpu,$1),$(foreach d,$2 solutions,$(OUT)/$d/$1/answer.gpu.so))
gpu_options = $(if $(call on_gpu,$1),--gpu-answer $(OUT)/$2/$1/answer.gpu.so --gpu-reference $(OUT)/solutions/$1/answer.gpu.so,$\
  $(if $(filter %.cu,$(call source,$1)),--no-gpu '$(NO_GPU)'))

counter = $(if $(filter %.cu,$(call source,$1)),sectors,traffic)

# Judged by one thread alone, an exercise that needs OpenMP would mean nothing.
ifneq ($(PROBED),)
ifeq ($(OPENMP),)
judged = $(filter tour solutions exercise-$(call number,$1) solution-$(call number,$1),$(MAKECMDGOALS))
LACKING := $(foreach f,$(FOLDERS),$(if $(call judged,$f),$(shell sed -n '3s/.*needs.*OpenMP.*/$f/p' exercises/$f/README.md)))
ifneq ($(strip $(LACKING)),)
$(error $(firstword $(LACKING)) needs OpenMP, which $(CC) does not have. Type `make doctor`, or name another compiler: make CC=gcc)
endif
endif
endif

# A backup that is moved back has an older date than what was built since: contents decide.
other_than_built = $(if $(filter exercise-$(call number,$1) traffic-$(call number,$1),$(MAKECMDGOALS)),\
  $(shell cmp -s $(call learners,$1) $(OUT)/exercises/$1/answer.source || echo changed))
.PHONY: changed
changed:

# What lib/judge/mutants.sh compiles with: at -O1, for speed.
$(OUT)/compiler.sh: $(OUT)/flags
	$(file >$@,export CC=$(call quote,$(CC)) CODE=$(call quote,$(CODE) -O1 -g0 -w) REWRITE=$(call quote,$(abspath $(REWRITE))))

# $1 exercise
define exercise_rules
$(OUT)/judge/$1: $(call driver_o,$1) $(LIB_O) | $(OUT)/compiler.sh
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CC) $(LINK) $$^ $(ALL_LIBS) -o $$@
$(OUT)/judge-gpu/$1: $(call driver_o,$1) $(HOST_O) $(CUDA_CU:%.cu=$(OUT)/%.o)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CC) $(LINK) $$^ $(ALL_LIBS) $(GPU_LIBS) -o $$@
# After the checker's build, so that an error is told once.
$(OUT)/exercises/$1/answer.gpu.so: $(call learners,$1) $(OUT)/exercises/$1/answer.so lib/judge/compile_gpu.sh lib/judge/functions.awk
	$$(Q)$(COMPILE_GPU) $(basename $1) $$< $$@ || test -s $$@
$(OUT)/solutions/$1/answer.gpu.so: $(call solved,$1) $(OUT)/solutions/$1/answer.so lib/judge/compile_gpu.sh lib/judge/functions.awk
	$$(Q)$(COMPILE_GPU) $(basename $1) $$< $$@
$(call driver_o,$1): EXTRA := -Iexercises/$(basename $1)
$(OUT)/exercises/$1/answer.so: $(call learners,$1) $(OUT)/flags $(call answer_needs,$(call source,$1)) $(call other_than_built,$1)
	$$(Q)$(call compile_answer,$(call source,$1)) $(basename $1) $$< $$@$(if $(filter %.cu,$(call source,$1)), --check) || test -s $$@
$(OUT)/solutions/$1/answer.so: $(call solved,$1) $(OUT)/flags $(call answer_needs,$(call source,$1))
	$$(Q)$(call compile_answer,$(call source,$1)) $(basename $1) $$< $$@$(if $(filter %.cu,$(call source,$1)), --check)
# a wrong answer is a patch of the solution, NAME.patch or NAME.cu.patch, or a file of its own
$(OUT)/wrong/$1/%$(suffix $(call source,$1)): tests/wrong/$(basename $1)/%$(filter .cu,$(suffix $(call source,$1))).patch $(call solved,$1) tests/apply_patch.awk
	$$(Q)mkdir -p $$(@D)
	$$(Q)awk -f tests/apply_patch.awk $$< $(call solved,$1) >$$@
$(OUT)/wrong/$1/%$(suffix $(call source,$1)): tests/wrong/$(basename $1)/%$(suffix $(call source,$1))
	$$(Q)mkdir -p $$(@D)
	$$(Q)cp $$< $$@
.PRECIOUS: $(OUT)/wrong/$1/%$(suffix $(call source,$1))
$(OUT)/wrong/$1/%.so: $(OUT)/wrong/$1/%$(suffix $(call source,$1)) $(OUT)/flags $(call answer_needs,$(call source,$1))
	$$(Q)$(call compile_answer,$(call source,$1)) $(basename $1) $$< $$@$(if $(filter %.cu,$(call source,$1)), --check) || test -s $$@
# the exercise as shipped, for the tests: the learner's file is the learner's
$(OUT)/shipped/$1/$(call source,$1): $(call solved,$1) lib/commands/strip.awk
	$$(Q)mkdir -p $$(@D)
	$$(Q)awk -f lib/commands/strip.awk $$< >$$@
$(OUT)/shipped/$1/answer.so: $(OUT)/shipped/$1/$(call source,$1) $(OUT)/flags $(call answer_needs,$(call source,$1))
	$$(Q)$(call compile_answer,$(call source,$1)) $(basename $1) $$< $$@$(if $(filter %.cu,$(call source,$1)), --check)

.PHONY: exercise-$(call number,$1) solution-$(call number,$1)
exercise-$(call number,$1): $(call judge,$1) $(OUT)/solutions/$1/answer.so $(OUT)/exercises/$1/answer.so $(call gpu_answers,$1,exercises)
	$$(Q)$(call judge,$1) --folder exercises/$(basename $1) --answer $(OUT)/exercises/$1/answer.so \
	  --source $(call learners,$1) --reference $(OUT)/solutions/$1/answer.so --build $(call build_text,$1) \
	  --record $(RECORDS)/$(call number,$1).json $(call gpu_options,$1,exercises) $$(JUDGE_OPTIONS); status=$$$$?; \
	  sh lib/judge/progress.sh $(RECORDS)/$(call number,$1).json $$(call quote,$$(PROGRESS)) && exit $$$$status
solution-$(call number,$1): $(call judge,$1) $(OUT)/solutions/$1/answer.so $(call gpu_answers,$1,solutions)
	$$(Q)$(call judge,$1) --folder exercises/$(basename $1) --answer $(OUT)/solutions/$1/answer.so \
	  --source $(call solved,$1) --reference $(OUT)/solutions/$1/answer.so --build $(call build_text,$1) \
	  --record $(RECORDS)/solution-$(call number,$1).json $(call gpu_options,$1,solutions) $$(JUDGE_OPTIONS)
# For maintainers: does tests/wrong/.../NAME get the verdict that it states?
wrong-$(call number,$1): $(OUT)/judge/$1 $(OUT)/solutions/$1/answer.so
	+@MAKE='$(MAKE)' BUILD='$(BUILD)' folder='$(OUT)' sh tests/wrong.sh $1 $$(call quote,$$(NAME))

.PHONY: $(foreach g,hint watch reset diff traffic wrong,$g-$(call number,$1))
hint-$(call number,$1):
	@sh lib/commands/hint.sh $(call number,$1) $(call hints,$1) $(BUILD)/hints-$(call number,$1)
watch-$(call number,$1):
	+@MAKE='$(MAKE)' sh lib/commands/watch.sh $(call number,$1) $(call learners,$1)
reset-$(call number,$1):
	@sh lib/commands/reset.sh $(call solved,$1) $(call learners,$1)
traffic-$(call number,$1): $(OUT)/bin/$(call counter,$1) $(OUT)/judge/$1 $(OUT)/solutions/$1/answer.so $(OUT)/exercises/$1/answer.so \
  $(if $(call on_gpu,$1),$(OUT)/judge-gpu/$1) $(call gpu_answers,$1,exercises)
	+@MAKE='$(MAKE)' sh lib/commands/$(call counter,$1).sh '$(OUT)' '$(BUILD)' $1 $(call learners,$1) -- --build $(call build_text,$1) \
	  $(call gpu_options,$1,exercises) $$(JUDGE_OPTIONS)
diff-$(call number,$1):
	@sh lib/commands/diff.sh $(call learners,$1) $(call solved,$1)
endef
$(foreach f,$(EXERCISES),$(eval $(call exercise_rules,$f)))

JUDGES := $(EXERCISES:%=$(OUT)/judge/%)
SOLUTION_SO := $(EXERCISES:%=$(OUT)/solutions/%/answer.so)
SHIPPED_SO := $(EXERCISES:%=$(OUT)/shipped/%/answer.so)

# --- unit tests: tests/LAYER/test_NAME.c, one program each -----------------------------------------
TEST_C := $(wildcard tests/*/test_*.c)
TEST_SUPPORT := $(patsubst %.c,$(OUT)/%.o,$(wildcard tests/support/*.c))
TEST_BIN := $(TEST_C:%.c=$(OUT)/%)
# --- simt: the kernels that its tests load, in both builds; and the same files by nvcc ---
SIMT_TESTS := $(patsubst %.c,$(OUT)/%,$(wildcard tests/simt/test_*.c))
ifeq ($(SIMT_C),)
TEST_BIN := $(filter-out $(SIMT_TESTS) $(ON_CHECKER),$(TEST_BIN))
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
$(filter-out $(ON_CHECKER) $(ON_GPU),$(TEST_BIN)): $(OUT)/%: $(OUT)/%.o $(TEST_SUPPORT) $(LIB_O) $(COMMON_O)
	$(Q)$(CC) $(LINK) $(WRAP) $^ $(CMOCKA_LIBS) $(ALL_LIBS) -o $@
$(OUT)/tests/judge/test_record: WRAP := -Wl,--wrap=spw_time_answer

.PHONY: all unit-tests answers
all: $(COMMAND_BIN) $(JUDGES) $(SOLUTION_SO)
	@:
# What the tests of the exercises need. Wrong answers that do not even compile are told of by those tests.
answers: $(JUDGES) $(SOLUTION_SO) $(SHIPPED_SO)
	@:
unit-tests: $(TEST_BIN)
	@:

# One program alone: make run-formats/test_csr
RUN := $(TEST_C:tests/%.c=run-%)
.PHONY: $(RUN)
$(RUN): run-%: $(OUT)/tests/%
	$(Q)$<

# --- goals that commands answer -------------------------------------------------------------------
.PHONY: menu help setup doctor info tour machine solutions bench plots matrices matrix-info solve test clean \
        exercise-files slides book report grade
menu help:
	@sh lib/commands/menu.sh $(call quote,$(PROGRESS))
setup:
	$(if $(MAKE_RESTARTS),@:,@CC='$(CC)' sh lib/commands/setup.sh '$(BUILD)')
doctor:
	@CC='$(CC)' sh lib/commands/doctor.sh

# Every variable of the probe, and what was made of it.
INFO := CC CC_VERSION OPT CFLAGS WARN OPENMP SANITIZER ZLIB_LIBS HWLOC_LIBS LIKWID_CFLAGS LIKWID_LIBS CHOLMOD_CFLAGS CHOLMOD_LIBS \
        BLAS_LIBS CMOCKA_LIBS NVCC CUDA_VERSION CUDA_CODE CUDA_LIBS CUDA_SHARED GPU_NAME LIBS CODE LINK ALL_LIBS BUILD OUT PROGRESS
PARTS := OpenMP:OPENMP hwloc:HWLOC_LIBS likwid:LIKWID_LIBS CBLAS:BLAS_LIBS LAPACK:LAPACK_LIBS CHOLMOD:CHOLMOD_LIBS cmocka:CMOCKA_LIBS CUDA:CUDA
status = $(if $($(word 2,$(subst :, ,$1))),on,off)
info:
	$(foreach v,$(INFO),$(info $v = $(strip $($v))))
	$(info CUDA exercises: run on the checker; timed: $(or $(GPU),not: $(NO_GPU)))
	$(info optional parts:$(foreach p,$(PARTS), $(firstword $(subst :, ,$p)) $(call status,$p)))
	$(info library: $(words $(LIB_C)) files; of the pairs, linked are: \
	  $(filter %_none.c %_hwloc.c %_likwid.c %_lapack.c %_cholmod.c %_cblas.c,$(LIB_O:$(OUT)/%.o=%.c)))
	$(info exercises: $(FOLDERS))
	@:

MACHINE = $(OUT)/bin/machine --out '$(BUILD)/machine.tsv' --plots '$(BUILD)/plots' $(call option,THREADS,threads)
machine: $(OUT)/bin/machine
	@$(MACHINE) $(if $(QUICK),--quick)

# Solutions of these are shown by the tour; fewer where there are fewer.
TOUR := $(filter 01-% 02-% 06-%,$(FOLDERS))
tour: $(OUT)/bin/machine $(TOUR:%=$(OUT)/judge/%) $(TOUR:%=$(OUT)/solutions/%/answer.so)
	@MACHINE="$(MACHINE)" sh lib/commands/tour.sh '$(OUT)' '$(BUILD)' $(TOUR) -- --build $(call quote,$(BUILD_TEXT)) $(JUDGE_OPTIONS)
solutions: $(JUDGES) $(SOLUTION_SO) $(foreach e,$(EXERCISES),$(if $(call on_gpu,$e),$(call judge,$e) $(call gpu_answers,$e,solutions)))
	@GPU='$(GPU)' NO_GPU='$(NO_GPU)' sh lib/commands/solutions.sh '$(OUT)' '$(BUILD)' $(EXERCISES) -- --build $(call quote,$(BUILD_TEXT)) $(JUDGE_OPTIONS)

# Other libraries, each a program of its own: all that can be built, PEERS="eigen petsc", or PEERS=no.
# The threads of clang's OpenMP would spin through the next one's turn.
NO_PEERS := $(filter no,$(PEERS))
# Where a GPU was found, the same program with nvcc's objects.
BENCH := $(OUT)/bin/bench$(if $(GPU),-gpu)
$(OUT)/bin/bench-gpu: $(OUT)/lib/commands/bench.o $(BENCH_C:%.c=$(OUT)/%.o) $(HOST_O) $(CUDA_CU:%.cu=$(OUT)/%.o)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LINK) $^ $(ALL_LIBS) $(CUDA_LIBS) -o $@
bench: $(BENCH)
	@$(if $(NO_PEERS),:,CC='$(CC)' NVCC='$(NVCC)' OPT='$(OPT)' OPENMP='$(OPENMP)' \
	  sh lib/commands/peers/build.sh lib/commands/peers $(OUT)/peers $(PEERS))
	@KMP_BLOCKTIME=1 $(BENCH) $(if $(QUICK),--quick) $(call option,ONLY,only) $(call option,MATRIX,matrix) \
	  $(call option,THREADS,threads) $(call option,LIMIT,limit) $(if $(NO_PEERS),,--peers $(OUT)/peers) \
	  $(if $(GPU),,--no-gpu $(call quote,$(or $(NO_GPU),no GPU here))) \
	  --out $(call quote,$(or $(OUT_FILE),$(BUILD)/bench.tsv))
# Ways of reading an array, for the checker to count.
$(OUT)/exercises/04-gpu-first/access.so: exercises/04-gpu-first/access.cu exercises/04-gpu-first/access.h $(CUDA_NEEDS)
	$(Q)$(COMPILE_CUDA) 04-gpu-first $< $@ --check
# Measures what has not been measured yet; the machine's own tables come from `make machine`.
FIGURES := sectors formats convert spmv spmm sell split ortho mixed powers lobpcg cg bicgstab precond speeds beta
DRAWN := exercises/04-gpu-first/access \
  $(patsubst %,solutions/%/answer,05-coo-to-csr 07-ell-sell 08-spmv-gpu 09-sell-p 13-symgs)
plots: $(OUT)/bin/machine $(OUT)/bin/plot $(DRAWN:%=$(OUT)/%.so)
	@$(MACHINE) --show
	@$(foreach f,$(FIGURES),$(OUT)/bin/plot $f --show $(if $(QUICK),--quick) $(call option,THREADS,threads) \
	  --bench $(call quote,$(or $(OUT_FILE),$(BUILD)/bench.tsv)) --out '$(BUILD)/plots' &&) echo
	@sh lib/commands/draw.sh '$(BUILD)/plots'
matrices:
	@sh matrices/fetch.sh
matrix-info: $(OUT)/bin/matrix_info
	@$(if $(MATRIX),$(OUT)/bin/matrix_info $(call quote,$(MATRIX)),\
	  echo 'MATRIX= is missing: a file or a generator, as in make matrix-info MATRIX=fem3:64' >&2; exit 2)

# The library's solver on any matrix; the picture is drawn also where it did not converge.
SOLVE := solve$(if $(filter lobpcg,$(SOLVER)),_eigen)
solve: $(OUT)/bin/$(SOLVE)
	@$(OUT)/bin/$(SOLVE) $(call option,MATRIX,matrix) $(if $(filter lobpcg,$(SOLVER)),,$(call option,SOLVER,solver)) $(call option,NV,nv) $(call option,WHICH,which) $(call option,PRECOND,precond) \
	  $(call option,TOL,tolerance) $(call option,RHS,rhs) $(call option,ITERATIONS,iterations) \
	  $(call option,THREADS,threads) --out '$(BUILD)/plots'; status=$$?; \
	  if [ $$status -eq 0 ] || [ $$status -eq 3 ]; then echo; for d in --text ''; do sh lib/commands/draw.sh $$d '$(BUILD)/plots' $(subst _,-,$(SOLVE)); done; fi; exit $$status

# For maintainers: writes every learner's file anew from its solution, over what stands there.
exercise-files:
	$(Q)$(foreach f,$(EXERCISES),awk -f lib/commands/strip.awk $(call solved,$f) \
	  >$(call learners,$f).partial && \
	  mv $(call learners,$f).partial $(call learners,$f) &&) :

# All that a machine with a GPU can tell and another cannot; figures go to plots/.
CUDA_EXERCISES := $(foreach e,$(EXERCISES),$(if $(filter %.cu,$(call source,$e)),$e))
.PHONY: gpu-check
ifneq ($(GPU),)
gpu-check: $(ON_GPU) $(OUT)/bin/sectors $(OUT)/bin/bench-gpu $(foreach e,$(CUDA_EXERCISES),$(OUT)/judge/$e $(OUT)/judge-gpu/$e $(OUT)/solutions/$e/answer.gpu.so)
	@NVCC='$(NVCC)' TESTS='$(ON_GPU)' sh tests/gpu_check.sh '$(OUT)' '$(BUILD)' plots $(CUDA_EXERCISES) -- $(JUDGE_OPTIONS)
else
gpu-check:
	@echo 'make gpu-check needs a GPU and nvcc: $(NO_GPU). Nothing was run, no figure was written.' >&2; exit 2
endif

.PHONY: probe print-out
probe:
	@:
print-out:
	@echo '$(OUT)'
test:
	+@MAKE='$(MAKE)' BUILD='$(BUILD)' CC='$(CC)' sh tests/run.sh

# Only what the makefile made: BUILD may be any folder.
clean:
	$(Q)rm -rf $(foreach d,gcc clang $(notdir $(CC)),$(BUILD)/$d $(BUILD)/$d-sanitize-1 $(BUILD)/$d-sanitize-thread) \
	  $(BUILD)/plots $(BUILD)/hints-* $(BUILD)/machine.tsv $(BUILD)/bench.tsv \
	  $(BUILD)/reports $(BUILD)/records $(BUILD)/tests $(BUILD)/fuzz $(BUILD)/traffic
	$(Q)-rmdir $(BUILD) 2>/dev/null || true

slides book report grade:
	@echo 'make $@ is not in this version yet' >&2; exit 2

# --- what there is not ----------------------------------------------------------------------------
exercise-% solution-% hint-% watch-% reset-% diff-% traffic-% wrong-%:
	@echo 'There is no exercise $*. There are: $(foreach f,$(EXERCISES),$(call number,$f))' >&2; exit 2
.PHONY: lib exercises tests
lib exercises tests:
	@echo 'There is no goal $@. Type make for the menu.' >&2; exit 2
.DEFAULT:
	@echo 'There is no goal $@. Type make for the menu.' >&2; exit 2

-include $(wildcard $(OUT)/*/*/answer.gpu.d $(OUT)/lib/*/*.d $(OUT)/checker/lib/*/*.d $(OUT)/checker/lib/*/*/*.d $(OUT)/lib/*/*/*.d $(OUT)/tests/*/*.d $(OUT)/exercises/*/*.d \
                    $(OUT)/solutions/*/*.d $(OUT)/wrong/*/*.d $(OUT)/shipped/*/*.d)
