// Deepgram's live protocol, message by message, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import { hearAll } from '../../../../support/streams/foreign-clients.ts'
import { open, RAW, say } from './deepgram.ts'

const service = await openScriptedService({ recogniser: new ScriptedRecogniser() })

async function nextResults(socket: WebSocket): Promise<void> {
  for (let type = ''; type !== 'Results'; ) {
    const [data] = await once(socket, 'message')
    type = JSON.parse(String(data)).type
  }
}

describe('endpointing', () => {
  const loud = (ms: number) => Buffer.from(new Int16Array(ms * 16).fill(5_200).buffer)
  const quiet = (ms: number) => Buffer.alloc(ms * 32)
  const TURNS = `${RAW}&endpointing=320&vad_events=true&utterance_end_ms=1000`

  it('reports where speech starts, what was said and where speech ends, without a flush', async () => {
    const socket = await open(service, await service.openAccount(), TURNS)
    const heard = hearAll(socket)
    const turns = [
      [quiet(320), loud(640), quiet(640)],
      [quiet(1280), loud(320), quiet(640)],
      // After a pause that is shorter than utterance_end_ms.
      [loud(320), quiet(480)],
    ]
    for (const turn of turns) {
      socket.send(Buffer.concat(turn))
      await nextResults(socket)
    }
    say(socket, 'CloseStream')
    const { told } = await heard
    const story = told.map(message => message.type + (message.speech_final ? '!' : ''))
    const turn = ['SpeechStarted', 'Results!']
    expect(story).toEqual([...turn, 'UtteranceEnd', ...turn, ...turn, 'Results!', 'Metadata'])
    expect(told[0]).toEqual({ type: 'SpeechStarted', channel: [0, 1], timestamp: 0.32 })
    expect(told[1]).toMatchObject({ is_final: true, from_finalize: false, start: 0 })
    expect(told[2]).toEqual({ type: 'UtteranceEnd', channel: [0, 1], last_word_end: 0.96 })
  })

  it('reports the end of an utterance during silence, at the pace of speech', async () => {
    const socket = await open(service, await service.openAccount(), TURNS)
    const types: string[] = []
    socket.on('message', data => types.push(JSON.parse(String(data)).type))
    socket.send(Buffer.concat([loud(320), quiet(320)]))
    await expect.poll(() => types).toContain('Results')
    for (let sent = 0; sent < 30 && !types.includes('UtteranceEnd'); sent += 1) {
      socket.send(quiet(100))
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    expect(types).toEqual(['SpeechStarted', 'Results', 'UtteranceEnd'])
    socket.close()
    await once(socket, 'close')
  })

  it('is off where a client turns it off, and names a silence that it cannot use', async () => {
    const off = await open(service, await service.openAccount(), `${RAW}&endpointing=false`)
    const heardOff = hearAll(off)
    off.send(Buffer.concat([loud(640), quiet(2_000), loud(320)]))
    say(off, 'CloseStream')
    expect((await heardOff).told.filter(({ type }) => type === 'Results')).toHaveLength(1)
    const short = await open(service, await service.openAccount(), `${RAW}&endpointing=25`)
    const heardShort = hearAll(short)
    say(short, 'CloseStream')
    expect((await heardShort).told.at(-1)!.warnings).toMatchObject([
      { parameter: 'endpointing', type: 'adjusted', message: expect.stringContaining('200 ms') },
    ])
  })
})
