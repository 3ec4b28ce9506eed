import { defineConfig } from 'vitest/config'
// @ts-expect-error: a script without types.
import { findPrograms } from '../../../scripts/programs.mjs'

// `npm run lighthouse`: not part of the tests, because its figures depend on the machine and on what else runs there.
export default defineConfig({
  test: {
    provide: { programs: findPrograms() },
    include: ['console/test/lighthouse/measure.ts'],
    env: { SAUTI_TEST_DATABASE: 'embedded' },
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
  },
})
