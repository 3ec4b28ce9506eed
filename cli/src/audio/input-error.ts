// What is wrong with something that the user gave us to read: a missing file, a format that nobody here knows.

export class InputError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InputError'
  }
}
