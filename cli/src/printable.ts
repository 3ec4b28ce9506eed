// What comes from elsewhere may hold characters that a terminal treats as commands: they are shown as text.

/** Control characters except line break and tab, and those that reverse the direction of the text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const ORDERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The text with every such character as \\uXXXX, which is also how JSON writes it. */
export function printable(text: string): string {
  return text.replaceAll(ORDERS, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
