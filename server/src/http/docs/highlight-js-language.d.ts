// A grammar of highlight.js, which we only hand on.

declare const language: unknown
// biome-ignore lint/style/noDefaultExport: the package has a default export.
export default language
