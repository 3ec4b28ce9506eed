// Schemas of /console/api: what the console's pages and their server say to each other. Not part of the public interface,
// so it may change with every release; the pages are served by the same process.

export { MAX_LISTED, PlainText } from './console/fields.ts'
export * from './console/keys.ts'
export * from './console/operator-accounts.ts'
export * from './console/operator-service.ts'
export * from './console/passkeys.ts'
export * from './console/people.ts'
export * from './console/sign-in.ts'
export * from './console/usage.ts'
export * from './console/visitors.ts'
