/** The line in a report that says what was run, when, on which commit and on what kind of machine. */
export function describeRun(command: string): string
/** Puts that line below the first one of a page. */
export function signPage(file: string, command: string): void
