/* The deck: one slide at a time, overview, speaker's window, half day or two days, dark or light, print. Without
   JavaScript the slides stand one below the other. Two windows of one file talk by postMessage, which file: allows
   everywhere, and by BroadcastChannel where the speaker's window was opened by hand. */
(function () {
  'use strict'
  const root = document.documentElement, all = [...document.querySelectorAll('.slide')], $ = (e, c) => e.querySelector(c)
  const asked = new Set(location.search.slice(1).split('&')), speaker = asked.has('speaker')
  let half = asked.has('half'), slides = all, now = 0, shown = 0, began = 0, other = window.opener
  if (asked.has('notes')) { // a handout for the speaker: a slide and its notes to the page, A4
    root.className = 'handout'
    document.head.appendChild(document.createElement('style')).textContent = '@page { size: A4; margin: 14mm }'
    all.forEach(s => {
      if (half && s.dataset.day === 'two') { s.remove(); return }
      const n = document.createElement('div')
      n.className = 'beside'
      n.innerHTML = '<p class="small">' + s.dataset.minutes + ' minutes</p>' + $(s, '.notes').innerHTML
      s.after(n)
    })
    return
  }
  root.classList.add('js')
  root.classList.toggle('speaker', speaker)
  const put = (id, text) => { const e = document.body.appendChild(document.createElement('div')); e.id = id; e.innerHTML = text; return e }
  const bar = put('bar', ''), view = put('speaker', '<div class="text"></div><div class="clock"></div>')
  const help = put('keys', 'arrows, space: on and back<br>o: overview · s: speaker’s window<br>h: half day or two days · d: dark<br>' +
    'f: full screen · t: clock to 0<br>p: print · Esc: closes this')
  const channel = 'BroadcastChannel' in window ? new BroadcastChannel('deck ' + location.pathname) : null
  const steps = () => [...slides[now].querySelectorAll('.step')]

  // Which slides there are today, and their numbers. The one that is shown stays, or the last before it.
  function choose(to) {
    const at = slides[now]
    half = to
    root.classList.toggle('half', half)
    slides = all.filter(s => !half || s.dataset.day === 'half')
    if (!slides.length) { slides = all }
    slides.forEach((s, k) => { const n = $(s, '.number span'); if (n) n.textContent = (k + 1) + ' / ' + slides.length })
    now = Math.max(0, slides.filter(s => all.indexOf(s) <= all.indexOf(at)).length - 1)
  }
  function show(n, s, quiet) {
    now = Math.max(0, Math.min(slides.length - 1, n))
    shown = Math.max(0, Math.min(steps().length, s))
    all.forEach(e => { e.classList.toggle('now', e === slides[now]); e.classList.toggle('next', e === slides[now + 1]) })
    steps().forEach((e, k) => e.classList.toggle('shown', k < shown))
    bar.style.width = 100 * (now + 1) / slides.length + '%'
    try { history.replaceState(null, '', '#' + slides[now].id) } catch (e) { /* a page that may not */ }
    $(view, '.text').innerHTML = $(slides[now], '.notes').innerHTML
    document.title = $(slides[now], 'h1, h2').textContent
    if (!began && now) began = Date.now()
    if (!quiet) tell()
  }
  function tell() {
    const message = { deck: location.pathname, id: slides[now].id, shown, began, half }
    if (other && !other.closed) other.postMessage(message, '*')
    if (channel) channel.postMessage(message)
  }
  const place = id => slides.findIndex(s => s.id === id)
  function hear(e) {
    const m = e.data
    if (!m || m.deck !== location.pathname) return
    if (m.hello) { if (e.source) other = e.source; tell(); return }
    if (m.half !== half) choose(m.half)
    began = m.began || began
    if (place(m.id) >= 0 && (place(m.id) !== now || m.shown !== shown)) show(place(m.id), m.shown, true)
  }
  addEventListener('message', hear)
  if (channel) channel.onmessage = hear
  const go = d => d > 0 ? shown < steps().length ? show(now, shown + 1) : now + 1 < slides.length && show(now + 1, 0)
    : shown ? show(now, shown - 1) : now && show(now - 1, 99)
  function fit() {
    const w = innerWidth, h = innerHeight, f = Math.min(w / 1280, h / 720)
    root.style.setProperty('--fit', `translate(${(w - 1280 * f) / 2}px, ${(h - 720 * f) / 2}px) scale(${f})`)
    const big = Math.min((w - 72) * .62 / 1280, (h - 72) * .62 / 720)
    root.style.setProperty('--now', big)
    root.style.setProperty('--then', big * .6)
    root.style.setProperty('--left', 48 + 1280 * big + 'px')
    root.style.setProperty('--top', 48 + 720 * big + 'px')
  }
  function tick() {
    const time = s => Math.floor(s / 60) + ':' + String(Math.floor(s % 60)).padStart(2, '0')
    const minutes = list => list.reduce((sum, s) => sum + 60 * s.dataset.minutes, 0)
    const spent = began ? (Date.now() - began) / 1000 : 0, plan = minutes(slides.slice(0, now + 1))
    $(view, '.clock').innerHTML = `<b class="${spent > plan ? 'late' : ''}">${time(spent)}</b>leave this slide at ${time(plan)}<br>` +
      `of ${time(minutes(slides))}<br>${new Date().toTimeString().slice(0, 5)}`
  }
  const keys = {
    ArrowRight: () => go(1), ArrowDown: () => go(1), PageDown: () => go(1), ' ': () => go(1), Enter: () => go(1),
    ArrowLeft: () => go(-1), ArrowUp: () => go(-1), PageUp: () => go(-1), Backspace: () => go(-1),
    Home: () => show(0, 0), End: () => show(slides.length - 1, 0),
    o: () => { root.classList.toggle('overview'); slides[now].scrollIntoView({ block: 'center' }) },
    Escape: () => { root.classList.remove('overview'); help.classList.remove('shown') }, d: () => root.classList.toggle('dark'),
    f: () => document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen(),
    s: () => { other = window.open(location.pathname + '?speaker' + (half ? '&half' : '') + location.hash, 'speaker', 'width=1200,height=800') },
    h: () => { choose(!half); show(now, 0) }, t: () => { began = Date.now(); tell() }, p: () => window.print(),
    '?': () => help.classList.toggle('shown'),
  }
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key]) return
    e.preventDefault()
    keys[e.key]()
  })
  addEventListener('click', e => {
    if (e.target.closest('a')) return
    const s = e.target.closest('.slide')
    if (root.classList.contains('overview')) { root.classList.remove('overview'); if (s) show(slides.indexOf(s), 0) }
    else if (!speaker) go(e.clientX < innerWidth / 4 ? -1 : 1)
  })
  addEventListener('hashchange', () => {
    const id = location.hash.slice(1)
    if (place(id) < 0 && half) choose(false)
    if (place(id) >= 0) show(place(id), 0)
  })
  addEventListener('resize', fit)
  choose(half)
  fit()
  show(Math.max(0, place(location.hash.slice(1))), 0, true)
  tick()
  setInterval(tick, 1000)
  if (speaker) { const m = { deck: location.pathname, hello: 1 }; if (other) other.postMessage(m, '*'); if (channel) channel.postMessage(m) }
})()
