import { ERRORS, type ErrorEntry } from '@sauti/protocol/errors'
import { AsrSession, CreditBalance, ModelList, Transcription, UsageSession } from '@sauti/protocol/http'
import { SERVER_EVENTS } from '@sauti/protocol/stream-schemas'
import { Errors } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLES } from '#server/http/docs/examples.js'
import { listFields } from '#server/http/docs/http-reference.js'
import { SHELVES, urlOf } from '#server/http/docs/shelves.js'
import { groupTabs } from '#server/http/docs/tabs.js'
import { describeApi } from '#server/http/openapi/document.js'
import { LISTEN_ANSWER } from '#server/http/openapi/listen.js'
import { SETTINGS } from '#server/settings/table.js'
import { type Console, startConsole } from '../../support/console/console.ts'

/** Constants, objects and lists of objects: what is inside them has one. */
const NEEDS_NO_MEANING = /^(<code>[^<]*<\/code>|(array of )?(object|<a href[^>]*>\w+<\/a>))$/

const URLS = SHELVES.flatMap(({ paths }) => paths.map(urlOf))
const texts = new Map<string, string>()
let site: Console
beforeAll(async () => {
  site = await startConsole()
  for (const url of URLS) texts.set(url, (await site.call(url)).text)
})
afterAll(() => site.close())

describe('the documentation', () => {
  it.each(URLS)('%s is a whole page that needs nothing from elsewhere', async url => {
    const { status, headers, text } = await site.call(url)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(text).not.toMatch(/ style="|<style|\{\{|undefined/)
    expect(text).toContain(`<link rel="canonical" href="https://sauti.test${url}">`)
    const loaded = [...text.matchAll(/(?:src|<link(?! rel="canonical")[^>]+href)="([^"]+)"/g)].map(
      match => match[1]!,
    )
    expect(loaded.filter(address => !address.startsWith('/') && address !== '')).toEqual([])
    expect(text.match(/<h1>/g)).toHaveLength(1)
  })

  it('has no link that leads nowhere', async () => {
    const served = new Set([
      '/',
      '/app',
      '/app/playground',
      '/app/settings',
      '/operator',
      '/join',
      '/waiting',
      '/openapi.json',
      '/asyncapi.json',
    ])
    for (const [url, text] of texts) {
      for (const [, address] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        const [path = '', anchor] = address!.split('#')
        const target = path === '' ? url : path
        expect(served.has(target) || texts.has(target), `${url} links to ${address}`).toBe(true)
        if (anchor && texts.has(target))
          expect(texts.get(target), `${url} links to ${address}`).toContain(`id="${anchor}"`)
      }
    }
  })

  it('shows plots for both widths inside the page, with a text alternative and without colours of their own', () => {
    const plots = [...texts.values()].flatMap(text => [
      ...text.matchAll(/<span class="plot" role="img" aria-label="([^"]*)">(.*?)<\/span>/gs),
    ])
    expect(plots.length).toBeGreaterThan(0)
    for (const [, words, drawings] of plots) {
      expect(words!.length).toBeGreaterThan(20)
      expect(drawings!.match(/<svg /g)).toHaveLength(2)
      expect(drawings).not.toMatch(/<style|<title| id="/)
    }
    for (const text of texts.values()) expect(text).not.toContain('<img')
  })

  it('lists every code, event and setting, because it is made from them', () => {
    const errors = texts.get('/docs/guides/errors')!
    for (const [code, entry] of Object.entries<ErrorEntry>(ERRORS)) {
      expect(errors.includes(`<code>${code}</code>`), code).toBe(entry.console !== true)
    }
    const stream = texts.get('/docs/reference/stream')!
    for (const { properties } of SERVER_EVENTS)
      expect(stream).toContain(`<code>${properties.type.const}</code>`)
    const hosting = texts.get('/docs/self-hosting')!
    for (const { variable } of Object.values(SETTINGS)) expect(hosting).toContain(`<code>${variable}</code>`)
  })

  it('describes what is inside lists, and names the body of errors once per operation', () => {
    const http = texts.get('/docs/reference/http')!
    for (const field of [
      'segments[].start',
      'words[].word',
      'results.channels[].alternatives[].words[].start',
    ])
      expect(http.replaceAll('<wbr>', '')).toContain(`<code>${field}</code>`)
    const operations = http.match(/<section class="operation">/g)!
    const notes = http.match(/An error has the body/g)!
    expect(notes.length).toBeLessThanOrEqual(operations.length)
    expect(http).toContain('href="#object-ListenError">ListenError</a>, with Deepgram')
  })

  it('says what every value means that is not always the same', () => {
    const { components } = describeApi('https://asr.example.org')
    const withoutMeaning = Object.entries(components.schemas).flatMap(([name, schema]) =>
      listFields(schema as Parameters<typeof listFields>[0])
        .filter(({ type, description }) => description === '' && !NEEDS_NO_MEANING.test(type))
        .map(({ path }) => `${name}.${path}`),
    )
    expect(withoutMeaning).toEqual([])
  })

  it('prints types as people write them', () => {
    const stream = texts.get('/docs/reference/stream')!
    expect(stream).not.toContain('array of or')
    expect(stream).toMatch(
      /\[<code>56<\/code>, <code>13<\/code> or <code>6<\/code>.*\] or array of string, at most 100/,
    )
  })

  it('has an example for every operation with a JSON response, and each fits its schema', () => {
    const { paths } = describeApi('https://sauti.test')
    const operations = Object.values(paths).flatMap(methods => Object.values(methods)) as {
      operationId: string
    }[]
    for (const { operationId } of operations.filter(one => one.operationId !== 'openStream'))
      expect(EXAMPLES, operationId).toHaveProperty(operationId)
    const schemas = {
      listModels: ModelList,
      createSession: AsrSession,
      createTranscription: Transcription,
      listenToFile: LISTEN_ANSWER,
      cancelSession: UsageSession,
      readUsage: CreditBalance,
    }
    for (const [name, schema] of Object.entries(schemas))
      expect([...Errors(schema, EXAMPLES[name]!.response)], name).toEqual([])
  })

  it('shows code in several languages behind tabs that need no script', () => {
    const html = groupTabs(
      '<pre tabindex="0" data-tab="A"><code>a</code></pre>\n<pre tabindex="0" data-tab="B"><code>b</code></pre>',
    )
    expect(html.match(/type="radio"/g)).toHaveLength(2)
    expect(html.match(/class="panel"/g)).toHaveLength(2)
    expect(texts.get('/docs/guides/files')).toContain('class="code-tabs"')
  })

  it('has room for the copy button of every block of code from the start, so that nothing moves', () => {
    for (const [url, text] of texts) {
      const blocks = text.match(/<pre/g)?.length ?? 0
      expect(text.match(/<div class="code"[^>]*><pre/g)?.length ?? 0, url).toBe(blocks)
    }
  })

  it('answers a wrong address with a page for readers and with the error for programs', async () => {
    const page = await site.call('/docs/nothing', { headers: { accept: 'text/html' } })
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    const error = await site.call('/docs/nothing')
    expect([error.status, error.json.error.code]).toEqual([404, 'route_not_found'])
  })

  it('is searched by sections, each of which is there', async () => {
    const { json } = await site.call('/docs/search.json')
    expect(json.length).toBeGreaterThan(60)
    for (const { url } of json) expect(texts.has(url.split('#')[0])).toBe(true)
    const billing = json.find((entry: { url: string }) => entry.url === '/docs/guides/billing#examples')
    expect(billing).toMatchObject({ page: 'Billing', title: 'Examples' })
  })

  it('is searched to the end: every setting, code, event and operation is found, in the part that describes it', async () => {
    const { json } = await site.call('/docs/search.json')
    const found = (words: string, url: RegExp) =>
      json.some((entry: { url: string; text: string }) => url.test(entry.url) && entry.text.includes(words))
    for (const { variable } of Object.values(SETTINGS))
      expect(found(variable, /^\/docs\/self-hosting#settings-/), variable).toBe(true)
    for (const [code, entry] of Object.entries<ErrorEntry>(ERRORS))
      if (entry.console !== true) expect(found(code, /^\/docs\/guides\/errors#/), code).toBe(true)
    for (const { properties } of SERVER_EVENTS)
      expect(
        found(properties.type.const, new RegExp(`#${properties.type.const.replaceAll('_', '')}$`)),
        properties.type.const,
      ).toBe(true)
    const { paths } = describeApi('https://sauti.test')
    for (const [path, methods] of Object.entries(paths))
      for (const { operationId } of Object.values(methods) as { operationId: string }[])
        expect(found(path, new RegExp(`#${operationId}$`)), operationId).toBe(true)
  })

  it('lists the parts of a reference beside it', () => {
    const [, contents = ''] = texts.get('/docs/reference/http')!.split('<nav class="docs-toc"')
    expect(contents).toContain('<a href="#createTranscription">Transcribe a file</a>')
    expect(contents).toContain('<a href="#object-AsrSession">AsrSession</a>')
  })

  it('is not modified while nothing changes, and follows the chosen theme', async () => {
    const first = await site.call('/docs')
    const again = await site.call('/docs', { headers: { 'if-none-match': first.headers.etag! } })
    expect(again.status).toBe(304)
    const dark = await site.call('/docs', { headers: { cookie: 'sauti_theme=dark' } })
    expect(dark.text).toContain('<html data-theme="dark" lang="en">')
    const odd = await site.call('/docs', { headers: { cookie: 'sauti_theme="><script>' } })
    expect(odd.text).toBe(first.text)
  })

  it('serves the stream as AsyncAPI', async () => {
    const { json } = await site.call('/asyncapi.json')
    expect(json).toMatchObject({ asyncapi: '3.0.0', servers: { service: { host: 'sauti.test' } } })
  })

  it('answers an unknown page with 404', async () => {
    expect((await site.call('/docs/nothing')).status).toBe(404)
    expect((await site.call('/docs/../../package.json')).status).toBe(404)
  })
})
