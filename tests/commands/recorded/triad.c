/* The program of the recorded cachegrind files: a[i] = b[i] + s * c[i], argv[1] times.
 * gcc -O1 -o triad triad.c */
#include <stdlib.h>

int main(int argc, char **argv) {
    enum { N = 100000 };
    static double a[N], b[N], c[N];
    const int calls = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < N; i++) b[i] = c[i] = argc;
    for (int k = 0; k < calls; k++)
        for (int i = 0; i < N; i++) a[i] = b[i] + 3 * c[i];
    return a[N / 2] < 0;
}
