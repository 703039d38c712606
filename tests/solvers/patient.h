/* tests/solvers/patient.h -- threads that sleep while they wait. A solver has thousands of short parallel
 * regions; where other programs use the cores too, threads that spin at each of them take a hundred times as
 * long. OpenMP reads the wish only when a program starts: so it starts once more. */
#ifndef TESTS_SOLVERS_PATIENT_H
#define TESTS_SOLVERS_PATIENT_H

#include <stdlib.h>
#include <unistd.h>

static inline void be_patient(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1)) return;
    execv("/proc/self/exe", argv); /* where that cannot be, it goes on as it is, only slower */
}

#endif
