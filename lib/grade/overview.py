"""overview.html: students x exercises, what to look at, where most are stuck, shares of the roof over the room."""
from collections import Counter

import page
import results
from clean import count
from page import esc


def cell(r):
    if r is None:
        return "<td></td>"
    sign, word = results.VERDICTS[r["verdict"]][0], results.word(r)
    at, slow = results.failed(r), results.slowest(r)
    said = " ".join(filter(None, (at.get("name"), at.get("code"), at.get("function"), at.get("case"))))
    if slow:
        word = "%.0f %%" % (100 * slow["roof_share"]) if r["verdict"] in ("pass", "slow") else word
    elif r["verdict"] == "wrong" and at:
        word = at["name"]
    return '<td title="%s">%s</td>' % (esc(said or r["message"]), page.mark(r["verdict"], sign, esc(word)))


def matrix(room):
    out = ['<div class="wide"><table class="room"><thead><tr><th>student</th>']
    out += ["<th>%s</th>" % esc(e) for e in room.exercises] + ['<th class="r">points</th><th class="r">of</th></tr></thead><tbody>']
    for student in room.students:
        records = room.of(student)
        unsure = any(r["points"]["provisional"] for r in records)
        out.append('<tr><td>%s</td>%s<td class="r">%s%g</td><td class="r">%g</td></tr>' % (
            esc(student), "".join(cell(room.records.get((student, e))) for e in room.exercises), "~ " if unsure else "",
            round(sum(r["points"]["total"] for r in records), 3), sum(r["points"]["max"] for r in records)))
    return out + ["</tbody></table></div>", '<p class="legend">%s. Per cent: share of the roof of the function that is furthest from its goal. '
                  '~ points are provisional: a speed was not measured, and counts in full until it is.</p>'
                  % ", ".join(page.mark(v, *results.VERDICTS[v]) for v in results.VERDICTS)]


def to_look_at(room):
    """What a person should see before points are told."""
    lines = []
    for (student, exercise), r in sorted(room.records.items(), key=lambda item: (item[0][0], results.order(item[0][1]))):
        if r["verdict"] == "fault":
            lines.append("%s, exercise %s: not judged, and not the student's fault: %s" % (student, exercise, r["message"]))
        if "above-roof" in r["flags"]:
            lines.append("%s, exercise %s: faster than the machine can be. Read the source" % (student, exercise))
        if "again" in r["flags"]:
            lines.append("%s, exercise %s: no verdict on its speed in three tries. Once more on a quiet machine" % (student, exercise))
        if "races" in r["flags"]:
            lines.append("%s, exercise %s: races were not looked for; the feedback says why. Read the source" % (student, exercise))
    lines += ["%s: %s" % (s, n) for s in room.students for n in room.notes.get(s, [])] + room.complaints
    if not lines:
        return []
    return ["<h2>To look at</h2>", '<ul class="next">'] + ["<li>%s</li>" % esc(line) for line in lines] + ["</ul>"]


def stuck(room):
    """Of each exercise the checks and cases that hold most students up."""
    out = ["<h2>Where the class is stuck</h2>"]
    for exercise in room.exercises:
        records = [room.records[s, exercise] for s in room.students if (s, exercise) in room.records]
        at = Counter()
        for r in records:
            c = results.failed(r)
            if c and r["verdict"] in ("wrong", "slow"):
                at[c["name"], c["code"], c["function"], c["case"]] += 1
        verdicts = Counter(results.word(r) for r in records)
        told = ", ".join("%d %s" % (verdicts[w], w) for w in [v[1] for v in results.VERDICTS.values()] + [results.UNTIMED] if verdicts[w])
        title = next((r["title"] for r in records if r["title"]), "Exercise " + exercise)
        out += ["<h3>%s</h3>" % esc(title), '<p class="date">%s</p>' % esc(told)]
        if at:
            out.append('<div class="wide"><table class="stuck"><thead><tr><th>check</th><th>what</th><th>function</th><th>case</th><th></th><th class="r">students</th></tr></thead><tbody>')
            for key, count in at.most_common(6):
                out.append('<tr><td><b>%s</b></td><td>%s</td><td>%s</td><td>%s</td><td><div class="bar"><div style="width:%d%%"></div></div></td><td class="r">%d</td></tr>'
                           % (*map(esc, key), 100 * count // len(records), count))
            out.append("</tbody></table></div>")
            if len(at) > 6:
                out.append('<p class="legend">and %d more, of %d students</p>' % (len(at) - 6, sum(at.values()) - sum(c for _, c in at.most_common(6))))
    return out


def shares(room):
    """A line a function: a dot for each student, the goals as strokes."""
    timed = {}
    for student in room.students:
        for r in room.of(student):
            for f in r["fast"]:
                if f["roof_share"] > 0 and f["verdict"] != "no-verdict":
                    timed.setdefault((results.order(r["exercise"]), f["function"]), []).append(f)
    if not timed:
        return []
    left, width, height = 240, 600, 30
    most = max(1.0, min(1.5, max(f["roof_share"] for fs in timed.values() for f in fs)))
    out = ["<h2>Shares of the roof over the room</h2>", '<svg class="figure" viewBox="0 0 900 %d" role="img" aria-label="shares of the roof, a dot for each student">' % (height * len(timed) + 40)]
    for percent in range(0, int(100 * most) + 1, 25):
        x = left + width * percent / 100 / most
        out.append('<line class="grid" x1="%.1f" x2="%.1f" y1="0" y2="%d"/><text class="tick" x="%.1f" y="%d" text-anchor="middle">%d %%</text>'
                   % (x, x, height * len(timed), x, height * len(timed) + 22, percent))
    for k, ((order, function), fs) in enumerate(sorted(timed.items(), key=lambda item: item[0])):
        y = height * k + height / 2
        out.append('<text class="name" x="%d" y="%.1f" text-anchor="end">%s</text>' % (left - 14, y + 5, esc("%s %s" % (order[1], function), 28)))
        for f in fs:
            x = left + width * min(f["roof_share"], most) / most
            out.append('<circle class="seen" cx="%.1f" cy="%.1f" r="6"><title>%.0f %%</title></circle>' % (x, y, 100 * f["roof_share"]))
        goal = sorted(f["goal"] for f in fs)[len(fs) // 2]
        if goal:
            x = left + width * min(goal, most) / most
            out.append('<line class="goal" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>' % (x, x, y - 11, y + 11))
    return out + ["</svg>", '<p class="legend">A dot is the share that a student reached: the time of the reference over that of the answer, in the same run, times the share of the reference over the room. Answers without a verdict are left out. A stroke is the goal; goals differ from run to run, and this is the one in the middle.</p>']


def overview(room):
    """The page, in bytes."""
    started = sorted(r["started"] for r in room.records.values())
    cpus = sorted({r["machine"].get("cpu", "") for r in room.records.values()} - {""})
    body = ['<p class="date">Sparse Performance Workbook \u00b7 a class \u00b7 %s%s%s</p>' % (
        esc(started[-1][:10] if started else ""), " \u00b7 " + esc(", ".join(cpus)) if cpus else "", " \u00b7 workbook " + esc(room.workbook) if room.workbook else ""),
        "<h1>%s, %s</h1>" % (count(len(room.students), "student"), count(len(room.exercises), "exercise"))]
    return page.page("A class", body + matrix(room) + to_look_at(room) + stuck(room) + shares(room))
