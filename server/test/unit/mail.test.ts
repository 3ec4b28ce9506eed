import { expect, it } from 'vitest'
import { creditGrantedMail } from '#server/http/console/mail.js'

it.each([
  [1, '1 second of audio credit'],
  [59, '59 seconds of audio credit'],
  [60, '1 minute of audio credit'],
  [3600, '60 minutes of audio credit'],
])('calls %i seconds of credit by their name', (seconds, words) => {
  expect(creditGrantedMail('a@example.org', seconds, 'https://sauti.example/app').text).toContain(words)
})
