/* judge/progress.h -- the results of a learner: one plain TSV that menu, plots and grading read.
 *
 *     # spw-progress 1
 *     6 <tab> pass <tab> 87.3 <tab> 1 <tab> 0 <tab> 2026-11-20
 * number of the exercise, "6-gpu" for its GPU part; pass, slow, wrong or unwritten; best share of the roof
 * in per cent; 1 if the library's best kernel was reached; hints used; date of the best result. An entry
 * never gets worse for trying again. */
#ifndef SPW_JUDGE_PROGRESS_H
#define SPW_JUDGE_PROGRESS_H

#include "base/status.h"
#include "judge/exercise.h"

/* Merges a result into the file, which is made if it is not there. The new file is written beside the
 * old one and renamed over it: an interrupted run or a full disk leaves the old one whole.
 *   SPW_ERR_FORMAT  it is damaged or of another version: left as it is, nothing is saved
 *   SPW_ERR_FILE    it cannot be read or written */
spw_status spw_progress_save(const char *path, int number, bool gpu, spw_verdict verdict,
                             double percent, bool stretch);

#endif
