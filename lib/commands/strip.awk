# Makes the learner's file from a solution: awk -f strip.awk solutions/06-spmv-csr/spmv_csr.c
#
#     /* SOLUTION your code here */        becomes       /* your code here */
#     for (i = 0; ...) ...
#     /* END */
#
# A bare /* SOLUTION */ takes its region out without a trace: helpers, further includes. Then one of the
# two blank lines that would meet is taken out as well. Markers stand on lines of their own.
function fault(text)
{
    printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
    failed = 1
    exit 1
}

/^[ \t]*\/\* SOLUTION( .*)? ?\*\/[ \t]*$/ {
    if (inside) fault("a region begins inside the one of line " inside)
    inside = FNR
    text = $0
    sub(/\/\* SOLUTION */, "/* ", text)
    silent = text ~ /^[ \t]*\/\* *\*\/[ \t]*$/
    if (!silent) { print text; blank = 0 }
    next
}
/^[ \t]*\/\* END \*\/[ \t]*$/ {
    if (!inside) fault("END without a SOLUTION before it")
    inside = 0
    squeeze = silent && blank
    next
}
/\/\* *(SOLUTION|END *\*\/)/ { fault("a marker must stand alone in its line") }
inside { next }
{
    is_blank = $0 ~ /^[ \t]*$/
    if (squeeze && is_blank) next
    squeeze = 0
    print
    blank = is_blank
}

END {
    if (failed) exit 1
    if (inside) {
        printf "%s:%d: the region that begins here has no END\n", FILENAME, inside >"/dev/stderr"
        exit 1
    }
}
