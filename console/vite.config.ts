// Builds the three entrances: the front page, the app, and what the server-rendered documentation needs (styles, search).
// The server finds the hashed files of the documentation through the manifest.

import { defineConfig } from 'vite'

export default defineConfig({
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    target: ['chrome90', 'firefox90', 'safari15'],
    rolldownOptions: {
      input: { index: 'index.html', app: 'app.html', docs: 'src/docs/main.ts' },
    },
  },
})
