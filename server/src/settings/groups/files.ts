// Transcription of files.

import { integer } from '../parse.ts'
import { duration, type SettingsTable, setting } from '../setting.ts'

export const FILES = {
  filesAtOnce: setting(
    'SAUTI_FILES_AT_ONCE',
    integer(1, 1000),
    4,
    'Files that this node transcribes at the same time. Live streams come first. Each file uses a decoder process of up to 640 MiB.',
  ),
  fileMaxMs: duration('SAUTI_FILE_MAX_SECONDS', 7200, 'Maximum duration of a file.'),
  fileMaxBytes: setting(
    'SAUTI_FILE_MAX_BYTES',
    integer(1, 2 ** 40),
    512 * 2 ** 20,
    'Maximum size of a file.',
  ),
} as const satisfies SettingsTable
