"""HTML pages of a class: each one file, without a script, that asks nobody for anything. Their look is the report's."""
import html
import os

import clean

STYLE = """
main { max-width: none } table.room { width: auto } .room th, .room td { padding: 5px 12px 5px 0 } .room td:first-child, .room th:first-child { font-weight: 600; padding-right: 22px }
.room td { white-space: nowrap } .wide { overflow-x: auto } .stuck td, .next li { overflow-wrap: anywhere } .stuck td:first-child { white-space: nowrap } h3 { margin-top: 26px } .stuck .bar, .room .bar { width: 220px } .stuck .bar div { background: var(--orange) }
.figure { max-width: 900px } .figure .seen { fill: var(--blue); opacity: .55 } .figure .goal { stroke: var(--ink); stroke-width: 2; stroke-dasharray: none } .mark.missing, .mark.fault { color: var(--mute) }
.beamer { font-size: 22px } .beamer td, .beamer th { font-size: 22px } .beamer .mark { font-size: inherit } .beamer .bar { width: 300px; height: 20px } .beamer .bar div { height: 20px; border-radius: 0 } .beamer .date, .beamer .legend { font-size: 18px }
.bar.split { display: flex } .bar.split div { border-radius: 0 } .bar .pass { background: var(--green) } .bar .slow { background: var(--yellow) } .bar .wrong { background: var(--orange) } .bar .no-verdict { background: var(--sky) } .bar .not-written { background: var(--mute) }
"""


def esc(value, most=400):
    """Of one line; made here alone, so that nothing reaches a page otherwise."""
    return html.escape(clean.line(value, most), quote=True)


def mark(verdict, sign, word):
    return '<span class="mark %s">%s</span> %s' % (verdict, sign, word)


def page(title, body, refresh=0, kind=""):
    """A whole page, in bytes. refresh: seconds after which a browser reads it again, 0: never."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "commands", "report.css"), encoding="utf-8") as file:
        style = file.read() + STYLE
    head = ['<!DOCTYPE html>', '<html lang="en">', '<head>', '<meta charset="utf-8">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">', '<meta name="referrer" content="no-referrer">']
    if refresh:
        head.append('<meta http-equiv="refresh" content="%d">' % refresh)
    head += ["<title>%s</title>" % esc(title), "<style>%s</style>" % style, "</head>", '<body class="%s">' % kind, "<main>"]
    return "\n".join(head + body + ["</main>", "</body>", "</html>", ""]).encode("utf-8")
