#include "formats/running_sum.h"

#include "base/threads.h"

void spw_running_sum(spw_idx *values, int64_t n) {
    const int parts = spw_max_threads();
    spw_idx sums[parts];
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        sums[part] = 0;
        for (int64_t i = spw_part_begin(n, part, parts); i < spw_part_begin(n, part + 1, parts);
             i++)
            sums[part] += values[i];
    }
    for (int part = 1; part < parts; part++) sums[part] += sums[part - 1];
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        spw_idx sum = part ? sums[part - 1] : 0;
        for (int64_t i = spw_part_begin(n, part, parts); i < spw_part_begin(n, part + 1, parts);
             i++)
            values[i] = sum += values[i];
    }
}
