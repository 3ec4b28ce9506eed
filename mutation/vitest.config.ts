// The pure tests, on sources instead of built files: Stryker puts its changes into sources.

import { defineConfig } from 'vitest/config'

const root = new URL('..', import.meta.url).pathname

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^#server\/(.*)\.js$/, replacement: `${root}server/src/$1.ts` },
      { find: /^#protocol\/(.*)\.js$/, replacement: `${root}protocol/src/$1.ts` },
      { find: /^@sauti\/protocol\/(.*)$/, replacement: `${root}protocol/src/$1.ts` },
    ],
  },
  test: {
    include: [
      'protocol/test/unit/{audio,stream,stream-config}.test.ts',
      'server/test/unit/lifecycle.test.ts',
      'server/test/unit/stream/{connection-state,endpointing,gate,meter,stream-config,utterance-end}.test.ts',
      'server/test/unit/stream/wires/*.test.ts',
    ],
  },
})
