import { defineConfig } from 'vitest/config'
import { findPrograms } from './scripts/programs.mjs'

const provide = { programs: findPrograms() }

// Tests import the built packages (`#server/...` is `dist/`), so that what is tested is what ships, the recogniser's processes included.
// `service` tests go through the front door and run once on each database engine.
const serviceTests = {
  include: ['*/test/service/**/*.test.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  provide,
}

// `clients` and `browser` tests start the whole service too, but look at what stands in front of it: once is enough.
const onceEmbedded = {
  env: { SAUTI_TEST_DATABASE: 'embedded' },
  testTimeout: 120_000,
  hookTimeout: 120_000,
  provide,
}

export default defineConfig({
  test: {
    // Most of a service test is waiting for sockets and disks, so two files at a time fit two cores; the default there is one.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['*/test/unit/**/*.test.ts'], testTimeout: 30_000, provide } },
      {
        test: {
          name: 'clients',
          include: ['*/test/clients/**/*.test.ts', 'integrations/*/test/clients/**/*.test.ts'],
          ...onceEmbedded,
        },
      },
      { test: { name: 'browser', include: ['*/test/browser/**/*.test.ts'], ...onceEmbedded } },
      { test: { name: 'embedded', env: { SAUTI_TEST_DATABASE: 'embedded' }, ...serviceTests } },
      {
        test: {
          name: 'postgres',
          env: { SAUTI_TEST_DATABASE: 'postgres' },
          globalSetup: ['scripts/postgres-for-tests.mjs'],
          ...serviceTests,
        },
      },
    ],
  },
})
