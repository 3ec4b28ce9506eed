// Everything from one database into another, empty one: how a service moves from the embedded database to PostgreSQL.

import type { Database } from '../port.ts'
import { type BackupRecord, readEverything } from './read.ts'
import { writeEverything } from './write.ts'

/** Returns how many rows were copied. */
export async function copyDatabase(from: Database, to: Database): Promise<number> {
  const handover = new Handover<BackupRecord>()
  const reading = readEverything(from, record => handover.give(record)).then(
    () => handover.end(),
    error => handover.fail(error),
  )
  try {
    return await writeEverything(to, () => handover.take())
  } catch (error) {
    handover.fail(error)
    throw error
  } finally {
    await reading
  }
}

/** Passes one value at a time from a producer to a consumer, which wait for each other. */
class Handover<T> {
  #offer: { readonly value: T | undefined; readonly taken: () => void } | undefined
  #wake: () => void = () => undefined
  #failure: { readonly error: unknown } | undefined

  async give(value: T): Promise<void> {
    await new Promise<void>(resolve => this.#put(value, resolve))
    if (this.#failure) throw this.#failure.error
  }

  end(): void {
    this.#put(undefined, () => undefined)
  }

  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#offer?.taken()
    this.#wake()
  }

  async take(): Promise<T | undefined> {
    while (!this.#offer && !this.#failure)
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    if (this.#failure) throw this.#failure.error
    const { value, taken } = this.#offer!
    if (value !== undefined) this.#offer = undefined
    taken()
    return value
  }

  #put(value: T | undefined, taken: () => void): void {
    if (this.#failure) {
      taken()
      return
    }
    this.#offer = { value, taken }
    this.#wake()
  }
}
