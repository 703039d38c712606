# Sparse Performance Workbook. The only makefile; everything built lands in $(BUILD).
# Type `make` for the menu. `make V=1 ...` shows the commands.

.DEFAULT_GOAL := menu
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-builtin-variables --no-print-directory

SHELL := /bin/sh
BUILD ?= build
ifeq ($(origin CC),undefined)
CC := gcc
endif
OPT ?= -O3 -march=native
Q := $(if $(V),,@)

# --- the configuration: one folder of objects for each, so that switching costs nothing -----------
ifdef SANITIZE
  ifneq ($(SANITIZE),1)
    $(error SANITIZE is '$(SANITIZE)', must be 1)
  endif
  CONFIG := $(notdir $(CC))-sanitize
  OPT := -O1 -march=native
  SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
  CONFIG := $(notdir $(CC))
  SANITIZER :=
endif
OUT := $(BUILD)/$(CONFIG)

# --- what this machine has: probed once, kept in build/, shown by `make info` ---------------------
# Goals that build nothing must work where nothing can be built (read-only tree, no compiler).
LIGHT_GOALS := menu setup doctor clean help info hint-% reset-% diff-% matrices
ifneq ($(filter-out $(LIGHT_GOALS),$(or $(MAKECMDGOALS),menu)),)
-include $(OUT)/probe.mk
endif
$(OUT)/probe.mk: lib/commands/probe.sh
	$(Q)mkdir -p $(@D) && CC='$(CC)' sh lib/commands/probe.sh >$@.partial && mv $@.partial $@

WARN   := -Wall -Wextra -Wshadow
CFLAGS_ALL = -std=gnu11 $(OPT) -g $(OPENMP) $(SANITIZER) -Ilib -MMD -MP $(CFLAGS)
LIBS_ALL = $(HWLOC_LIBS) $(BLAS_LIBS) -lz -lm -ldl $(LIBS)

# --- a change of flags rebuilds -------------------------------------------------------------------
FLAGS := $(CC) $(CFLAGS_ALL) $(WARN) $(HWLOC_CFLAGS) $(LIKWID_CFLAGS) $(LIBS_ALL)
ifneq ($(wildcard $(OUT)),)
ifneq ($(file <$(OUT)/flags),$(FLAGS))
$(file >$(OUT)/flags,$(FLAGS))
endif
endif
$(OUT)/flags:
	$(Q)mkdir -p $(@D) && printf '%s\n' '$(FLAGS)' >$@

# --- the library ----------------------------------------------------------------------------------
# An optional part is a pair of files, the real one and a _none, of which exactly one is linked.
LIB_C := $(wildcard lib/base/*.c lib/formats/*.c lib/perf/*.c lib/kernels/*.c lib/kernels/*/*.c \
                    lib/solvers/*.c lib/task/*.c)
LIB_C := $(filter-out $(if $(HWLOC_LIBS),%_none_hwloc.c lib/perf/topology_none.c,lib/perf/topology_hwloc.c),$(LIB_C))
LIB_C := $(filter-out $(if $(LIKWID_CFLAGS),lib/perf/markers_none.c,lib/perf/markers_likwid.c),$(LIB_C))
LIB_O := $(LIB_C:%.c=$(OUT)/%.o)

$(OUT)/%.o: %.c $(OUT)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(WARN) -Werror $(CPPFLAGS_$(notdir $*)) -c $< -o $@

-include $(LIB_O:.o=.d)
