# How the answers to an exercise are built and judged. Part of the Makefile, which has the
# table of the exercises.
# Of the exercise $1: its files. A driver is one file or several: driver.c and driver_*.c, of the
# GPU part driver_gpu.c and driver_gpu_*.c.
driver_c = $(filter-out $(if $(suffix $1),,exercises/$1/driver_gpu%),\
  $(wildcard exercises/$(basename $1)/driver$(if $(suffix $1),_gpu)*.c))
driver_o = $(patsubst %.c,$(OUT)/%.o,$(call driver_c,$1))
learners = exercises/$(basename $1)/$(file.$1)
solved = solutions/$(basename $1)/$(file.$1)
is_cuda = $(filter %.cu,$(file.$1))
on_gpu = $(and $(GPU),$(is_cuda))
judge = $(OUT)/judge$(if $(on_gpu),-gpu)/$1
JUDGES := $(EXERCISES:%=$(OUT)/judge/%)
# What lib/judge/mutants.sh compiles with: as answers are. Where a sum is 0 but for rounding (with z
# of the step before in exercise 13) other instructions leave another sign.
$(OUT)/compiler.sh: $(OUT)/flags
	$(file >$@,export CC=$(call quote,$(CC)) CODE=$(call quote,$(CODE) -g0 -w) \
	  REWRITE=$(call quote,$(abspath $(REWRITE))))
# What answers are linked with in which races are looked for: part of no judge. Sanitizers have
# their own.
RACES_O := $(if $(SANITIZE),,$(patsubst %.c,$(OUT)/%.o,$(wildcard lib/judge/races/*.c)))
$(RACES_O): EXTRA := -fPIC -O2
$(JUDGES): $(OUT)/judge/%: $$(call driver_o,$$*) $(NONE_O) $(LIB) | $(OUT)/compiler.sh $(RACES_O)
	$(call link_whole)
$(EXERCISES:%=$(OUT)/judge-gpu/%): $(OUT)/judge-gpu/%: $$(call driver_o,$$*) $(CUDA_O) $(LIB) \
  $(OUT)/nvcc
	$(call link_whole,$(GPU_LIBS))

# An answer to the exercise $1 from the source $2. CUDA source is built for the checker.
COMPILE_C = CC='$(CC)' CODE='$(CODE) $(WARN)' sh lib/judge/compile.sh
compile = $(if $(filter %.cu,$2),$(COMPILE_CUDA),$(COMPILE_C)) $(basename $1) $2 $@ --check
C_NEEDS := $(addprefix lib/judge/,compile.sh answer.sh functions.awk)
GPU_NEEDS := $(OUT)/nvcc $(addprefix lib/judge/,compile_gpu.sh answer.sh functions.awk)
needs = $(OUT)/flags $(if $(is_cuda),$(CUDA_NEEDS),$(C_NEEDS))
# A backup that is moved back has an older date than what was built since: contents decide.
changed = $(if $(filter exercise-$(number.$1) traffic-$(number.$1),$(MAKECMDGOALS)),\
  $(shell cmp -s $(learners) $(OUT)/exercises/$1/answer.source || echo changed))
.PHONY: changed
changed:
LEARNERS_SO := $(EXERCISES:%=$(OUT)/exercises/%/answer.so)
SOLUTION_SO := $(EXERCISES:%=$(OUT)/solutions/%/answer.so)
# One that does not compile goes to its judge all the same, who tells: judge/answer.h.
$(LEARNERS_SO): $(OUT)/exercises/%/answer.so: \
  $$(call learners,$$*) $$(call needs,$$*) $$(call changed,$$*)
	$(Q)$(call compile,$*,$<) || test -s $@
$(SOLUTION_SO): $(OUT)/solutions/%/answer.so: $$(call solved,$$*) $$(call needs,$$*)
	$(Q)$(call compile,$*,$<)
# After the checker's build, so that an error is told once.
$(LEARNERS_SO:.so=.gpu.so): $(OUT)/exercises/%/answer.gpu.so: $$(call learners,$$*) \
  $(OUT)/exercises/%/answer.so $(GPU_NEEDS)
	$(Q)$(COMPILE_GPU) $(basename $*) $< $@ || test -s $@
$(SOLUTION_SO:.so=.gpu.so): $(OUT)/solutions/%/answer.gpu.so: $$(call solved,$$*) \
  $(OUT)/solutions/%/answer.so $(GPU_NEEDS)
	$(Q)$(COMPILE_GPU) $(basename $*) $< $@

# Judged by one thread alone, an exercise that needs OpenMP would mean nothing.
ifneq ($(PROBED),)
ifeq ($(OPENMP),)
asked = $(filter tour solutions exercise-$(number.$1) solution-$(number.$1),$(MAKECMDGOALS))
LACKING := $(foreach e,$(EXERCISES),$(and $(call asked,$e),$(findstring OpenMP,$(needs.$e)),$e))
ifneq ($(strip $(LACKING)),)
$(error $(firstword $(LACKING)) needs OpenMP, which $(CC) does not have. \
  Type `make doctor`, or name another compiler: make CC=gcc)
endif
endif
endif

# What a judge is told. $1 exercise, $2 exercises or solutions: whose answer.
BUILD_TEXT := $(strip $(notdir $(CC)) $(CC_VERSION) $(OPT) $(OPENMP) $(SANITIZER))
CUDA_TEXT := $(strip g++ -O1 for the checker$(if $(GPU),; nvcc $(CUDA_VERSION) -O3 for the GPU) \
  $(SANITIZER))
build_text = $(call quote,$(if $(is_cuda),$(CUDA_TEXT),$(BUILD_TEXT)))
gpu_so = $(if $(on_gpu),$(foreach d,$2 solutions,$(OUT)/$d/$1/answer.gpu.so))
gpu_options = $(if $(on_gpu),--gpu-answer $(OUT)/$2/$1/answer.gpu.so \
  --gpu-reference $(OUT)/solutions/$1/answer.gpu.so,$(if $(is_cuda),--no-gpu '$(NO_GPU)'))
WORKBOOK = $(shell git rev-parse --short HEAD 2>/dev/null)
JUDGE_OPTIONS = --workbook '$(WORKBOOK)' \
  $(call option,THREADS,threads) $(call option,MATRIX,matrix) $(call option,CASE,case) \
  $(call option,SEED,seed) $(call option,LIMIT,limit) $(call option,CHECK,check) \
  $(call option,DETAIL,detail)
run_judge = $(judge) --folder exercises/$(basename $1) --answer $(OUT)/$2/$1/answer.so \
  --source $2/$(basename $1)/$(file.$1) --reference $(OUT)/solutions/$1/answer.so \
  --build $(build_text) $(gpu_options) --record $3 $(JUDGE_OPTIONS)
judge_needs = $(judge) $(OUT)/solutions/$1/answer.so $(OUT)/$2/$1/answer.so $(gpu_so)
