/* What launchers leave in the environment. */
#include "distributed/comm.h"

#include <stddef.h>
#include <stdlib.h>

int spw_comm_launched(int *rank) {
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"SLURM_NTASKS", "SLURM_PROCID"}};
    *rank = 0;
    for (int k = 0; k < 3; k++) {
        const char *size = getenv(names[k][0]), *mine = getenv(names[k][1]);
        if (k == 2 && !getenv("SLURM_STEP_ID")) size = NULL; /* of the job, but not by srun */
        if (!size || atoi(size) < 2) continue;
        if (mine) *rank = atoi(mine);
        return atoi(size);
    }
    return 1;
}
