import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.mjs'
import { findPrograms } from './scripts/programs.mjs'
import { ALONE, SHARING_FILES, SHARING_FOLDERS } from './scripts/tests-alone.mjs'

// Tests import the built packages (`#server/...` is `dist/`), so that what is tested is what ships, the recogniser's processes included.
// Node loads them as they are: to transform each of their modules for each test file would take longer than many tests.
const everywhere = {
  provide: { programs: findPrograms() },
  server: { deps: { external: [/\/dist\//] } },
  // What is waited for can take longer on a busy machine than the usual second.
  expect: { poll: { timeout: 20_000 } },
}

// These limits are for tests that hang. A busy machine can be five times slower than an idle one, and a test must pass there, too.
const unitTests = { ...everywhere, testTimeout: 60_000, hookTimeout: 60_000 }

// `service` tests go through the front door and run once on each database engine.
const serviceTests = { ...everywhere, testTimeout: 180_000, hookTimeout: 240_000 }
const onEmbedded = { env: { SAUTI_TEST_DATABASE: 'embedded' } }
const onPostgres = { env: { SAUTI_TEST_DATABASE: 'postgres' } }

// Of these PostgreSQL alone is enough: every statement that they cause is run on the embedded database by the other service tests.
// They are about frames, limits, refusals and other nodes. An embedded database costs four seconds of CPU per file.
const NOTHING_NEW_ON_EMBEDDED = [
  'server/test/service/console/security/**',
  'server/test/service/console/{hardening,sign-in-limits}.test.ts',
  'server/test/service/http/{errors,fuzz,limits,openapi,order,rates,rest-of-refused-files,watching}.test.ts',
  'server/test/service/nodes/{membership,placement,races,shared-rates}.test.ts',
  'server/test/service/stream/{audio-formats,connection-cap,endpointing,engine-lost,floods,frames,handshake}.test.ts',
  'server/test/service/stream/{metrics,opus,pressure,recognition,second-wire,vanish}.test.ts',
  'server/test/service/stream/wires/rates.test.ts',
  'server/test/service/stream/wires/deepgram/{abandoned,endpointing,options,refusals}.test.ts',
  'server/test/service/stream/wires/openai/{errors,limits}.test.ts',
]

const SHARING = [...SHARING_FOLDERS.map(folder => `${folder}/**/*.test.ts`), ...SHARING_FILES]

// `clients` and `browser` tests start the whole service too, but look at what stands in front of it: once is enough.
const once = { ...everywhere, ...onPostgres, testTimeout: 240_000, hookTimeout: 240_000 }

export default defineConfig({
  test: {
    // A quarter of a test is waiting for sockets, disks and clocks: with two files at a time, two cores were idle for 27 % of the check.
    maxWorkers: 3,
    // Tests within a file that are marked as concurrent; they mostly wait for what must not come.
    maxConcurrency: 10,
    sequence: { sequencer: LongestFirst },
    // Once for all projects: each server takes seconds to be made, and the schema in it again.
    globalSetup: ['scripts/postgres-for-tests.mjs'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['*/test/unit/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          ...unitTests,
          // Loading what is tested costs more than most of these tests, so they share two processes.
          isolate: false,
        },
      },
      { test: { name: 'alone', include: ALONE, ...unitTests } },
      {
        test: {
          name: 'clients',
          include: ['*/test/clients/**/*.test.ts', 'integrations/*/test/clients/**/*.test.ts'],
          ...once,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['*/test/browser/**/*.test.ts'],
          ...once,
          // Speech is waited for, and a busy machine plays it to the browser several times before all of it is heard.
          testTimeout: 400_000,
        },
      },
      {
        test: {
          name: 'embedded',
          include: ['*/test/service/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...NOTHING_NEW_ON_EMBEDDED, ...SHARING],
          ...onEmbedded,
          ...serviceTests,
        },
      },
      {
        test: {
          name: 'embedded-shared',
          include: SHARING,
          exclude: [...configDefaults.exclude, ...NOTHING_NEW_ON_EMBEDDED],
          ...onEmbedded,
          ...serviceTests,
          isolate: false,
        },
      },
      {
        test: {
          name: 'postgres',
          // `postgres` holds what only that database has: several nodes, failover, a move from the embedded one.
          include: ['*/test/service/**/*.test.ts', '*/test/postgres/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...SHARING],
          ...onPostgres,
          ...serviceTests,
        },
      },
      {
        test: {
          name: 'postgres-shared',
          include: SHARING,
          ...onPostgres,
          ...serviceTests,
          isolate: false,
        },
      },
    ],
  },
})
