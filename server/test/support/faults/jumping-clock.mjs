// Loaded before a service: its clock, in every thread, is as far ahead as the file that SAUTI_TEST_CLOCK names says, in milliseconds.

import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 20
const RealDate = Date
let aheadMs = 0
let lookedAtMs = 0

function now() {
  const realMs = RealDate.now()
  if (realMs - lookedAtMs >= LOOK_EVERY_MS) {
    lookedAtMs = realMs
    aheadMs = Number(readFileSync(process.env.SAUTI_TEST_CLOCK, 'utf8'))
  }
  return realMs + aheadMs
}

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now())
    else super(...parts)
  }

  static now() {
    return now()
  }
}
