import { defineConfig } from 'vitest/config'
// @ts-expect-error: a script without types.
import { findPrograms } from '../../../scripts/programs.mjs'

// `npm run screenshots`: not part of the tests, because it judges nothing; somebody looks at what it makes.
export default defineConfig({
  test: {
    provide: { programs: findPrograms() },
    include: ['console/test/screenshots/take.ts'],
    env: { SAUTI_TEST_DATABASE: 'embedded' },
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
  },
})
