import { fileURLToPath } from 'node:url'

/** The folder with the model packages of the repository. */
export const MODELS = fileURLToPath(new URL('../../../models', import.meta.url))
