# Makes a wrong answer of its solution: awk -f apply_patch.awk exercise.patch solution.c >wrong.c
# Lines above the first "@@ " are words, tests/wrong/README.md. A hunk is looked for from its line on, then before it,
# nearest first, and every line that it takes away or keeps must be in the solution as it is in the patch.
function fault(text) { print patch ": " text >"/dev/stderr"; failed = 1; exit 1 }
function fits(at,   k) {
    if (at <= done || at + n_old[h] - 1 > n) return 0
    for (k = 1; k <= n_old[h]; k++) if (text[at + k - 1] != old[h, k]) return 0
    return 1
}
FNR == 1 { file++; if (file == 1) patch = FILENAME }
file == 1 && /^@@ / { split($2, place, /[-,]/); at[++hunks] = place[2] + (place[3] == "0"); next }
file == 1 && hunks {
    kind = substr($0, 1, 1); line = substr($0, 2)
    if (kind != "+") old[hunks, ++n_old[hunks]] = line
    if (kind != "-") new[hunks, ++n_new[hunks]] = line
    if (kind == "+" || kind == "-") changes++
    next
}
file == 2 { text[++n] = $0 }
END {
    if (failed) exit 1
    if (!changes) fault("changes nothing")
    for (h = 1; h <= hunks; h++) {
        for (d = 0; d <= n; d++) {
            if (fits(found = at[h] + shift + d) || fits(found = at[h] + shift - d)) break
        }
        if (d > n) fault("hunk " h ", of line " at[h] ", does not fit " FILENAME " any more: tests/patches.sh")
        shift = found - at[h]
        while (done + 1 < found) print text[++done]
        for (k = 1; k <= n_new[h]; k++) print new[h, k]
        done = found + n_old[h] - 1
    }
    while (done < n) print text[++done]
}
