import { defineConfig } from 'vitest/config'

// The SQL part of `npm run mutation`: one file, which takes as long as there are mutants.
export default defineConfig({
  test: {
    include: ['server/test/mutation/run.ts'],
    env: { SAUTI_TEST_DATABASE: 'embedded' },
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
  },
})
