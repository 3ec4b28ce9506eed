import { LOOK_AHEADS } from '@sauti/protocol/audio'
import { MODELS } from '@sauti/protocol/models'
import { describe, expect, it } from 'vitest'
import {
  acknowledgeConfig,
  applyConfig,
  checkLanguage,
  DEFAULT_SETTINGS,
  isKeepAlive,
  isSameAudio,
  isSameSettings,
} from '#server/stream/conversation/stream-config.js'

const kikuyu = MODELS[0]

describe('a config message', () => {
  it.each(['ki', 'KI', 'Kikuyu', 'kikuyu', undefined])('may name the language of the model: %s', language => {
    expect(() => checkLanguage(kikuyu, language)).not.toThrow()
  })

  it.each(['luo', 'Dholuo', 'sw', 'kik'])('may not name another: %s', language => {
    expect(() => checkLanguage(kikuyu, language)).toThrow(
      expect.objectContaining({ code: 'language_mismatch' }),
    )
  })

  it('changes what it names and leaves the rest', () => {
    const quick = applyConfig(DEFAULT_SETTINGS, { type: 'config', lookAhead: 3 }, LOOK_AHEADS)
    const both = applyConfig(quick, { type: 'config', phrases: ['gatanga'] }, LOOK_AHEADS)
    expect(both).toEqual({ ...DEFAULT_SETTINGS, lookAhead: 3, phrases: ['gatanga'] })
    expect(applyConfig(both, { type: 'config', language: 'ki' }, LOOK_AHEADS)).toEqual(both)
  })

  it('with nothing but its type selects the defaults', () => {
    expect(
      applyConfig(
        { ...DEFAULT_SETTINGS, lookAhead: 0, phrases: ['a'], silenceMs: 700 },
        { type: 'config' },
        LOOK_AHEADS,
      ),
    ).toEqual(DEFAULT_SETTINGS)
  })

  it('is refused for a look-ahead that the model does not offer', () => {
    const config = () => applyConfig(DEFAULT_SETTINGS, { type: 'config', lookAhead: 0 }, [13, 6])
    expect(config).toThrow(
      expect.objectContaining({
        code: 'invalid_message',
        message: 'The model of this session looks ahead by 13, 6 frames only.',
      }),
    )
  })

  it('is acknowledged with the settings in effect', () => {
    expect(acknowledgeConfig(kikuyu, { ...DEFAULT_SETTINGS, lookAhead: 3, phrases: ['a', 'b'] })).toEqual({
      type: 'config_ack',
      language: 'ki',
      context: [56, 3],
      phrases: 2,
      chunk_samples: 5120,
    })
  })

  it('turns endpointing on and off, and leaves it as it is when it does not name it', () => {
    const on = applyConfig(
      DEFAULT_SETTINGS,
      { type: 'config', endpointing: { silence_ms: 700 } },
      LOOK_AHEADS,
    )
    expect(on.silenceMs).toBe(700)
    expect(acknowledgeConfig(kikuyu, on)).toMatchObject({ endpointing: { silence_ms: 700 } })
    expect(applyConfig(on, { type: 'config', phrases: ['a'] }, LOOK_AHEADS).silenceMs).toBe(700)
    expect(applyConfig(on, { type: 'config', endpointing: false }, LOOK_AHEADS).silenceMs).toBeUndefined()
  })

  it('that names only the language shows that the client is there', () => {
    expect(isKeepAlive({ type: 'config' })).toBe(true)
    expect(isKeepAlive({ type: 'config', language: 'ki' })).toBe(true)
    expect(isKeepAlive({ type: 'config', lookAhead: 3 })).toBe(false)
    expect(isKeepAlive({ type: 'config', endpointing: false })).toBe(false)
  })
})

describe('settings', () => {
  it('are those of the wire where a client asks for nothing', () => {
    expect(DEFAULT_SETTINGS).toEqual({
      lookAhead: 13,
      phrases: [],
      silenceMs: undefined,
      audio: { encoding: 'pcm_s16le', sample_rate_hz: 16_000 },
    })
  })

  it.each([
    [{ lookAhead: 13, phrases: ['a', 'b'] }, true],
    [{ lookAhead: 6, phrases: ['a', 'b'] }, false],
    [{ lookAhead: 13, phrases: ['a'] }, false],
    [{ lookAhead: 13, phrases: ['a', 'b', 'c'] }, false],
    [{ lookAhead: 13, phrases: ['a', 'c'] }, false],
    [{ lookAhead: 13, phrases: ['b', 'a'] }, false],
    [{ lookAhead: 6, phrases: ['c'] }, false],
  ] as const)('%j are the same as look-ahead 13 and phrases a, b: %s', (other, isSame) => {
    expect(isSameSettings({ lookAhead: 13, phrases: ['a', 'b'] }, other)).toBe(isSame)
  })

  it('are the same as themselves', () => {
    expect(isSameSettings(DEFAULT_SETTINGS, DEFAULT_SETTINGS)).toBe(true)
  })

  it('are acknowledged with their audio where it is not that of the wire', () => {
    const telephone = { encoding: 'mulaw', sample_rate_hz: 8_000 } as const
    const ack = acknowledgeConfig(kikuyu, { ...DEFAULT_SETTINGS, audio: telephone })
    expect(ack.audio).toEqual(telephone)
    expect(acknowledgeConfig(kikuyu, DEFAULT_SETTINGS)).not.toHaveProperty('audio')
  })

  it('have the same audio only with the same encoding and rate', () => {
    const pcm = { encoding: 'pcm_s16le', sample_rate_hz: 16_000 } as const
    expect(isSameAudio(pcm, { ...pcm })).toBe(true)
    expect(isSameAudio(pcm, { ...pcm, sample_rate_hz: 8_000 })).toBe(false)
    expect(isSameAudio(pcm, { ...pcm, encoding: 'mulaw' })).toBe(false)
  })
})
