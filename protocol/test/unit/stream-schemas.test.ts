import asyncApi from '@asyncapi/specs'
import { Ajv, type SchemaObject } from 'ajv'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { describeStreamApi } from '#protocol/asyncapi.js'
import type { Static } from '#protocol/schema.js'
import type * as stream from '#protocol/stream.js'
import type * as schemas from '#protocol/stream-schemas.js'

type Plain<T> = T extends readonly (infer Item)[] & { length: infer N }
  ? number extends N
    ? Plain<Item>[]
    : { -readonly [K in keyof T]: Plain<T[K]> }
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T

describe('the schemas of the stream', () => {
  it('say the same as the types that programs use', () => {
    expectTypeOf<Static<typeof schemas.FlushMessage>>().toEqualTypeOf<stream.FlushMessage>()
    expectTypeOf<Static<typeof schemas.ResetMessage>>().toEqualTypeOf<stream.ResetMessage>()
    expectTypeOf<Static<typeof schemas.ConfigMessage>>().toExtend<stream.ConfigMessage>()
    expectTypeOf<Static<typeof schemas.StatusEvent>>().toEqualTypeOf<stream.StatusEvent>()
    expectTypeOf<Static<typeof schemas.ReadyEvent>>().toExtend<stream.ReadyEvent>()
    expectTypeOf<keyof Static<typeof schemas.ReadyEvent>>().toEqualTypeOf<keyof stream.ReadyEvent>()
    expectTypeOf<Static<typeof schemas.ConfigAckEvent>>().toExtend<Plain<stream.ConfigAckEvent>>()
    expectTypeOf<Static<typeof schemas.ResetAckEvent>>().toEqualTypeOf<stream.ResetAckEvent>()
    expectTypeOf<Static<typeof schemas.DeltaEvent>>().toEqualTypeOf<stream.DeltaEvent>()
    expectTypeOf<Static<typeof schemas.FinalEvent>>().toEqualTypeOf<Plain<stream.FinalEvent>>()
    expectTypeOf<Static<typeof schemas.ErrorEventSchema>>().toEqualTypeOf<stream.ErrorEvent>()
    type Described = Static<(typeof schemas.SERVER_EVENTS)[number]>['type']
    expectTypeOf<Described>().toEqualTypeOf<stream.ServerEvent['type']>()
  })
})

describe('the AsyncAPI document', () => {
  const document = JSON.parse(JSON.stringify(describeStreamApi('https://sauti.test:8443')))

  it('is valid by the official schema of AsyncAPI 3.0', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
    const validate = ajv.compile(asyncApi.schemasWithoutId['3.0.0'] as SchemaObject)
    validate(document)
    expect(validate.errors ?? []).toEqual([])
    expect(validate({ ...document, channels: { stream: { address: 7 } } })).toBe(false)
  })

  it('names the address and every message, each once', () => {
    expect(document).toMatchObject({
      asyncapi: '3.0.0',
      servers: { service: { host: 'sauti.test:8443', protocol: 'wss' } },
      channels: { stream: { address: '/v1/asr/stream' } },
    })
    const names = Object.values<{ name: string }>(document.components.messages).map(({ name }) => name)
    expect(names.sort()).toEqual(
      [
        'audio',
        'config',
        'config_ack',
        'delta',
        'error',
        'final',
        'flush',
        'ready',
        'reset',
        'reset_ack',
        'speech_ended',
        'speech_started',
        'status',
      ].sort(),
    )
  })

  it('has no reference that leads nowhere', () => {
    const text = JSON.stringify(document)
    for (const [, path] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = path!.split('/').reduce((node, part) => node?.[part], document)
      expect(target, path).toBeDefined()
    }
  })
})
