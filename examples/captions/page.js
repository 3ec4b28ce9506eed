// The page: asks its own server for a session, opens the stream with it, and shows what the microphone hears.

import { captureMicrophone, openLiveSession } from '@sauti/client'

const [model, speak, level, notice, captions, unfinished] = [
  'model',
  'speak',
  'level',
  'notice',
  'captions',
  'unfinished',
].map(id => document.getElementById(id))

/** Quieter than this for so long is a pause: the sentence is finished. */
const QUIET = 0.01
const PAUSE_MS = 900

let stop

speak.addEventListener('click', async () => {
  if (stop) return stop()
  notice.textContent = 'Connecting ...'
  try {
    await listen()
    notice.textContent = 'Done.'
  } catch (error) {
    notice.textContent = error.message
  }
  speak.textContent = 'Speak'
  level.value = 0
  stop = undefined
})

async function listen() {
  const live = openLiveSession(await fetchSession())
  live.on('ready', () => {
    notice.textContent = 'Speak now.'
  })
  live.on('delta', ({ text }) => {
    unfinished.textContent = text
  })
  live.on('final', ({ text }) => {
    unfinished.textContent = ''
    if (text) captions.append(Object.assign(document.createElement('p'), { textContent: text }))
  })
  const pauses = watchPauses(() => live.flush())
  const microphone = await captureMicrophone({
    // Needed because the page's security policy allows no scripts but the server's own files.
    workletUrl: '/client/microphone-worklet.js',
    onAudio: pcm => live.send(pcm),
    onLevel: ({ rms }) => {
      level.value = rms
      pauses(rms)
    },
    onEnded: error => {
      notice.textContent = error.message
      stop?.()
    },
  })
  speak.textContent = 'Stop'
  stop = async () => {
    await microphone.stop()
    live.flush()
    live.close()
  }
  try {
    await live.closed
  } finally {
    await microphone.stop()
  }
}

async function fetchSession() {
  const response = await fetch('/session', { method: 'POST', body: JSON.stringify({ model: model.value }) })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message)
  return answer
}

/** Calls `onPause` once for each pause after something was said. */
function watchPauses(onPause) {
  let [hasSpoken, quietSince] = [false, 0]
  return rms => {
    if (rms > QUIET) [hasSpoken, quietSince] = [true, performance.now()]
    if (!hasSpoken || performance.now() - quietSince < PAUSE_MS) return
    hasSpoken = false
    onPause()
  }
}
