/* Under both schedules, with bounds, uninitialised reads and races looked for at every access. */
#include "device/on_device.h"

#include "simt/simt.h"

#include <stddef.h>

const char *on_device(void (*body)(void *argument), void *argument) {
    static char text[4096];
    for (int descending = 0; descending < 2; descending++) {
        const spw_simt_options options = {.check = true, .descending = descending, .limit = 60};
        if (spw_simt_begin(&options)) return spw_message();
        const bool ended = spw_simt_run(body, argument);
        const int findings = spw_simt_finding_count();
        if (findings > 0) spw_simt_print_findings(text, sizeof text);
        spw_simt_end();
        if (findings > 0) return text;
        if (!ended) return "it did not come to its end";
    }
    return NULL;
}
