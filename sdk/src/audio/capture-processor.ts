// Runs on the audio thread: gathers the microphone's channels into blocks of mono samples and posts them to the page.

/** Registers the processor. Its source text is also made into a module at run time, so it must use nothing from outside. */
export function registerCaptureProcessor(): void {
  const scope = globalThis as unknown as {
    AudioWorkletProcessor: new () => { readonly port: MessagePort }
    registerProcessor(name: string, processor: new () => object): void
  }
  const blockSamples = 2048

  class CaptureProcessor extends scope.AudioWorkletProcessor {
    block = new Float32Array(blockSamples)
    filled = 0

    process([channels = []]: Float32Array[][]): boolean {
      const length = channels[0]?.length ?? 0
      for (let index = 0; index < length; index++) {
        let sum = 0
        for (const channel of channels) sum += channel[index] ?? 0
        this.block[this.filled++] = sum / channels.length
        if (this.filled === blockSamples) this.post()
      }
      return true
    }

    post(): void {
      this.port.postMessage(this.block, [this.block.buffer])
      this.block = new Float32Array(blockSamples)
      this.filled = 0
    }
  }

  scope.registerProcessor('sauti-capture', CaptureProcessor)
}
