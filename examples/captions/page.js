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

/** The service ends the sentence after this much silence. */
const SILENCE_MS = 700

let stop

speak.addEventListener('click', async () => {
  if (stop) return stop()
  notice.textContent = 'Connecting…'
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

offerModels()

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
  await live.configure({ endpointing: { silenceMs: SILENCE_MS } })
  const microphone = await captureMicrophone({
    // Needed because the page's security policy allows no scripts but the server's own files.
    workletUrl: '/client/microphone-worklet.js',
    onAudio: pcm => live.send(pcm),
    onLevel: ({ rms }) => {
      level.value = rms
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

async function offerModels() {
  try {
    const models = await ask('/models')
    model.append(...models.map(({ id, language }) => new Option(language, id)))
    speak.disabled = false
  } catch (error) {
    notice.textContent = error.message
  }
}

function fetchSession() {
  return ask('/session', { method: 'POST', body: JSON.stringify({ model: model.value }) })
}

/** The answer of the page's own server. */
async function ask(path, options) {
  const response = await fetch(path, options)
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message)
  return answer
}
