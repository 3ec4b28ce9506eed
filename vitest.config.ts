import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.mjs'
import { findPrograms } from './scripts/programs.mjs'

// Tests import the built packages (`#server/...` is `dist/`), so that what is tested is what ships, the recogniser's processes included.
// Node loads them as they are: to transform each of their modules for each test file would take longer than many tests.
const everywhere = { provide: { programs: findPrograms() }, server: { deps: { external: [/\/dist\//] } } }

// `service` tests go through the front door and run once on each database engine.
const serviceTests = { ...everywhere, testTimeout: 60_000, hookTimeout: 120_000 }

// `clients` and `browser` tests start the whole service too, but look at what stands in front of it: once is enough.
const onceEmbedded = {
  ...everywhere,
  env: { SAUTI_TEST_DATABASE: 'embedded' },
  testTimeout: 120_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  test: {
    // Most of a service test is waiting for sockets and disks, so two files at a time fit two cores; the default there is one.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'unit', include: ['*/test/unit/**/*.test.ts'], testTimeout: 30_000, ...everywhere } },
      {
        test: {
          name: 'clients',
          include: ['*/test/clients/**/*.test.ts', 'integrations/*/test/clients/**/*.test.ts'],
          ...onceEmbedded,
        },
      },
      { test: { name: 'browser', include: ['*/test/browser/**/*.test.ts'], ...onceEmbedded } },
      {
        test: {
          name: 'embedded',
          include: ['*/test/service/**/*.test.ts'],
          env: { SAUTI_TEST_DATABASE: 'embedded' },
          ...serviceTests,
        },
      },
      {
        test: {
          name: 'postgres',
          // `postgres` holds what only that database has: several nodes, failover, a move from the embedded one.
          include: ['*/test/service/**/*.test.ts', '*/test/postgres/**/*.test.ts'],
          env: { SAUTI_TEST_DATABASE: 'postgres' },
          globalSetup: ['scripts/postgres-for-tests.mjs'],
          ...serviceTests,
        },
      },
    ],
  },
})
