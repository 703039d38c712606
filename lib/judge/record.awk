# Prints a record (record.h), or any JSON, as lines "path <tab> value": checks.0.name <tab> BUILD. In values a newline
# is \n, a tab \t and a backslash \\; an empty list or object has no line.  awk -f lib/judge/record.awk FILE
#
# -v rows=parts -v columns="function share": a line for each element of that list, its members parted by tabs, of
# those that are not there nothing. rows=.: one line, of the members of the record itself.
function fail(what) { print "no JSON: " what " at byte " at >"/dev/stderr"; exit failed = 1 }
function blank() { while (substr(s, at, 1) ~ /[ \t\r\n]/) at++ }
function name(path, more) { return path == "" ? more : path "." more }

# The string that begins at the quotation mark.
function string(    begin, c) {
    begin = ++at
    while ((c = substr(s, at, 1)) != "\"") {
        if (c == "") fail("a string without an end")
        at += c == "\\" ? 2 : 1
    }
    c = substr(s, begin, at++ - begin)
    gsub(/\\"/, "\"", c)
    gsub(/\\\//, "/", c)
    return c
}

function members(path, end,    key, n) {
    at++
    for (blank(); substr(s, at, 1) != end; blank()) {
        key = n++
        if (end == "}") { key = string(); blank(); at++ } else elements[path] = n
        value(name(path, key))
        blank()
        if (substr(s, at, 1) == ",") at++
        else if (substr(s, at, 1) != end) fail("neither , nor " end)
        blank()
    }
    at++
}

function value(path,    c) {
    blank()
    c = substr(s, at, 1)
    if (c == "{") members(path, "}")
    else if (c == "[") members(path, "]")
    else if (c == "\"") tell(path, string())
    else if (match(substr(s, at), /^[-+.a-zA-Z0-9]+/)) {
        tell(path, substr(s, at, RLENGTH))
        at += RLENGTH
    } else fail("no value")
}

function tell(path, text) { if (rows == "") print path "\t" text; else member[path] = text }

function row(of,    n, k, c, line) {
    n = split(columns, c, " ")
    for (k = 1; k <= n; k++) line = line (k > 1 ? "\t" : "") member[of c[k]]
    print line
}

{ s = s $0 "\n" }
END {
    if (failed) exit 1
    at = 1
    value("")
    if (rows == ".") row("")
    else if (rows != "") for (i = 0; i < elements[rows]; i++) row(rows "." i ".")
    exit failed
}
