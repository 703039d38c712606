# Lists the functions that a preprocessed file defines, one a line: NAME LINE STATE, where STATE is "empty" if the body
# holds nothing. This is how the judge knows what is not written yet. LINE is that of the source; of what an #include
# brought, that of the #include. Assembly, an attribute that names a section, has a function run at the start or keeps
# accesses from being seen have the STATE "refused", and raw strings, in which such things could hide; in CUDA source
# the processor's own instructions, too.
#
# What comes from system headers is passed over; a header within the workbook is none, whatever it says of itself. A
# brace at depth 0 that follows a ")" begins a body, and the word before the matching "(" is the function's name.
/^# [0-9]+ "/ {
    file = $0
    sub(/^# [0-9]+ "/, "", file)
    flags = file
    sub(/".*/, "", file)
    sub(/.*"/, "", flags)
    if (source == "") source = file
    in_system = flags ~ / 3/ && file ~ /^\/|^(.*\/)?lib\/simt\/include\//
    in_source = file == source
    if (in_source) line = $2 - 1
    next
}
in_source { line++ }
in_system || /^[ \t]*#/ { next }
{
    text = $0
    while (match(text, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/))
        text = substr(text, 1, RSTART - 1) (substr(text, RSTART, 1) == "\"" ? " $ " : "0") substr(text, RSTART + RLENGTH)
    $0 = text
    gsub(/[\r\f]/, " ")
    gsub(/[^A-Za-z0-9_ \t]/, " & ")
    for (k = 1; k <= NF; k++) token($k)
}

function token(t)
{
    if (t == "asm" || t == "__asm__" || t == "__asm") print "assembly", in_source ? line : line + 1, "refused"
    if (t ~ /^(__)?(con|de)structor(__)?$/ && last ~ /^[(,:]$/) print "startup", in_source ? line : line + 1, "refused"
    if (t ~ /^(__)?(no_sanitize|disable_sanitizer)/ || (source ~ /\.cu$/ && t ~ /^(__builtin_ia32_|_mm(256|512)?_|__builtin_neon)/))
        print "unseen", in_source ? line : line + 1, "refused"
    if ((t == "$" || t == "\"") && last ~ /^(L|u|U|u8)?R$/) print "raw", in_source ? line : line + 1, "refused"
    if (t == "$" && in_section) print "section", in_source ? line : line + 1, "refused"
    in_section = t ~ /^(__)?section(__)?$/ || (in_section && t == "(")
    if (depth > 0) {
        if (t == "{") depth++
        if (t == "}" && --depth == 0) {
            if (is_body) print name, name_line, filled ? "written" : "empty"
        } else filled = 1
    } else if (t == "(") {
        if (parens++ == 0 && recent != "__attribute__") { name = recent; name_line = recent_line }
    } else if (t == ")") parens--
    else if (t == "{" && !(recent == "extern" && last == "$")) {
        depth = 1
        is_body = last == ")" && parens == 0
        filled = 0
    } else if (t ~ /^[A-Za-z_]/) { recent = t; recent_line = in_source ? line : line + 1 }
    last = t
}
