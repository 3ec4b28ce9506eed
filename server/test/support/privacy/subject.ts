// The service whose traces are searched, and what must not be found of it.

import { randomBytes } from 'node:crypto'
import { Agent } from 'node:https'
import { expect } from 'vitest'
import type { Database } from '#server/db/port.js'
import type { ServiceProcess } from '../../../../scripts/service-process.mjs'
import { readSamples } from '../recogniser/samples.ts'
import type { Customer } from '../service/customer.ts'
import { type Answer, ask } from '../service/https.ts'

export const MODEL = 'svc-asr-kikuyu-v1'
export const JSON_BODY = { 'content-type': 'application/json' }

export class Subject {
  readonly service: ServiceProcess
  readonly database: Database
  readonly customer: Customer
  readonly url: string
  readonly phrase = `ndagĩrĩire ${randomBytes(8).toString('hex')}`
  readonly clip = readSamples('ki')[0]!
  readonly sound = Buffer.from(this.clip.pcm.buffer)
  readonly canaries: Record<string, Buffer>
  readonly #agent: Agent

  constructor(service: ServiceProcess, database: Database, customer: Customer) {
    this.service = service
    this.database = database
    this.customer = customer
    this.url = `https://127.0.0.1:${service.port}`
    this.#agent = new Agent({ ca: service.ca, keepAlive: false })
    this.canaries = {
      phrase: Buffer.from(this.phrase),
      sound: this.sound.subarray(20_000, 20_064),
      key: Buffer.from(customer.key.replace('svc_live_v1_', '')),
    }
  }

  get bearer() {
    return { authorization: `Bearer ${this.customer.key}` }
  }

  call(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | Buffer,
  ): Promise<Answer> {
    return ask(this.url + path, {
      agent: this.#agent,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    })
  }

  /** Remembers a text that must not be found. */
  plant(name: string, text: string): void {
    expect(text.length, `${name} is too short to look for`).toBeGreaterThan(8)
    this.canaries[name] = Buffer.from(text)
  }

  /** Long texts are cut as well: part of one is as bad as all of it. */
  plantTranscript(where: string, text: string): void {
    this.plant(`transcript (${where})`, text)
    const words = text.split(' ')
    for (let at = 0; at + 2 < words.length; at += 3)
      this.plant(`words ${at} to ${at + 2} (${where})`, words.slice(at, at + 3).join(' '))
  }
}
