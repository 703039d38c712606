# The goals that the programs of this folder answer. Part of the Makefile.
.PHONY: info machine tour solutions bench collection plots figures matrices matrix-info solve
.PHONY: check-cuda check-mpi slides book report grade grade-export room autograder

# Every variable of the probe, and what was made of it.
INFO := CC CC_VERSION OPT CFLAGS WARN OPENMP SANITIZER ZLIB_LIBS HWLOC_LIBS \
  CHOLMOD_CFLAGS CHOLMOD_LIBS BLAS_LIBS CMOCKA_LIBS NVCC CUDA_VERSION CUDA_CODE \
  CUDA_LIBS CUDA_SHARED GPU_NAME MPI_FLAGS LIBS CODE LINK ALL_LIBS BUILD OUT PROGRESS
PARTS := OpenMP:OPENMP hwloc:HWLOC_LIBS CBLAS:BLAS_LIBS LAPACK:LAPACK_LIBS \
  CHOLMOD:CHOLMOD_LIBS cmocka:CMOCKA_LIBS CUDA:CUDA
status = $(if $($(word 2,$(subst :, ,$1))),on,off)
PAIRED := %_none.c %_hwloc.c %_lapack.c %_cholmod.c %_cblas.c
info:
	$(foreach v,$(INFO),$(info $v = $(strip $($v))))
	$(info CUDA exercises: run on the checker; timed: $(or $(GPU),not: $(NO_GPU)))
	$(info optional parts:$(foreach p,$(PARTS), $(firstword $(subst :, ,$p)) $(call status,$p)))
	$(info library: $(words $(LIB_C) $(NONE_C)) files; of the pairs, linked are: \
	  $(filter $(PAIRED),$(LIB_C) $(NONE_C)))
	$(info exercises: $(EXERCISE_FOLDERS))
	@:

MACHINE = $(OUT)/bin/machine --out '$(BUILD)/machine.tsv' --plots '$(BUILD)/plots' \
  $(call option,THREADS,threads)
machine: $(OUT)/bin/machine
	@$(MACHINE) $(if $(QUICK),--quick)

# Solutions of these are shown by the tour; fewer where there are fewer.
TOUR := $(filter 01-% 02-% 06-%,$(EXERCISE_FOLDERS))
SOLUTION_OPTIONS = -- --build $(call quote,$(BUILD_TEXT)) $(JUDGE_OPTIONS)
tour: $(OUT)/bin/machine $(TOUR:%=$(OUT)/judge/%) $(TOUR:%=$(OUT)/solutions/%/answer.so)
	@MACHINE="$(MACHINE)" sh lib/commands/tour.sh '$(OUT)' '$(BUILD)' $(TOUR) $(SOLUTION_OPTIONS)
solutions: $(JUDGES) $(foreach e,$(EXERCISES),$(call judge_needs,$e,solutions))
	@GPU='$(GPU)' NO_GPU='$(NO_GPU)' sh lib/commands/solutions.sh '$(OUT)' '$(BUILD)' $(EXERCISES) \
	  $(SOLUTION_OPTIONS)

# Other libraries, each a program of its own: all that can be built, PEERS="eigen petsc", or
# PEERS=no. The threads of clang's OpenMP would spin through the next one's turn.
NO_PEERS := $(filter no,$(PEERS))
BENCH := $(OUT)/bin/bench$(if $(GPU),-gpu)
BENCH_TSV = $(call quote,$(or $(OUT_FILE),$(BUILD)/bench.tsv))
bench: $(BENCH)
	@$(if $(NO_PEERS),:,CC='$(CC)' NVCC='$(NVCC)' OPT='$(OPT)' OPENMP='$(OPENMP)' \
	  sh lib/commands/peers/build.sh lib/commands/peers $(OUT)/peers $(PEERS))
	@KMP_BLOCKTIME=1 $(BENCH) $(if $(QUICK),--quick) $(call option,ONLY,only) \
	  $(call option,MATRIX,matrix) $(call option,THREADS,threads) $(call option,LIMIT,limit) \
	  $(if $(NO_PEERS),,--peers $(OUT)/peers) \
	  $(if $(GPU),,--no-gpu $(call quote,$(or $(NO_GPU),no GPU here))) --out $(BENCH_TSV)

# Every matrix at hand in every format; REFERENCE=FOLDER has published times.
$(OUT)/bin/collection: $(OUT)/lib/commands/bench/operands.o
collection: $(OUT)/bin/collection
	@sh lib/commands/collection.sh $< '$(BUILD)' $(call option,REFERENCE,reference) \
	  $(call option,DEVICE,device) $(if $(QUICK),--quick) $(if $(FRESH),--fresh) \
	  $(call option,THREADS,threads) $(call option,LIMIT,limit)

# Ways of reading an array, for the checker to count.
$(OUT)/exercises/04-gpu-first/access.so: exercises/04-gpu-first/access.cu \
  exercises/04-gpu-first/access.h $(CUDA_NEEDS)
	$(Q)$(COMPILE_CUDA) 04-gpu-first $< $@ --check
DRAWN := exercises/04-gpu-first/access \
  $(patsubst %,solutions/%/answer,05-coo-to-csr 07-ell-sell 08-spmv-gpu 09-sell-p 16-symgs)
all: $(DRAWN:%=$(OUT)/%.so)
plots: $(OUT)/bin/machine $(OUT)/bin/plot $(DRAWN:%=$(OUT)/%.so)
	@MACHINE="$(MACHINE)" sh lib/commands/plots.sh $(OUT)/bin/plot '$(BUILD)' \
	  $(call quote,$(NAME)) $(if $(QUICK),--quick) $(call option,THREADS,threads) \
	  --bench $(BENCH_TSV)
figures:
	@sh lib/commands/figures.sh $(if $(KEEP),--keep '$(BUILD)/plots')
# Joules, where this machine counts them; a row for each run.
.PHONY: energy
energy: $(OUT)/bin/energy
	@$(OUT)/bin/energy --out '$(BUILD)/energy.tsv' $(call option,THREADS,threads) \
	  $(if $(QUICK),--quick)
matrices:
	@sh matrices/fetch.sh
matrix-info: $(OUT)/bin/matrix_info
	@$(if $(MATRIX),$(OUT)/bin/matrix_info $(call quote,$(MATRIX)),\
	  echo 'MATRIX= is missing: a file or a generator, as in make matrix-info MATRIX=fem3:64' >&2; \
	  exit 2)

# The library's solver on any matrix; the picture is drawn also where it did not converge.
EIGEN := $(filter lobpcg,$(SOLVER))
SOLVE_OPTIONS = $(call option,MATRIX,matrix) $(call option,SOLVER,solver) \
  $(call option,PRECOND,precond) $(call option,TOL,tolerance) $(call option,RHS,rhs) \
  $(call option,ITERATIONS,iterations) $(call option,NV,nv) $(call option,WHICH,which) \
  $(call option,FORMAT,format)
ifneq ($(filter-out undefined,$(origin RANKS)),)
solve: $(OUT)/bin/solve_ranks
	@sh lib/commands/solve_ranks.sh $< $(call quote,$(RANKS)) $(SOLVE_OPTIONS)
else
solve: $(OUT)/bin/solve
	@$(OUT)/bin/solve $(SOLVE_OPTIONS) $(call option,THREADS,threads) \
	  --record '$(BUILD)/formats.tsv' --out '$(BUILD)/plots'; status=$$?; \
	  case $$status in 0 | 3) \
	    echo; for d in --text ''; do \
	      sh lib/commands/draw.sh $$d '$(BUILD)/plots' solve$(if $(EIGEN),-eigen); done ;; \
	  esac; exit $$status
endif

# Exercise 26's functions with a real MPI's mpi.h; FILE: others than the learner's.
SOLVE_26 := exercises/26-distributed/solve.c
solve-26: $(if $(MPI_FLAGS),$(MPI_O)) $(LIB)
	@$(if $(MPI_FLAGS),,echo 'make solve-26: no MPI is here, make setup installs one; make \
	exercise-26 needs none' >&2; exit 5;) mkdir -p $(OUT)/mpi/ranks/include && \
	  echo '#include <mpi.h>' >$(OUT)/mpi/ranks/include/mpi.h && \
	  $(CC) -I$(OUT)/mpi $(CODE) $(patsubst -I%,-isystem %,$(MPI_FLAGS)) \
	  -I$(dir $(SOLVE_26)) $(SOLVE_26) $(call quote,$(or $(FILE),$(dir $(SOLVE_26))distributed.c)) \
	  $^ $(MPI_FLAGS) $(ALL_LIBS) -o $(OUT)/mpi/solve_26 && \
	  sh lib/commands/solve_ranks.sh $(OUT)/mpi/solve_26 $(call quote,$(or $(RANKS),2)) \
	  --matrix $(call quote,$(or $(MATRIX),stencil27:30))

# A CUDA program of one's own on the checker; FILE and ARGS as they were typed.
check-cuda: $(if $(SIMT_C),$(OUT)/bin/check_cuda $(REWRITE))
	@$(if $(SIMT_C),,echo 'make check-cuda: not with SANITIZE=thread' >&2; exit 2;) \
	  REWRITE='$(REWRITE)' CUFLAGS=$(call quote,$(CFLAGS)) LIMIT=$(call quote,$(LIMIT)) \
	  DETAIL=$(call quote,$(DETAIL)) NVCC='$(or $(NVCC),nvcc)' \
	  sh lib/commands/check_cuda.sh '$(OUT)' '$(BUILD)' $(call quote,$(FILE)) $(call quote,$(ARGS))

# An MPI program of one's own, as ranks in one process.
check-mpi: $(if $(SIMT_C),$(OUT)/bin/check_mpi)
	@$(if $(SIMT_C),,echo 'make check-mpi: not with SANITIZE=thread' >&2; exit 2;) \
	  CC='$(CC)' CFLAGS=$(call quote,$(CFLAGS)) LIMIT=$(call quote,$(LIMIT)) \
	  sh lib/commands/check_mpi.sh '$(OUT)' '$(BUILD)' $(call quote,$(FILE)) \
	  $(call quote,$(RANKS)) $(call quote,$(ARGS))

# A class: lib/grade/README.md. What judges it has built by make.
python = @command -v python3 >/dev/null || \
  { echo 'make $@ needs python3: make setup installs it' >&2; exit 2; }; python3 -B lib/grade/$1.py
GRADE_OPTIONS = --make '$(MAKE)' --cc '$(CC)' --code $(call quote,$(CODE) $(WARN)) \
  --build '$(BUILD)' --built '$(OUT)' --compiler $(call quote,$(BUILD_TEXT)) \
  --cuda-compiler $(call quote,$(CUDA_TEXT)) --workbook '$(WORKBOOK)' \
  $(call option,LIMIT,limit) $(call option,SEED,seed) $(call option,ONLY,only) \
  $(call option,POINTS,points) $(call option,JOBS,jobs) $(call option,ISOLATION,isolation)
grade:
	+$(if $(call flag,n),@echo make grade,$(call python,grade) $(GRADE_OPTIONS) \
	  $(call option,SUBMISSIONS,submissions) $(call option,GRADES,grades) \
	  $(call option,STUDENTS,students) $(call option,CHECK,check) $(call option,AGAIN,again))
grade-export:
	$(call python,export) $(call quote,$(or $(GRADES),grades)) $(call option,POINTS,points)
room:
	$(call python,room) $(call option,EVERY,every) $(if $(ONCE),--once) $(if $(NAMES),--names) \
	  $(if $(HTML),--html '$(BUILD)/pages/room.html') -- $(call quote,$(FOLDERS))
# One submission, for a platform; the folder of its records is gone when it ends.
autograder:
	+$(if $(call flag,n),@echo make autograder,$(call python,autograder) $(GRADE_OPTIONS) \
	  $(call option,SUBMISSION,submission) $(call option,RESULTS,results) \
	  $(call option,FORMAT,format) $(call option,TIMED,timed))

# Pages, each one file that needs no other, in $(BUILD)/pages.
report:
	@sh lib/commands/report.sh $(call quote,$(PROGRESS)) '$(BUILD)'
slides:
	@sh lib/commands/slides.sh '$(BUILD)' $(call quote,$(PDF))
book:
	@sh lib/commands/book.sh '$(BUILD)' $(call quote,$(PDF))
