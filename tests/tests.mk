# What only tests and maintainers build: exercises as shipped, wrong answers, unit tests. Part of
# the Makefile.

# The exercise as shipped: the learner's file is the learner's.
SHIPPED_SO := $(EXERCISES:%=$(OUT)/shipped/%/answer.so)
$(SHIPPED_SO): $(OUT)/shipped/%/answer.so: $$(call solved,$$*) $$(call needs,$$*) \
  lib/commands/strip.awk
	$(Q)mkdir -p $(@D)
	$(Q)awk -f lib/commands/strip.awk $< >$(@D)/$(file.$*)
	$(Q)$(call compile,$*,$(@D)/$(file.$*))
# A wrong answer is a patch of the solution, NAME.patch or NAME.cu.patch, or a file of its own.
in_exercise = $(patsubst %/,%,$(dir $1))
wrong = $(subst .gpu/,/,tests/wrong/$1)
$(OUT)/wrong/%.c: tests/wrong/%.patch $$(call solved,$$(call in_exercise,$$*)) tests/apply_patch.awk
	$(Q)mkdir -p $(@D)
	$(Q)awk -f tests/apply_patch.awk $(wordlist 1,2,$^) >$@
$(OUT)/wrong/%.cu: $$(call wrong,$$*).cu.patch $$(call solved,$$(call in_exercise,$$*)) \
  tests/apply_patch.awk
	$(Q)mkdir -p $(@D)
	$(Q)awk -f tests/apply_patch.awk $(wordlist 1,2,$^) >$@
$(OUT)/wrong/%.c: tests/wrong/%.c
	$(Q)mkdir -p $(@D) && cp $< $@
$(OUT)/wrong/%.cu: $$(call wrong,$$*).cu
	$(Q)mkdir -p $(@D) && cp $< $@
.PRECIOUS: $(OUT)/wrong/%.c $(OUT)/wrong/%.cu
$(OUT)/wrong/%.so: $(OUT)/wrong/%.c $(OUT)/flags $(C_NEEDS)
	$(Q)$(call compile,$(call in_exercise,$*),$<) || test -s $@
$(OUT)/wrong/%.so: $(OUT)/wrong/%.cu $(OUT)/flags $(CUDA_NEEDS)
	$(Q)$(call compile,$(call in_exercise,$*),$<) || test -s $@

# For maintainers: does tests/wrong/.../NAME get the verdict that it states?
$(NUMBERS:%=wrong-%): wrong-%: $(OUT)/judge/$$e $(OUT)/solutions/$$e/answer.so
	+$(call again,BUILD='$(BUILD)' folder='$(OUT)' sh tests/wrong.sh $e $(call quote,$(NAME)))

# --- unit tests: tests/LAYER/test_NAME.c, one program each ----------------------------------------
# A test says in its own file what it has the linker replace: "link: -Wl,--wrap=malloc".
TEST_C := $(wildcard tests/*/test_*.c)
wraps = $(shell sed -n 's/.*link: \(-Wl[^ ]*\).*/\1/p' tests/$*.c) $(CMOCKA_LIBS)
# Those in tests/device run kernels: on the checker, and, a second program, on a GPU. Those in
# tests/simt are of the checker itself, and load kernels that were built for it.
ON_CHECKER := $(filter tests/device/%,$(TEST_C:%.c=%))
OF_SIMT := $(filter tests/simt/%,$(TEST_C:%.c=%))
ON_GPU := $(ON_CHECKER:%=$(OUT)/%_gpu)
PLAIN := $(filter-out $(ON_CHECKER) $(OF_SIMT),$(TEST_C:%.c=%))
TEST_BIN := $(PLAIN:%=$(OUT)/%) $(ON_GPU) \
  $(if $(SIMT_C),$(patsubst %,$(OUT)/%,$(ON_CHECKER) $(OF_SIMT)))
TESTS_MAIN := $(OUT)/tests/main.o
$(PLAIN:%=$(OUT)/%): $(OUT)/tests/%: $(OUT)/tests/%.o $(TESTS_MAIN) $(NONE_O) $(LIB)
	$(call link,$(wraps))
$(ON_CHECKER:%=$(OUT)/%): $(OUT)/tests/%: $(OUT)/tests/%.o $(TESTS_MAIN) \
  $(OUT)/tests/device/on_device_checker.o $(CHECKER_O) $(LIB)
	$(call link,$(wraps))
$(ON_GPU): $(OUT)/tests/%_gpu: $(OUT)/tests/%.o $(TESTS_MAIN) \
  $(OUT)/tests/device/on_device_gpu.o $(CUDA_O) $(LIB) $(OUT)/nvcc
	$(call link,$(wraps) $(if $(CUDA),$(CUDA_LIBS)))
KERNELS := $(wildcard tests/simt/kernels/*.cu)
KERNEL_SO := $(KERNELS:%.cu=$(OUT)/%.fast.so) $(KERNELS:%.cu=$(OUT)/%.check.so)
$(patsubst %,$(OUT)/%,$(OF_SIMT)): $(OUT)/tests/%: $(OUT)/tests/%.o \
  $(TESTS_MAIN) $(OUT)/tests/simt/support.o $(CHECKER_O) $(LIB) | $(KERNEL_SO) $(REWRITE)
	$(call link_whole,$(wraps))
$(OUT)/%.fast.so: %.cu $(CUDA_NEEDS)
	$(Q)$(COMPILE_CUDA) tests $< $@ --fast
$(OUT)/%.check.so: %.cu $(CUDA_NEEDS)
	$(Q)$(COMPILE_CUDA) tests $< $@ --check
# A judge that takes the checker for its GPU: tests of what it prints.
$(OUT)/tests/device/judge_08: $(call driver_o,08-spmv-gpu) \
  $(OUT)/tests/device/judge_on_checker.o $(CHECKER_O) $(LIB)
	$(call link_whole,-Wl$(,)--wrap=spw_judge_on_gpu -Wl$(,)--wrap=spw_call_on_gpu)

.PHONY: unit-tests answers answers-again print-tests gpu-check $(NUMBERS:%=wrong-%)
# What the tests of the exercises need.
answers: answers-again $(SHIPPED_SO)
	@:
# In another build what is shipped as CUDA source would be compiled once more by the same compiler.
answers-again: $(JUDGES) $(SOLUTION_SO) \
  $(foreach e,$(EXERCISES),$(if $(call is_cuda,$e),,$(OUT)/shipped/$e/answer.so))
	@:
unit-tests: $(TEST_BIN)
	@:
# One program alone: make run-formats/test_csr
RUN := $(TEST_BIN:$(OUT)/tests/%=run-%)
.PHONY: $(RUN)
$(RUN): run-%: $(OUT)/tests/%
	$(Q)$<
print-tests:
	@echo '$(TEST_BIN:$(OUT)/tests/%=%)'

# All that a machine with a GPU can tell and another cannot; figures go to plots/.
CUDA_EXERCISES := $(foreach e,$(EXERCISES),$(if $(call is_cuda,$e),$e))
ifneq ($(GPU),)
gpu-check: $(ON_GPU) $(OUT)/bin/bench-gpu \
  $(foreach e,$(CUDA_EXERCISES),$(OUT)/judge/$e $(call judge_needs,$e,solutions))
	@NVCC='$(NVCC)' TESTS='$(ON_GPU)' sh tests/gpu_check.sh '$(OUT)' '$(BUILD)' plots \
	  $(CUDA_EXERCISES) -- $(JUDGE_OPTIONS)
else
gpu-check:
	@echo 'make gpu-check needs a GPU and nvcc: $(NO_GPU). Nothing was run, no figure was written.' \
	  >&2; exit 2
endif
