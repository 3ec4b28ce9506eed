/** What has to be stopped, the last first. Stopping goes on when one part fails, and then throws the first failure. */
export class StartedParts {
  readonly #stops: (() => Promise<void> | void)[] = []

  add(stop: () => Promise<void> | void): void {
    this.#stops.push(stop)
  }

  async stop(): Promise<void> {
    const failures: unknown[] = []
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) {
      try {
        await stop()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
