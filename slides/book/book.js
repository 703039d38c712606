/* Search within the page, the place in the contents, folded parts that open when a link leads into them or the page is
   printed. Without JavaScript the book is read all the same. */
(function () {
  'use strict'
  const $ = id => document.getElementById(id)
  const heads = [...document.querySelectorAll('main h1, main h2, main h3, main h4, main h5, main h6')]

  // the text below each heading, up to the next one
  const sections = heads.map(h => {
    let text = h.textContent
    for (let e = h.nextElementSibling; e && !/^H[1-6]$/.test(e.tagName) && !e.querySelector('h3, h4, h5, h6'); e = e.nextElementSibling) text += '\n' + e.textContent
    return { h, text, low: text.toLowerCase() }
  })
  const chapter = h => heads.slice(0, heads.indexOf(h) + 1).reverse().find(e => /^H[12]$/.test(e.tagName)).textContent
  function search() {
    const words = $('find').value.toLowerCase().split(/\s+/).filter(w => w.length > 1), box = $('hits')
    box.textContent = ''
    if (!words.length) return
    const inTitle = s => words.some(w => s.h.textContent.toLowerCase().includes(w))
    const found = sections.filter(s => words.every(w => s.low.includes(w))).sort((a, b) => inTitle(b) - inTitle(a))
    for (const s of found.slice(0, 12)) {
      const a = box.appendChild(document.createElement('a')), at = Math.max(0, s.low.indexOf(words[0]) - 30)
      a.href = '#' + s.h.id
      a.textContent = s.h.textContent
      a.appendChild(document.createElement('small')).textContent = chapter(s.h) + ' · … ' + s.text.slice(at, at + 80).replace(/\s+/g, ' ') + ' …'
    }
    if (!found.length) box.textContent = 'Not found.'
    else if (found.length > 12) box.appendChild(document.createElement('small')).textContent = found.length - 12 + ' more'
  }
  $('find').addEventListener('input', search)
  addEventListener('keydown', e => {
    if (e.key === '/' && e.target !== $('find')) { e.preventDefault(); $('find').focus() }
    if (e.key === 'Escape') { $('find').value = ''; search() }
  })

  function unfold() {
    const goal = location.hash && $(decodeURIComponent(location.hash.slice(1)))
    for (let e = goal; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true
    if (goal) goal.scrollIntoView()
  }
  addEventListener('hashchange', unfold)
  unfold()

  const links = new Map([...document.querySelectorAll('nav > ul a')].map(a => [a.hash.slice(1), a]))
  const tops = heads.filter(h => links.has(h.id))
  function mark() {
    let here = tops[0]
    for (const h of tops) if (h.getBoundingClientRect().top < 120) here = h
    links.forEach((a, id) => a.classList.toggle('here', id === here.id))
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
  addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => { d.open = true }))
})()
