/* check.js: appended to a copy of a built page by the test only. Writes a line for each fault into an element #faults,
   which chromium --dump-dom prints: words outside their slide or box, words over words, contrast, words below 18 px (20 pt
   at 1080 lines; those in pictures as they are scaled), dead ends. */
addEventListener('load', () => {
  const out = [], slides = [...document.querySelectorAll('.slide')], root = document.documentElement
  root.className = root.classList.contains('dark') ? 'dark' : ''  // one below the other, unscaled
  const style = document.createElement('style')
  style.textContent = '.slide{position:relative!important;visibility:visible!important;transform:none!important;margin:0!important} .step{visibility:visible!important} #bar,#speaker{display:none!important}'
  document.head.append(style)
  const lum = c => { const v = c.match(/[\d.]+/g).slice(0, 3).map(x => x / 255).map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2] }
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(c) && c !== 'transparent') return c } return 'rgb(255,255,255)' }
  const quad = t => { const b = t.getBBox(), m = t.getScreenCTM(); return [[b.x, b.y], [b.x + b.width, b.y], [b.x + b.width, b.y + b.height], [b.x, b.y + b.height]].map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]) }
  const apart = (p, q) => [p, q].some(r => [0, 1].some(k => { // separating axis of two rectangles, 2 px may overlap
    const dx = r[k + 1][0] - r[k][0], dy = r[k + 1][1] - r[k][1], l = Math.hypot(dx, dy) || 1
    const on = s => s.map(([x, y]) => (x * dx + y * dy) / l), a = on(p), b = on(q)
    return Math.max(...a) < Math.min(...b) + 2 || Math.max(...b) < Math.min(...a) + 2 }))
  slides.forEach(s => {
    const fault = text => out.push(s.id + ': ' + text), box = s.getBoundingClientRect()
    const walk = document.createTreeWalker(s, NodeFilter.SHOW_TEXT), flow = [], feet = [...s.querySelectorAll('.source, .number')].map(f => f.getBoundingClientRect())
    let n
    while ((n = walk.nextNode())) {
      if (!n.data.trim() || n.parentElement.closest('.notes')) continue
      const word = JSON.stringify(n.data.trim().slice(0, 30)), st = getComputedStyle(n.parentElement)
      const range = document.createRange(); range.selectNodeContents(n)
      for (const r of range.getClientRects()) {
        if (r.left < box.left + 40 || r.right > box.right - 40 || r.top < box.top + 30 || r.bottom > box.bottom - 10) { fault('outside the slide: ' + word); break }
        if (!n.parentElement.closest('.source, .number') && feet.some(f => r.bottom > f.top + 2 && r.right > f.left && r.left < f.right)) { fault('runs into the foot: ' + word); break }
      }
      if (!n.parentElement.closest('svg, math') && parseFloat(st.fontSize) < 17.9) fault('small, ' + st.fontSize + ': ' + word)
      const ink = n.parentElement.closest('svg') ? st.fill : st.color, a = lum(ink), b = lum(ground(n.parentElement)), c = (Math.max(a, b) + .05) / (Math.min(a, b) + .05)
      if (c < 4.5) fault('contrast ' + c.toFixed(1) + ': ' + word)
    }
    for (const p of s.querySelectorAll('pre, table, .column')) if (p.scrollWidth > p.clientWidth + 1) fault('wider than its box by ' + (p.scrollWidth - p.clientWidth) + ' px: ' + JSON.stringify(p.textContent.trim().slice(0, 40)))
    if (s.scrollHeight > s.clientHeight + 1) fault('higher than the slide by ' + (s.scrollHeight - s.clientHeight) + ' px')
    if (feet.length > 1 && feet[0].right > feet[1].left && feet[0].left < feet[1].right) fault('the source runs into the number')
    for (const g of s.querySelectorAll('svg.figure')) {
      const t = [...g.querySelectorAll('text')].filter(e => e.textContent.trim()), q = t.map(quad), v = g.getBoundingClientRect()
      if (v.height < 150) fault('figure only ' + Math.round(v.height) + ' px high')
      t.forEach((e, i) => {
        const size = parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().d
        if (size > 0 && size < 17.9 && Math.abs(e.getScreenCTM().b) < 1e-6) fault('small in the figure, ' + size.toFixed(1) + ' px: "' + e.textContent.trim() + '"')
        if (q[i].some(([x, y]) => x < v.left - 1 || x > v.right + 1 || y < v.top - 1 || y > v.bottom + 1)) fault('outside the figure: "' + e.textContent.trim() + '"')
        for (let j = i + 1; j < t.length; j++) if (!apart(q[i], q[j])) fault('words over words: "' + e.textContent.trim() + '" and "' + t[j].textContent.trim() + '"')
      })
    }
    for (const a of s.querySelectorAll('a[href^="#"]')) if (!document.getElementById(a.hash.slice(1))) fault('dead link ' + a.hash)
  })
  const pre = document.createElement('pre')
  pre.id = 'faults'
  pre.textContent = '\nfaults ' + out.length + ', slides ' + slides.length + '\n' + out.join('\n') + '\n'
  document.body.append(pre)
})
