// Builds the entrances: the front page in each language, the app, and what the server-rendered documentation needs (styles, search).
// The server finds the hashed files of the documentation through the manifest.

import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'
import { fillLanding } from './fill-landing.ts'

const client = JSON.parse(readFileSync(new URL('../sdk/package.json', import.meta.url), 'utf8'))

export default defineConfig({
  base: '/',
  plugins: [fillLanding()],
  define: { __CLIENT_VERSION__: JSON.stringify(client.version) },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    target: ['chrome90', 'firefox90', 'safari15'],
    rolldownOptions: {
      input: { index: 'index.html', sw: 'sw.html', app: 'app.html', docs: 'src/docs/main.ts' },
    },
  },
})
