"""What learners made, fit to be printed: names, messages, reports. Everything that leaves a record passes through here."""
import re

MOST = 16384  # characters of one string

_COLOURS = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)|\x1b[ -/]*[0-~]?")
# Control characters but newline and tab, halves of UTF-16 pairs, what XML forbids, and what turns the direction of text.
_REFUSED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def text(value, most=MOST):
    """Several lines. Bytes that are no UTF-8 become U+FFFD."""
    if isinstance(value, bytes):
        value = value[:4 * most + 4096].decode("utf-8", "replace")
    value = "" if value is None else str(value)[:4 * most + 4096]
    value = _REFUSED.sub("", _COLOURS.sub("", value.replace("\r\n", "\n")))
    return value if len(value) <= most else value[:most - 1] + "\u2026"


def line(value, most=200):
    """One line, blanks instead of newlines and tabs."""
    return text(" ".join(text(value, 4 * most).split()), most)


def deep(value):
    """All strings of a record, keys too."""
    if isinstance(value, dict):
        return {line(k): deep(v) for k, v in value.items()}
    if isinstance(value, list):
        return [deep(v) for v in value]
    return text(value) if isinstance(value, str) else value


def count(n, noun, nouns=""):
    """1 answer, 2 answers."""
    return "%d %s" % (n, noun if n == 1 else nouns or noun + "s")


def cell(value):
    """Of a table that a spreadsheet opens, which would calculate what begins like this."""
    if not isinstance(value, str):
        return value
    value = text(value)
    return "'" + value if value[:1] in ("=", "+", "-", "@", "\t") else value
