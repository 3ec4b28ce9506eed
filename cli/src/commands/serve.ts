// sauti serve: the service itself.

import type { Command } from '../command.ts'

export const serveCommand: Command = {
  name: 'serve',
  options: {},
  examples: ['sauti serve', 'SAUTI_PORT=9443 SAUTI_DATA_DIR=/var/lib/sauti sauti serve'],
  run: async () => {
    // Only here: the other commands start without the recogniser's runtime and the HTTP server.
    const { serve } = await import('@sauti/server/serve.js')
    await serve()
    return undefined
  },
}
