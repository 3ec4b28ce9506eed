// What is wrong with something that the user gave us to read: a missing file, or an unknown format.

export class InputError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InputError'
  }
}
