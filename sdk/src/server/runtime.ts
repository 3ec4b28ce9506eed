// Where are we? A key may be on a server, never on a user's device (spec 5).

/** True in a page, a web worker or a React Native app. */
export function isClientDevice(): boolean {
  const scope = globalThis as { document?: unknown; WorkerGlobalScope?: unknown; navigator?: Navigator }
  return (
    typeof scope.document === 'object' ||
    typeof scope.WorkerGlobalScope === 'function' ||
    scope.navigator?.product === 'ReactNative'
  )
}
