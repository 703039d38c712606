/* judge/record.h -- the record of one judgement, for programs to read. This is its schema.
 *
 * Every run of a judge that is given --record FILE leaves one there, however it ends: also where the answer
 * does not compile, where there is no verdict, and where the fault is the judge's. It is written beside and
 * renamed, so that it is whole at any time. A judge that was killed has left one that says "interrupted".
 *
 * One JSON object (RFC 8259), a member a line. awk -f lib/judge/record.awk FILE prints it as lines
 * "checks.0.name <tab> BUILD", for scripts.
 *
 *     spw_record   1, the version of this schema
 *     exercise     "6", "6-gpu" for a GPU part             title     "Exercise 6 · SpMV in CSR"
 *     file         the source                              sha256    of its contents as compiled, "" unknown
 *     workbook     commit of the workbook, "" unknown      started   "2026-11-22T12:00:00Z"
 *     seconds      that the judgement took
 *     machine      {cpu, cores, threads, numa_nodes, gpu: "" where none was asked}
 *     compiler     its name, version and flags
 *     options      {matrix, case: "" if not given, threads: in use, check, seed, limit}
 *     verdict      pass | wrong | not-written | slow | no-verdict | fault        status: the exit status, 0 .. 5
 *     message      of a fault: what it is
 *     whole        is it a result to keep as progress? Not if it was narrowed by an option, and so on
 *     percent      the worst share of the roof, or what takes its place: the score of the exercise's own check; 0:
 *                  nothing of that kind, as where nothing but sectors was counted     stretch: true | false
 *     checks []    in the order of the report
 *         name         BUILD | CORRECT | SAFE | MODEL | TRAFFIC | GPU | FAST, or an exercise's own, PREDICT
 *         status       ok | fail | skipped | no-verdict | shown | not-reached
 *         code         of a failure: compiler | borrowed-symbol | refused-header | startup | gone | unreadable |
 *                      wrong-value | crash | outside | input-written | endless | exited | refused-call | unsafe |
 *                      model | traffic | slow | noise | above-roof | baseline-wins; "" for others
 *         function, case, threads    where it failed; "" and 0 where that means nothing
 *         message      the words of the report below each other
 *     functions [] that are to be written
 *         function
 *         written      true | false: its body is empty, or it is left out
 *     parts []     what was timed, or whose traffic was counted
 *         function, case, on         "host", or the name of the GPU
 *         timed        false: none of the figures from load to disturbed; null is a figure that was not taken
 *         load, store, flop          of one call by the model: bytes and operations
 *         bandwidth, peak            of this machine, in this run, byte/s and flop/s
 *         seconds, reference, baseline, stretch, peer          a call took
 *         share, low, high           of the roof: the answer's, and its interval
 *         target       what had to be reached                  reached_stretch     true | false
 *         reference_share, baseline_share, stretch_share, peer_share
 *         to_reference median over the blocks of the reference's time over the answer's, whatever the machine did between
 *         verdict      pass | slow | no-verdict                blocks    of samples
 *         busy         processors at work in the answer        scatter   of the probe, relative
 *         others, stolen             shares of all processors that other programs and the hypervisor took
 *         to_device, from_device     s, copies that no time above holds
 *         traffic      share of the needed bytes in those that the checker counted */
#pragma once

#include "judge/judge.h"

enum { SPW_RECORD_VERSION = 1 };

/* A process makes one judgement, so these speak of one record. */

/* The next check of the report; status is the report's word: "ok", "FAIL", "?", "--", "". No name: more of the
 * one before. */
void spw_record_check(const char *name, const char *status, const char *message);

/* More of its message: lines, whose indentation is left out. */
void spw_record_text(const char *lines);

/* Why it failed, one of the codes above, and where; NULL and 0: nothing to say. */
void spw_record_failure(const char *code, const char *function, const char *case_name, int threads);

/* The function that failed first, a model's too; NULL: none, or the check was of no function. */
const char *spw_record_failed(void);

/* Marks the time, and writes a first record, "interrupted", where one is wanted.
 *   SPW_ERR_FILE  it cannot be written */
spw_status spw_record_begin(const spw_judgement *j);

/* The whole of it. message: of a fault, else "". Errors as above. */
spw_status spw_record_end(const spw_judgement *j, spw_verdict verdict, const char *message);
