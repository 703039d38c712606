# Prints a record (record.h), or any JSON, as lines "path <tab> value": checks.0.name <tab> BUILD. In values a newline
# is \n, a tab \t and a backslash \\; an empty list or object has no line.  awk -f lib/judge/record.awk FILE
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
        if (end == "}") { key = string(); blank(); at++ }
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
    else if (c == "\"") print path "\t" string()
    else if (match(substr(s, at), /^[-+.a-zA-Z0-9]+/)) {
        print path "\t" substr(s, at, RLENGTH)
        at += RLENGTH
    } else fail("no value")
}

{ s = s $0 "\n" }
END { if (!failed) { at = 1; value("") } exit failed }
