# Counts a TAP file: prints "passed failed skipped" and, into the file `details`, the failed cases in full
# and the reasons of the skipped ones. A skipped case is one marked so, whether it says ok or not ok
# (cmocka 1.1.5 says not ok). A file without a plan at its end is of a suite that died.
/^(ok|not ok) / {
    showing = 0
    if (match(toupper($0), /# SKIP/)) {
        skipped++
        why = substr($0, RSTART + 7)
        name = substr($0, 1, RSTART - 1)
        sub(/^(not )?ok [0-9]* *-? */, "", name); sub(/ +$/, "", name)
        sub(/^ +/, "", why)
        if (why == "") why = said
        if (why == "") why = "no reason given"
        print "   skipped: " name ": " why >details
    } else if (/^ok /) passed++
    else { failed++; showing = 1; print "   " $0 >details }
    said = ""
    next
}
/^1\.\.[0-9]+/ { plan = 1; next }
showing { print "   " $0 >details }
{ if (sub(/^(# *)?skipped: */, "")) said = $0 }
END {
    if (!plan) {
        failed++
        print "   not ok - the suite ended before its end; its last words:" >details
        print "   # " $0 >details
    }
    print passed + 0, failed + 0, skipped + 0
}
