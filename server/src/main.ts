#!/usr/bin/env node
// Start: the service as a program.

import { serve } from './serve.ts'

await serve()
