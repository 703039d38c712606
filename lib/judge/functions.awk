# Lists the functions that a C file defines, one a line: NAME LINE STATE, where STATE is "empty" if the
# body holds nothing but comments and white space. This is how the judge knows what is not written yet.
#
# Comments, strings and preprocessor lines are blanked first, keeping the lines; then a brace at depth 0
# that follows a ")" begins a body, and the word before the matching "(" is the function's name.
{ text = text $0 "\n" }

END {
    text = blanked(text)
    n = length(text)
    depth = 0; parens = 0; line = 1; word = ""; word_line = 1; name = ""; last = ""
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        if (c == "\n") { line++; if (word != "") { recent = word; recent_line = word_line } word = ""; continue }
        if (c ~ /[A-Za-z0-9_]/) { if (word == "") word_line = line; word = word c
                                  if (depth == 1) filled = 1; last = "w"; continue }
        if (word != "") { recent = word; recent_line = word_line; word = "" }
        if (c ~ /[ \t\r]/) continue
        if (depth == 0) {
            if (c == "(") { if (parens++ == 0) { name = recent; name_line = recent_line } }
            else if (c == ")") parens--
            else if (c == "{") { depth = 1; is_body = (last == ")" && parens == 0); filled = 0
                                 body_line = line }
        } else {
            if (c == "{") { depth++; filled = 1 }
            else if (c == "}") { if (--depth == 0 && is_body)
                                     print name, name_line, filled ? "written" : "empty" }
            else filled = 1
        }
        last = c
    }
}

function blanked(s,    out, k, m, c, d, state) {
    m = length(s); out = ""; state = ""
    for (k = 1; k <= m; k++) {
        c = substr(s, k, 1); d = substr(s, k, 2)
        if (state == "") {
            if (d == "/*") { state = "block"; k++; out = out "  " }
            else if (d == "//") { state = "line"; k++; out = out "  " }
            else if (c == "#" && fresh) { state = "directive"; out = out " " }
            else if (c == "\"" || c == "'") { state = c; out = out "0" }
            else out = out c
        } else if (c == "\n") {
            out = out c
            if (state == "line" || (state == "directive" && substr(s, k - 1, 1) != "\\")) state = ""
        } else if (state == "block") {
            if (d == "*/") { state = ""; k++; out = out "  " } else out = out " "
        } else if (state == "\"" || state == "'") {
            if (c == "\\") { k++; out = out "  " }
            else { if (c == state) state = ""; out = out " " }
        } else out = out " "
        if (c == "\n") fresh = 1
        else if (c !~ /[ \t]/) fresh = 0
    }
    return out
}
BEGIN { fresh = 1 }
