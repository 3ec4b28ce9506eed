import { LOOK_AHEADS } from '@sauti/protocol/audio'
import { MODELS } from '@sauti/protocol/models'
import { describe, expect, it } from 'vitest'
import {
  acknowledgeConfig,
  applyConfig,
  checkLanguage,
  DEFAULT_SETTINGS,
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
    expect(config).toThrow(expect.objectContaining({ code: 'invalid_message' }))
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
})
