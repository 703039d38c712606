# Figures of report.awk, as SVG in the page. Colours are the variables of report.css. A figure begins with figure(), which
# says its size, the box of its axes and what is seen; px() and py() are where a value lies in it.
function figure(w, h, left, right, top, bottom, alt) {
    x_left = left; x_right = w - right; y_top = top; y_bottom = h - bottom
    printf "<svg class=\"figure\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", w, h, html(alt)
}
function axes(x0, x1, y0, y1, logs) {
    x_log = logs ~ /x/; y_log = logs ~ /y/
    x_from = x_log ? log(x0) : x0; x_span = (x_log ? log(x1) : x1) - x_from
    y_from = y_log ? log(y0) : y0; y_span = (y_log ? log(y1) : y1) - y_from
}
function px(x) { return x_left + ((x_log ? log(x) : x) - x_from) / x_span * (x_right - x_left) }
function py(y) { return y_bottom - ((y_log ? log(y) : y) - y_from) / y_span * (y_bottom - y_top) }

function stroke(class, x, y, to_x, to_y) { printf "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x, y, to_x, to_y }
# anchor: start, middle or end; class: of report.css; more: another attribute
function words(x, y, anchor, class, s, more) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s%s>%s</text>\n", x, y, anchor, class ? " class=\"" class "\"" : "",
        more ? " " more : "", html(s)
}
function x_tick(x, s) { stroke("grid", px(x), y_top, px(x), y_bottom); words(px(x), y_bottom + 19, "middle", "tick", s) }
function y_tick(y, s) { stroke("grid", x_left, py(y), x_right, py(y)); words(x_left - 8, py(y) + 5, "end", "tick", s) }
function frame(x_name, y_name) {
    stroke("axis", x_left, y_bottom, x_right, y_bottom)
    stroke("axis", x_left, y_top, x_left, y_bottom)
    words(x_right, y_bottom + 40, "end", "name", x_name)
    words(x_left + 8, y_top + 11, "start", "name", y_name)
}
function least(a, b) { return (a < b) ? a : b }
function most(a, b) { return (a > b) ? a : b }

# Where there is room for a label at a point: one of eight places around it that touches nothing placed before. None for
# a label that already stands beside a near point. True: label_x, label_y, label_anchor.
function room_for(x, y, label,    try, dx, wide, left, k, free) {
    for (k = 1; k <= taken; k++) if (taken_by[k] == label && most(taken_left[k] - x, x - taken_right[k]) < 16 && most(taken_high[k] - y, y - taken_low[k]) < 16) return 0
    wide = 9 * length(label) + 2
    for (try = 0; try < 8; try++) {
        dx = (try < 2) ? 11 : (try < 4) ? -11 : (try < 6) ? 0 : (try == 6) ? 9 : -9
        label_anchor = (dx > 0) ? "start" : (dx < 0) ? "end" : "middle"
        label_x = x + dx; label_y = y + ((try < 4) ? ((try % 2) ? 14 : 5) : (try % 2) ? 22 : -10)
        left = (dx > 0) ? label_x : (dx < 0) ? label_x - wide : label_x - wide / 2
        free = left > x_left && left + wide < x_right && label_y > y_top + 10 && label_y < y_bottom
        for (k = 1; k <= taken && free; k++)
            if (left < taken_right[k] && left + wide > taken_left[k] && label_y - 12 < taken_low[k] && label_y > taken_high[k]) free = 0
        if (free) { take(left, left + wide, label_y - 12, label_y, label); return 1 }
    }
    return 0
}
function take(left, right, high, low, by) {
    taken_by[++taken] = by; taken_left[taken] = left; taken_right[taken] = right; taken_high[taken] = high; taken_low[taken] = low
}

# --- the roofline: the machine's, or the last run's where the machine was not measured ---
function roofline(    k, x0, x1, y0, y1, x, b, most_b, peak, angle) {
    b = machine_b; most_b = machine_most; peak = machine_peak
    if (!b) { b = most_b = last_b; peak = last_peak }
    x0 = 1 / 32; x1 = 64; y1 = peak / 1e9
    for (k = 1; k <= points; k++) { x0 = least(x0, point_x[k] / 1.4); x1 = most(x1, point_x[k] * 1.4); y1 = most(y1, most(point_y[k], point_roof[k])) }
    y0 = x0 * b / 1e9 / 1.5
    for (k = 1; k <= points; k++) y0 = least(y0, most(point_y[k] / 1.5, y1 / 1e5))
    figure(1000, 480, 58, 22, 14, 48, "The roofline of this machine, memory " sprintf("%.0f", b / 1e9) " GB/s and peak " sprintf("%.0f", peak / 1e9) \
        " Gflop/s, with " points " of your kernels in it.")
    axes(x0, x1, y0, y1 * 1.9, "xy")
    for (k = -10; k <= 12; k++) { x = 2 ^ k; if (x >= x0 && x <= x1) x_tick(x, (k < 0) ? "1/" 2 ^ -k : x) }
    for (x = 1e-6; x < 1e6; x *= 10) for (k = 1; k <= 5; k += (k == 2) ? 3 : 1)
        if (x * k >= y0 && x * k <= y1 * 1.7 && (k == 1 || y1 / y0 < 3000)) y_tick(x * k, x * k)
    frame("flop/byte", "Gflop/s")
    taken = 0
    take(x_left, x_left + 70, y_top, y_top + 18)
    if (most_b > b) {
        printf "<path class=\"band\" d=\"M%.1f %.1f L%.1f %.1f L%.1f %.1f L%.1f %.1f Z\"/>\n", px(x0), py(x0 * b / 1e9), px(x0), py(x0 * most_b / 1e9),
            px(peak / most_b), py(peak / 1e9), px(peak / b), py(peak / 1e9)
    }
    printf "<path class=\"roof\" d=\"M%.1f %.1f L%.1f %.1f L%.1f %.1f\"/>\n", px(x0), py(x0 * b / 1e9), px(peak / b), py(peak / 1e9), px(x1), py(peak / 1e9)
    words(px(x1) - 4, py(peak / 1e9) - 9, "end", "of-roof", "peak " rate(peak / 1e9) " Gflop/s")
    x = exp((log(x0) + 2 * log(peak / b)) / 3)
    angle = -atan2(py(b * x0 / 1e9) - py(peak / 1e9), px(peak / b) - px(x0)) * 180 / 3.14159265
    words(px(x), py(x * most_b / 1e9) - 10, "middle", "of-roof",
        (most_b > b) ? "memory " rate(b / 1e9) " to " rate(most_b / 1e9) " GB/s" : "memory " rate(b / 1e9) " GB/s",
        sprintf("transform=\"rotate(%.2f %.1f %.1f)\"", angle, px(x), py(x * most_b / 1e9) - 10))
    for (k = 1; k <= points; k++) {
        take(px(point_x[k]) - 7, px(point_x[k]) + 7, py(point_y[k]) - 7, py(point_y[k]) + 7)
        stroke("own" (point_gpu[k] ? " gpu" : ""), px(point_x[k]), py(point_y[k]), px(point_x[k]), py(point_roof[k]))
        stroke("own" (point_gpu[k] ? " gpu" : ""), px(point_x[k]) - 6, py(point_roof[k]), px(point_x[k]) + 6, py(point_roof[k]))
    }
    for (k = 1; k <= points; k++)
        printf "<circle class=\"dot%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\"><title>%s</title></circle>\n", point_gpu[k] ? " gpu" : "", px(point_x[k]), py(point_y[k]),
            html(point_name[k])
    for (k = 1; k <= points; k++) if (room_for(px(point_x[k]), py(point_y[k]), point_label[k])) words(label_x, label_y, label_anchor, "of-dot", point_label[k])
    print "</svg>"
}

# --- the attempts at one exercise: lines of parts over the judgements, and below each its verdict ---
function attempts(e,    n, first, k, p, i, t, top, x, y, step, path, last_day, n_series, series, ends, class) {
    n = tries[e]; first = (n > 40) ? n - 39 : 1
    top = 110
    for (t = first; t <= n; t++) for (i = 1; i <= try_parts[e, t]; i++) top = most(top, least(150, 100 * try_share[e, t, i] + 5))
    figure(640, 262, 60, 118, 14, 76, "Share of the roof over " n " judgements of exercise " e ".")
    axes(first - 0.5, n + 0.5, 0, top, "")
    for (y = 0; y <= top; y += 25) y_tick(y, y " %")
    stroke("grid roof-line", x_left, py(100), x_right, py(100))
    stroke("axis", x_left, y_bottom, x_right, y_bottom)
    stroke("axis", x_left, y_top, x_left, y_bottom)
    for (t = first; t <= n; t++) {
        for (i = 1; i <= try_parts[e, t]; i++) if (!(try_name[e, t, i] in series)) { series[try_name[e, t, i]] = ++n_series; ends[n_series] = try_name[e, t, i] }
        words(px(t), y_bottom + 20, "middle", "mark " try_verdict[e, t], sign[try_verdict[e, t]])
        if (try_day[e, t] != last_day && (last_day == "" || px(t) - x > 62)) {
            x = px(t); last_day = try_day[e, t]
            words(x, y_bottom + 40, "middle", "tick", substr(last_day, 6))
        }
    }
    words(x_right, y_bottom + 62, "end", "name", (first > 1) ? "the last 40 of " n " judgements" : "judgements, in order")
    for (k = 1; k <= n_series; k++) {
        path = ""; class = "s" ((k - 1) % 6 + 1)
        for (t = first; t <= n; t++) for (i = 1; i <= try_parts[e, t]; i++) if (try_name[e, t, i] == ends[k]) {
            y = py(least(top, 100 * try_target[e, t, i]))
            stroke("goal " class, px(t - 0.35), y, px(t + 0.35), y)
            y = py(least(top, 100 * try_share[e, t, i]))
            stroke("range " class, px(t), py(least(top, 100 * try_low[e, t, i])), px(t), py(least(top, 100 * try_high[e, t, i])))
            path = path ((path == "") ? "M" : " L") sprintf("%.1f %.1f", px(t), y)
            printf "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", class, px(t), y
            end_y[k] = y
        }
        printf "<path class=\"line %s\" d=\"%s\"/>\n", class, path
    }
    name_series(n_series, ends)
    print "</svg>"
}
# The names of the lines at their right ends, pushed apart, the highest first.
function name_series(n, ends,    k, j, best, done, y) {
    y = y_top - 8
    for (j = 1; j <= n; j++) {
        best = 0
        for (k = 1; k <= n; k++) if (!(k in done) && (!best || end_y[k] < end_y[best])) best = k
        done[best] = 1
        y = most(y + 16, least(end_y[best] + 5, y_bottom - 16 * (n - j)))
        words(x_right + 6, y, "start", "of-line s" ((best - 1) % 6 + 1), clip(ends[best], 15))
    }
}

# --- the machine: bandwidth over the working set, and over threads ---
function curve(n, x, median, low, high, class,    k, up, down, path) {
    for (k = 1; k <= n; k++) if (median[k] > 0) {
        path = path ((path == "") ? "M" : " L") sprintf("%.1f %.1f", px(x[k]), py(median[k]))
        up = up ((up == "") ? "M" : " L") sprintf("%.1f %.1f", px(x[k]), py(low[k]))
        down = sprintf(" L%.1f %.1f", px(x[k]), py(high[k])) down
    }
    printf "<path class=\"band\" d=\"%s%s Z\"/>\n<path class=\"line %s\" d=\"%s\"/>\n", up, down, class, path
    for (k = 1; k <= n; k++) if (median[k] > 0) printf "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", class, px(x[k]), py(median[k])
}
function staircase(    k, y0, y1, x) {
    y0 = 1e9; y1 = 0
    for (k = 1; k <= stairs; k++) { y0 = least(y0, stair_low[k]); y1 = most(y1, stair_high[k]) }
    figure(520, 320, 58, 18, 16, 48, "Bandwidth of loads over the working set: " stairs " sizes, from " rate(stair_median[1]) " GB/s in the first cache to " \
        rate(stair_median[stairs]) " GB/s from memory.")
    axes(stair_bytes[1] / 1.3, stair_bytes[stairs] * 1.3, y0 / 1.3, y1 * 1.4, "xy")
    for (x = 1024; x <= stair_bytes[stairs] * 1.3; x *= 16) if (x >= stair_bytes[1] / 1.3) x_tick(x, (x < 1048576) ? x / 1024 " KiB" : (x < 1073741824) ? x / 1048576 " MiB" : x / 1073741824 " GiB")
    for (x = 1; x < 1e6; x *= 10) for (k = 1; k <= 5; k += (k == 2) ? 3 : 1) if (x * k >= y0 / 1.3 && x * k <= y1 * 1.2) y_tick(x * k, x * k)
    frame("working set", "GB/s")
    curve(stairs, stair_bytes, stair_median, stair_low, stair_high, "s1")
    print "</svg>"
}
function saturation(    k, y1, step) {
    for (k = 1; k <= widths; k++) y1 = most(y1, width_high[k])
    figure(520, 320, 58, 18, 16, 48, "Bandwidth of loads from memory over threads: " rate(width_median[1]) " GB/s by one, " rate(width_median[widths]) " GB/s by " \
        width_threads[widths] ".")
    axes(0, width_threads[widths] * 1.06, 0, y1 * 1.12, "")
    step = 1
    while (y1 / step > 6) step *= (step ~ /^20*$/) ? 2.5 : 2
    for (k = 0; k <= y1 * 1.1; k += step) y_tick(k, k)
    step = 1
    while (width_threads[widths] / step > 8) step *= 2
    for (k = 0; k <= width_threads[widths]; k += step) x_tick(k, k)
    frame("threads", "GB/s")
    curve(widths, width_threads, width_median, width_low, width_high, "s1")
    print "</svg>"
}
