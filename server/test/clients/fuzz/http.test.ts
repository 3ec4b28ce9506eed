// Bodies and headers made from the schemas of the routes, right, nearly right and wrong: every answer is one of the interface, and
// none says that something went wrong on our side.

import { CreateSessionRequest } from '@sauti/protocol/http'
import { isModelId } from '@sauti/protocol/models'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { API, type Browser, type Console, startConsole } from '../../support/console/console.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from '../../support/fuzzing.ts'
import { nearly, oddValues, type Schema, valuesOf } from '../../support/schema-values.ts'
import { bearer, PUBLIC_URL } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

let site: Console
let customer: Customer
let browsers: Browser[]
beforeAll(async () => {
  site = await startConsole()
  customer = await site.customer({ concurrency: 100_000, creditMs: 1e12 })
  browsers = [site.browser(), await site.developer(), await site.operator()]
})
afterAll(() => site.close())

const headerText = fc.oneof(
  fc.constantFrom(
    '',
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'gzip',
    'Bearer',
    '*/*',
    '0',
  ),
  fc.string({
    unit: fc.constantFrom(...' !"#$%&()*+,-./0123456789:;<=>?@AZ[]^_`az{|}~\u00e9\u00ff'),
    maxLength: 40,
  }),
)
const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'authorization',
    'content-encoding',
    'content-type',
    'cookie',
    'idempotency-key',
    'if-none-match',
    'origin',
    'sec-fetch-site',
    'x-forwarded-for',
    'x-request-id',
  ),
  headerText,
  { maxKeys: 3 },
)

function bodiesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(valuesOf(schema), nearly(schema), oddValues)
}

it(
  'POST /v1/asr/sessions says 400 to exactly what its schema does not allow',
  async () => {
    const count = await fuzz(
      fc.asyncProperty(bodiesOf(CreateSessionRequest), async body => {
        // One after the other, so that the rate is never the reason.
        site.now = new Date(site.now.getTime() + 2_000)
        const { status, json, text } = await site.post(customer, body)
        const sent = JSON.parse(JSON.stringify(body))
        const isAllowed: boolean = Value.Check(CreateSessionRequest, sent)
        if (!isAllowed) expect({ body, status }).toEqual({ body, status: 400 })
        else expect({ body, status }).toEqual({ body, status: isModelId(sent.model) ? 201 : 404 })
        if (status >= 400)
          expect(json.error, text).toMatchObject({ type: expect.any(String), request_id: expect.any(String) })
      }),
      150,
    )
    expect(count).toBeGreaterThan(0)
  },
  FUZZ_TIMEOUT_MS,
)

it(
  'no body and no header of any route causes an internal error',
  async () => {
    // Deleting the account would make the rest of the run pointless.
    const routes = [...site.bodySchemas].filter(([route]) => !/me\/delete|sign-out/.test(route))
    expect(routes.length).toBeGreaterThan(15)
    const request = fc.constantFrom(...routes).chain(([route, schema]) =>
      fc.record({
        route: fc.constant(route),
        body: bodiesOf(schema),
        extra: headers,
        parameter: fc.oneof(fc.uuid(), fc.string()),
      }),
    )
    const count = await fuzz(
      fc.asyncProperty(request, fc.nat(2), async ({ route, body, extra, parameter }, who) => {
        const [method = '', pattern = ''] = route.split(' ')
        const path = pattern.replace(/:\w+|\*/g, () => encodeURIComponent(Buffer.from(parameter).toString()))
        const cookie = [...browsers[who]!.cookies].map(pair => pair.join('=')).join('; ')
        const own = pattern.startsWith(API) ? { origin: PUBLIC_URL, cookie } : bearer(customer)
        const { status, text } = await site.call(path, {
          method,
          headers: { 'content-type': 'application/json', ...own, ...latin1(extra) },
          body: JSON.stringify(body) ?? '',
        })
        expect(isOurFault(status, text), `${route} ${status} ${text}`).toBe(false)
      }),
      250,
    )
    expect(count).toBeGreaterThan(0)
  },
  FUZZ_TIMEOUT_MS,
)

/** What Node lets a client send as a header. */
function latin1(extra: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, value.trim()]))
}

/** Too many at once is a refusal, not a fault. */
function isOurFault(status: number, text: string): boolean {
  return status >= 500 && !/sign_in_busy|capacity_exceeded/.test(text)
}
