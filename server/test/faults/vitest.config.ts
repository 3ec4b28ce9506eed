import { defineConfig } from 'vitest/config'

// `npm run faults`: not part of the tests, because it takes as long as it is told to; a short part of it is.
export default defineConfig({
  test: {
    include: ['server/test/faults/run.ts'],
    env: { SAUTI_TEST_DATABASE: 'embedded' },
    testTimeout: 24 * 3_600_000,
  },
})
