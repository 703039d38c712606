#!/bin/sh
# learner.sh FOLDER [N...]: an invented learner's records in FOLDER, for tests of the page that is made of them: progress
# and history of these exercises, or of all, FOLDER/build/records and FOLDER/build/machine.tsv. No figure of it was measured.
folder=$1
shift
mkdir -p "$folder/build/records"
sh lib/commands/exercises.sh | LC_ALL=C awk -F '\t' -v folder="$folder" -v wanted=" $* " '
function shares(e, k, n, p,    list, share, low) {
    for (p = 1; p <= 1 + e % 4; p++) {
        share = 0.35 + 0.6 * k / n + 0.08 * rand() - 0.1 * p; low = share - 0.06
        list = list "\tkernel_" substr("abcd", p, 1) "\tn = 1.73 M, nz = 45.9 M\thost\ttrue\t" 571328548 "\t13824000\t" (p == 3 ? 0 : 91765424 * p ^ (e % 3)) \
            "\t" 52.1e9 + 6e9 * rand() "\t2.4e11\t" 0.011 / share "\t" share "\t" low "\t" share + 0.05 "\t0.66\t" (share > 0.66 ? "pass" : "slow") "\t"
        if (share < worst) worst = share
    }
    return list
}
function put(e, day, verdict, rest) {
    print "2026-11-" day "T12:00:00Z\t" e "\t" verdict "\ttrue\t" 100 * worst "\tfalse\t29.9\tfalse\t\t\t" rest >(folder "/progress.tsv.history")
}
function put_record(e, title, verdict,    file) {
    file = folder "/build/records/" e ".json"
    print "{\"spw_record\": 1, \"exercise\": \"" e "\", \"title\": \"" title "\", \"started\": \"2026-11-22T12:00:00Z\", \"verdict\": \"" verdict "\"," >file
    print "\"checks\": [{\"name\": \"BUILD\", \"status\": \"ok\", \"message\": \"gcc 12.2.0 -O3 -I/Users/somebody/build/x\"}," >file
    if (e ~ /gpu/ || e == 8 || e == 4) print "{\"name\": \"TRAFFIC\", \"status\": \"ok\", \"message\": \"spmv_ell: 10000 x 10000, modelled by the checker\\nell_thread, /Users/somebody/w/exercises/08-spmv-gpu/spmv_gpu.cu: traffic (modelled)\\nline array        access bytes  requests lanes    sectors    each at least\\n100 col_idx      load       4      8451  31.9      33750    3.99     3.99\\n101 y            store      8       313  31.9       2500    7.99     7.99\\nall                                            196299\\nShared memory: 32 banks of 4 bytes. Words of one bank take turns, in passes.\\nline array        access bytes  requests lanes     passes    each at least\\n  7 sums         load       8        32  32.0         64    2.00     2.00\\nneeded 3.40 MB / moved 6.28 MB, no cache: 54 %\"}," >file
    print "{\"name\": \"CORRECT\", \"status\": \"" (verdict == "wrong" ? "fail" : "ok") "\", \"code\": \"wrong-value\", \"message\": \"row 2: got <7718>, expected 0 & no more\"}, {\"name\": \"FAST\", \"status\": \"not-reached\"}], \"parts\": []}" >file
    close(file)
}
BEGIN {
    srand(7)
    print "# spw-progress 1" >(folder "/progress.tsv"); print "# spw-history 1" >(folder "/progress.tsv.history")
}
wanted !~ /[0-9]/ || index(wanted, " " $2 " ") {
    e = $2; n = 3 + (e * 5) % 7; day = 1 + e
    for (k = 1; k <= n; k++) {
        worst = 1
        if (k <= 2) put(e, sprintf("%02d", day), "wrong", k == 1 ? "BUILD\tcompiler\t" : "CORRECT\twrong-value\tkernel_a")
        else if (k == n - 1 && n > 4) { list = shares(e, k, n); put(e, sprintf("%02d", day + 1), "no-verdict", "FAST\tnoise\tkernel_a" list) }
        else { list = shares(e, k, n); put(e, sprintf("%02d", day + (k > 3)), k < n ? "slow" : "pass", (k < n ? "FAST\tslow\tkernel_a" : "\t\t") list) }
    }
    print e "\tpass\t" sprintf("%.1f", 100 * worst) "\t" e % 2 "\t0\t2026-11-" sprintf("%02d", day + 1) >(folder "/progress.tsv")
    put_record(e, "Exercise " e " · " $8, "pass")
}'
{
    printf '# spw-machine 1\ncpu\tInvented CPU\ncores\t8\nl1\t49152\nl2\t1048576\nl3\t33554432\nmemory\t25276502016\nvirtual\t1\ndate\t2026-11-22 11:13\ncompiler\tgcc 12.2.0\nthreads\t8\npeak_all\t239466406575\n'
    printf 'level\tmemory\t256000000\t54e9\t52e9\t55e9\t60e9\t58e9\t61e9\t65e9\t64e9\t66e9\t92e9\t90e9\t95e9\n'
    printf 'stair\t%s\t%s\t%s\t%s\n' 16384 900e9 850e9 930e9 262144 640e9 600e9 650e9 4194304 190e9 180e9 195e9 67108864 60e9 55e9 64e9 256000000 54e9 52e9 55e9
    printf 'saturation\t%s\t%s\t%s\t%s\n' 1 34e9 33e9 35e9 2 50e9 49e9 51e9 4 54e9 52e9 55e9 8 54e9 52e9 55e9
    echo 'check	0000000000000000'
} >"$folder/build/machine.tsv"
