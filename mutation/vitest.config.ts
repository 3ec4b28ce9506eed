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
  // Those that run the source that is changed; scripts/mutation.mjs names them.
  test: { include: (process.env.SAUTI_MUTATION_TESTS ?? '').split(' ') },
})
