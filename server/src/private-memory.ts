// What people say is in the memory of this process, and so are secrets. Node can write parts of it to disk by itself: that is
// turned off where possible, and otherwise the operator is warned.

/** Options of Node that write memory, or the environment with its secrets, to files, or open it to a debugger. */
const REVEALING =
  /^--(heap-?prof|heapsnapshot|report|abort-on-uncaught-exception|inspect|trace-event|cpu-prof)/

/** Turns diagnostic reports off: they hold the environment. Returns the options in force that reveal memory all the same. */
export function keepMemoryPrivate(
  nodeOptions: string,
  execArgv: readonly string[] = process.execArgv,
): string[] {
  if (process.report) {
    process.report.reportOnFatalError = false
    process.report.reportOnSignal = false
    process.report.reportOnUncaughtException = false
  }
  return [...execArgv, ...nodeOptions.split(/\s+/)]
    .filter(option => REVEALING.test(option) && !option.startsWith('--report'))
    .map(option => option.split('=')[0]!)
}
