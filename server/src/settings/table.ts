// All settings of the service. The documentation's list of settings is made from this table.

import { CONSOLE } from './groups/console.ts'
import { FILES } from './groups/files.ts'
import { LISTENING } from './groups/listening.ts'
import { NODES } from './groups/nodes.ts'
import { ORGANISATION } from './groups/organisation.ts'
import { RATES } from './groups/rates.ts'
import { RECOGNISER } from './groups/recogniser.ts'
import { STORAGE } from './groups/storage.ts'
import { STREAMS } from './groups/streams.ts'
import type { SettingsTable } from './setting.ts'

/** As the documentation lists them. */
export const SETTING_GROUPS: readonly { readonly title: string; readonly settings: SettingsTable }[] = [
  { title: 'Addresses, TLS and logs', settings: LISTENING },
  { title: 'Data', settings: STORAGE },
  { title: 'Request rates', settings: RATES },
  { title: 'Console and email', settings: CONSOLE },
  { title: 'Single sign-on', settings: ORGANISATION },
  { title: 'Files', settings: FILES },
  { title: 'Streams and connections', settings: STREAMS },
  { title: 'Several nodes', settings: NODES },
  { title: 'Recogniser', settings: RECOGNISER },
]

export const SETTINGS = {
  ...LISTENING,
  ...STORAGE,
  ...RATES,
  ...CONSOLE,
  ...ORGANISATION,
  ...FILES,
  ...STREAMS,
  ...NODES,
  ...RECOGNISER,
} as const satisfies SettingsTable
