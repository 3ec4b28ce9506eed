// Clients of the service that come and go: each creates a session at some node, streams a recording at the pace of speech to the node
// that it is sent to, waits for the final text and leaves. What became of every session is noted.

import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AsrSession } from '@sauti/protocol/http'
import { WebSocket } from 'ws'
import type { Cluster, RunningNode } from './cluster.ts'

const CLIP = fileURLToPath(new URL('../../../models/samples/kikuyu-1.wav', import.meta.url))
const WAV_HEADER_BYTES = 44
const PACE_MS = 200
const BYTES_PER_MS = 32
const CLIP_MS = 4_000
const PATIENCE_MS = 60_000

export interface Outcome {
  readonly sessionId: string
  readonly nodeUrl: string
  /** Undefined where it ended as it should. */
  readonly failure: string | undefined
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: object
}

export class Fleet {
  readonly outcomes: Outcome[] = []
  /** Creations that were refused or not answered; a client simply asks again, another node. */
  refusals = 0
  readonly #cluster: Cluster
  readonly #pcm = readFileSync(CLIP).subarray(WAV_HEADER_BYTES, WAV_HEADER_BYTES + CLIP_MS * BYTES_PER_MS)
  readonly #agents = new Map<string, Agent>()
  #isRunning = true
  #working: Promise<void>[] = []

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  start(clients: number): void {
    this.#working = Array.from({ length: clients }, async (_, index) => {
      await wait((index * CLIP_MS) / clients)
      while (this.#isRunning) await this.#oneSession(index)
    })
  }

  /** Lets the sessions that run come to their end. */
  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#working)
    for (const agent of this.#agents.values()) agent.destroy()
  }

  get failures(): Outcome[] {
    return this.outcomes.filter(({ failure }) => failure !== undefined)
  }

  async #oneSession(index: number): Promise<void> {
    const { nodes } = this.#cluster
    const asked = nodes[(index + this.outcomes.length) % nodes.length]!
    const session = await this.create(asked, index).catch(() => undefined)
    if (!session) {
      this.refusals++
      await wait(500)
      return
    }
    const nodeUrl = session.websocket_url.replace('wss:', 'https:').replace(/\/v1.*$/, '')
    const { ca } = await this.#cluster.find(nodeUrl)
    const failure = await this.#stream(session, ca).catch((error: Error) => error.message)
    this.outcomes.push({ sessionId: session.id, nodeUrl, failure })
  }

  /** Each client has an account of its own. */
  create(node: RunningNode, client = 0): Promise<AsrSession | undefined> {
    const body = { model: 'svc-asr-kikuyu-v1', max_audio_seconds: 20 }
    return this.#call(node, client, { method: 'POST', path: '/v1/asr/sessions', body })
  }

  cancel(node: RunningNode, client: number, { id }: AsrSession): Promise<object | undefined> {
    return this.#call(node, client, { method: 'DELETE', path: `/v1/asr/sessions/${id}` })
  }

  async #call<T>(node: RunningNode, client: number, { method, path, body }: Call): Promise<T | undefined> {
    const agent = this.#agents.get(node.url) ?? new Agent({ ca: node.ca, keepAlive: true })
    this.#agents.set(node.url, agent)
    const { keys } = this.#cluster
    const key = keys[client % keys.length]
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
      const outgoing = request(`${node.url}${path}`, { agent, method, headers, timeout: 15_000 }, answer => {
        const chunks: Buffer[] = []
        answer.on('data', chunk => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const isGood = answer.statusCode === 201 || answer.statusCode === 200
          resolve(isGood ? (JSON.parse(Buffer.concat(chunks).toString()) as T) : undefined)
        })
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
      outgoing.on('error', reject)
      outgoing.end(body && JSON.stringify(body))
    })
  }

  #stream(session: AsrSession, ca: string): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(session.websocket_url, [...session.websocket_protocols], { ca })
      const patience = setTimeout(() => socket.terminate(), PATIENCE_MS)
      let isFinal = false
      socket.on('error', reject)
      socket.on('close', (code, reason) => {
        clearTimeout(patience)
        resolve(isFinal ? undefined : `closed with ${code} ${reason}`)
      })
      socket.on('message', data => {
        const { type } = JSON.parse(String(data)) as { type: string }
        if (type === 'ready') void this.#speak(socket)
        if (type !== 'final') return
        isFinal = true
        socket.close(1000)
      })
    })
  }

  async #speak(socket: WebSocket): Promise<void> {
    const step = PACE_MS * BYTES_PER_MS
    for (let at = 0; at < this.#pcm.length && socket.readyState === WebSocket.OPEN; at += step) {
      socket.send(this.#pcm.subarray(at, at + step))
      await wait(PACE_MS)
    }
    if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"flush"}')
  }
}
