/* In a build without the checker, ThreadSanitizer's, these figures are none. */
#include "commands/plot/plot.h"

const plot_figure plot_checked[] = {{.name = NULL}};
