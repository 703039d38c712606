/* page.js: appended to a copy of a page, not a deck, by the test only. Writes a line for each fault into an element #faults,
   which chromium --dump-dom prints: contrast, words that run out of the page or of their box, or over each other in pictures,
   pictures without words or contents, dead links, formulas cut off. */
addEventListener('load', () => {
  const out = [], fault = text => { if (out.length < 40) out.push(text) }
  document.querySelectorAll('details').forEach(d => { d.open = true })
  const rgb = c => c.match(/[\d.]+/g).map(Number)
  const lum = c => { const v = rgb(c).slice(0, 3).map(x => x / 255).map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2] }
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgb(c)[3] !== 0) return c } return 'rgb(255,255,255)' }
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = new Set()
  let n
  while ((n = walk.nextNode())) {
    const e = n.parentElement
    if (!n.data.trim() || e.closest('script, style, annotation, title')) continue
    const style = getComputedStyle(e), ink = e.closest('svg') ? style.fill : style.color
    const a = lum(ink), b = lum(ground(e)), c = (Math.max(a, b) + .05) / (Math.min(a, b) + .05), kind = ink + ground(e)
    if (c < 4.5 && !seen.has(kind)) { seen.add(kind); fault('contrast ' + c.toFixed(1) + ': ' + JSON.stringify(n.data.trim().slice(0, 30))) }
    if (parseFloat(style.fontSize) < 8) fault('small, ' + style.fontSize + ': ' + JSON.stringify(n.data.trim().slice(0, 30)))
  }
  const wide = document.documentElement
  if (wide.scrollWidth > wide.clientWidth) fault('the page is wider than the window by ' + (wide.scrollWidth - wide.clientWidth) + ' px')
  if (innerWidth > 900) for (const m of document.querySelectorAll('math[display="block"]')) if (m.scrollWidth > m.clientWidth + 1) fault('a formula is cut off: ' + m.textContent.slice(0, 40))
  for (const i of document.images) {
    if (!i.alt.trim()) fault('a picture without words')
    if (!i.naturalWidth) fault('an empty picture: ' + i.alt.slice(0, 40))
  }
  for (const s of document.querySelectorAll('svg')) {
    if (!(s.getAttribute('aria-label') || '').trim()) fault('a figure without words')
    const t = [...s.querySelectorAll('text')].filter(e => e.textContent.trim() && !e.getAttribute('transform')).map(e => [e.textContent, e.getBoundingClientRect()])
    const v = s.getBoundingClientRect()
    t.forEach(([words, q], i) => {
      if (q.left < v.left - 1 || q.right > v.right + 1 || q.top < v.top - 1 || q.bottom > v.bottom + 1) fault('outside the figure: ' + words)
      for (const [other, r] of t.slice(i + 1)) if (q.left < r.right - 2 && r.left < q.right - 2 && q.top < r.bottom - 4 && r.top < q.bottom - 4) fault('words over words: ' + words + ' and ' + other)
    })
  }
  for (const a of document.querySelectorAll('a[href^="#"]')) if (!document.getElementById(decodeURIComponent(a.hash.slice(1)))) fault('dead link ' + a.hash)
  const pre = document.createElement('pre')
  pre.id = 'faults'
  pre.textContent = '\nfaults ' + out.length + ', of ' + document.querySelectorAll('a').length + ' links\n' + out.join('\n') + '\n'
  document.body.append(pre)
})
