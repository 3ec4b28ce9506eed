// What we use of highlight.js, in place of its own types (tsconfig.json): those bring the whole DOM into the server, where
// there is none.

declare const highlighter: {
  registerLanguage(name: string, language: unknown): void
  configure(options: { classPrefix: string }): void
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}
// biome-ignore lint/style/noDefaultExport: the package has a default export.
export default highlighter
