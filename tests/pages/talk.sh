#!/bin/sh
# talk.sh SLIDES.html: keys are pressed in a headless browser, and what the deck answers is compared.
page=$1 work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
root=
[ "$(id -u)" = 0 ] && root=--no-sandbox
{
    cat "$page"
    cat <<'END'
<script>
(function () {
  if (location.search.includes('speaker')) return
  const out = [], key = k => dispatchEvent(new KeyboardEvent('keydown', { key: k })), now = () => document.querySelector('.slide.now')
  const ask = (what, yes) => out.push((yes ? 'ok ' : 'not ok ') + what)
  const all = [...document.querySelectorAll('.slide')], half = all.filter(s => s.dataset.day === 'half')
  const stepped = all.find(s => s.querySelector('.step'))
  key('End'); ask('End is the last slide', now() === all[all.length - 1] && location.hash === '#' + now().id)
  key('Home'); ask('Home is the first', now() === all[0])
  key(' '); ask('space goes on', now() === all[1])
  key('ArrowLeft'); ask('left goes back', now() === all[0])
  location.hash = '#' + stepped.id
  setTimeout(() => {
    ask('an address leads to its slide', now() === stepped)
    key('ArrowRight'); ask('a step is shown before the next slide', now() === stepped && stepped.querySelectorAll('.step.shown').length === 1)
    key('Home'); key('h'); key('End')
    ask('the half day has its own slides only', now() === half[half.length - 1] && now().querySelector('.number').textContent.includes(half.length + ' / ' + half.length))
    key('h'); key('d'); ask('d is dark', document.documentElement.classList.contains('dark'))
    key('o'); ask('o is the overview', document.documentElement.classList.contains('overview')); key('Escape')
    ask('every slide has notes and minutes', all.every(s => s.querySelector('.notes').textContent.trim() && s.dataset.minutes > 0))
    const minutes = list => list.reduce((sum, s) => sum + +s.dataset.minutes, 0)
    ask('the half day has 3 to 3.7 hours, not ' + minutes(half) + ' minutes', minutes(half) >= 180 && minutes(half) <= 222)
    ask('two days have at most 14 hours, not ' + minutes(all) + ' minutes', minutes(all) <= 840)
    ask('there are 110 slides at least', all.length >= 110)
    const other = open(location.pathname + '?speaker#' + all[0].id, 'speaker')
    // The clock of this page is a virtual one and the other window loads in real time: a request between two looks makes them meet.
    const wait = (until, then, looks) => until() || !looks ? then()
      : fetch(location.pathname).finally(() => setTimeout(wait, 20, until, then, looks - 1))
    const notes = () => other.document.querySelector('#speaker .text')
    wait(notes, () => {
      key('Home'); key('ArrowRight')
      wait(() => other.location.hash === '#' + all[1].id, () => {
        ask("the speaker's window follows", other.location.hash === '#' + all[1].id)
        ask("the speaker's window has the notes", notes().textContent.trim() === all[1].querySelector('.notes').textContent.trim())
        const pre = document.createElement('pre')
        pre.id = 'answers'
        pre.textContent = '\n' + out.join('\n') + '\n'
        document.body.append(pre)
      }, 100)
    }, 300)
  }, 200)
})()
</script>
END
} >"$work/talk.html"
# shellcheck disable=SC2086
timeout 120 chromium --headless $root --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$work/profile" --allow-file-access-from-files \
    --disable-popup-blocking --virtual-time-budget=9000 --dump-dom "file://$work/talk.html" 2>"$work/said" |
    sed -n '/<pre id="answers">/,/<\/pre>/p' | sed '1d; $d' >"$work/answers"
cat "$work/answers"
[ "$(grep -c '^ok' "$work/answers")" -ge 15 ] || tail -n 2 "$work/said"
[ "$(grep -c '^ok' "$work/answers")" -ge 15 ] && ! grep -q '^not ok' "$work/answers"
