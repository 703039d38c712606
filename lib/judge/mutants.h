/* judge/mutants.h -- names a learner's mistake by making it.
 *
 * How a wrong answer becomes a diagnosis. tests/wrong/NN-slug/NAME.patch changes the solution into a wrong answer, a
 * mutant of it; its head says what the learner is told, and where that mistake shows first:
 *     CORRECT says this is A^T x: row and column have changed places
 *     first spmv_csr small
 * A result was wrong in one of the answer's values. Then mutants are called in the same part, on the same case, seed,
 * number of threads and poison. Those that leave the same in all outputs that have an expectation, and in one named
 * "result", are this mistake; "same" means within 4 tolerances of the case. Where there is none, those that leave the
 * same up to the array that the report names, unless the part has a "result".
 *
 * Asked are those whose mistake shows first in this case, then, within a second, those of a later one: what shows in an
 * earlier case was not made, for that case was right. (With CASE= nobody knows, so all are asked.) Where the patch
 * changes what two functions share, `first ... also spmm_sellp small@3/2,3` has it asked in that part, too. A driver that wants
 * a sentence told needs nothing for it: write the patch, and have `tests/patches.sh first NN-slug` fill in its second
 * line. What a mistake costs is the time to compile it, about 0.1 s, the first time.
 *
 * Where the answer is right with one thread, only mutants count that are so, too: what is wrong is no algebra.
 *
 * Where a claim (part.claim) failed and the part has an output named "result", in-outs are compared besides; a sentence
 * takes the place of all but the first line of what the claim says. Where it has none, mutants of which the claim says
 * the same, word for word but for places in files, add theirs.
 *
 * What the report says so far is looked at before a mutant is compiled: `first spmm_layers one-by-one@3/8,4 where writes
 * sums[32]` is asked only where it has these words.
 *
 * "SAFE says ..." is told where the answer ended in the same access to the same entry outside of an array; of CUDA,
 * where the checker has found the same, word for word but for places.
 *
 * Not asked: where a race was found on a CPU, where a claim failed on values that are not numbers, where a driver
 * or a pattern of explain.c is certain already (added to, NaN was read), and on a real GPU. */
#pragma once

#include "judge/judge.h"

/* In the parent, before the child that checks is started. */
void spw_mutants_begin(void);

/* In that child, after a wrong result: keeps what the answer left, for the parent. */
void spw_mutants_keep(const spw_trial *t, spw_poison poison);

/* In that child: the sentence of a pattern stands so much later in shared->text by now, and has lost so much. */
void spw_mutants_moved(int by, int cut);

/* In that child: it was a race, so what was kept means nothing. */
void spw_mutants_forget(void);

/* In a runner, whom it is no business of. */
void spw_mutants_leave(void);

/* In the parent: compiles and asks mutants, and puts the sentences of those that leave the same into shared->text in
 * the place of a pattern's. Where there is nothing to ask, or nobody knows, nothing is changed. */
void spw_mutants_name(spw_judgement *j);

/* The same after shared->fault, an access outside of an array or a store to an input: adds what is said by mutants of
 * SAFE that do the same, to the same entry. */
void spw_mutants_name_fault(spw_judgement *j);
