/** The line in a report that says what was run, when, on which commit and on what kind of machine. */
export function describeRun(command: string): string
