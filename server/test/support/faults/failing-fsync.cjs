// Preloaded by a test: the disk refuses to sync as soon as the file that SAUTI_TEST_BROKEN_DISK names is there.
const fs = require('node:fs')

const fsyncSync = fs.fsyncSync
fs.fsyncSync = descriptor => {
  if (fs.existsSync(process.env.SAUTI_TEST_BROKEN_DISK)) throw new Error('EIO: i/o error, fsync')
  fsyncSync(descriptor)
}
