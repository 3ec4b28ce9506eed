// A queue whose shift() costs the same however long it is: thousands of tiny frames can arrive in one read.

export class Fifo<T> {
  #items: T[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  peek(): T | undefined {
    return this.#items[this.#head]
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head]
    this.#head += 1
    // Taken items stay referenced until here, so a queue that runs empty lets go of everything.
    if (this.#head === this.#items.length || this.#head > 1024) this.#compact()
    return item
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
