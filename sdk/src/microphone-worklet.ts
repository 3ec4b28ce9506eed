// The audio thread's module as a file of its own, for pages whose content security policy allows no blob: scripts.

import { registerCaptureProcessor } from './audio/capture-processor.ts'

registerCaptureProcessor()
