// What the console's pages and their server must agree on besides the schemas. Free of TypeBox, because browsers load it.

export const CONSOLE_API = '/console/api'
export const MIN_PASSWORD_CHARACTERS = 10
export const MAX_PASSWORD_CHARACTERS = 128
/** Starting credit that the approval offers: ten minutes of audio. */
export const STARTING_CREDIT_SECONDS = 600
