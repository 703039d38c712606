# What traffic.awk and sectors.awk share. `command`: of which the complaints are.
function die(status, text) { print command ": " text >"/dev/stderr"; exit status }
# The next line of a file, in `line`; its words in w[], n of them.
function next_line(path,    got) {
    if ((got = (getline line <path)) < 0) die(1, "cannot read " path)
    if (!got) close(path)
    sub(/\r$/, "", line)
    n = split(line, w, " ")
    return got
}
