// From a microphone of any rate to the audio of the wire, in a browser: capture on the audio thread, resample, 16 bits.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { SautiError } from '../errors.ts'
import { registerCaptureProcessor } from './capture-processor.ts'
import { floatToPcm16 } from './pcm.ts'
import { createResampler } from './resample.ts'

export interface Level {
  /** Root mean square and largest sample of the last block, 0 ... 1. */
  readonly rms: number
  readonly peak: number
}

export interface MicrophoneOptions {
  /** Mono 16 kHz PCM16, a block about every 43 ms: `onAudio: pcm => live.send(pcm)`. */
  readonly onAudio: (pcm: Int16Array<ArrayBuffer>) => void
  readonly onLevel?: (level: Level) => void
  /** The device went away, for instance unplugged. Not called after stop(). */
  readonly onEnded?: (reason: SautiError) => void
  /** Which microphone; the system's choice when absent. */
  readonly deviceId?: string
  /** Where `@sauti/client/microphone-worklet` is served, for pages whose content security policy allows no `blob:` scripts. */
  readonly workletUrl?: string | URL
}

export interface Microphone {
  /** While muted, silence is sent: the session stays open, and the silence counts as audio. */
  muted: boolean
  /** The rate of the device. */
  readonly sampleRateHz: number
  stop(): Promise<void>
}

/** Asks for the microphone and starts it. Call it from a click, or the browser may keep it silent. */
export async function captureMicrophone(options: MicrophoneOptions): Promise<Microphone> {
  const stream = await openDevice(options.deviceId)
  const context = new AudioContext()
  const release = async () => {
    for (const track of stream.getTracks()) track.stop()
    if (context.state !== 'closed') await context.close()
  }
  try {
    await loadWorklet(context, options.workletUrl)
    return startCapture(context, stream, options, release)
  } catch (cause) {
    await release()
    throw new SautiError('microphone_unavailable', 'This browser could not start recording.', cause)
  }
}

function startCapture(
  context: AudioContext,
  stream: MediaStream,
  { onAudio, onLevel, onEnded }: MicrophoneOptions,
  release: () => Promise<void>,
): Microphone {
  const resampler = createResampler(context.sampleRate, SAMPLE_RATE_HZ)
  const node = new AudioWorkletNode(context, 'sauti-capture')
  const stop = () => {
    // A block may still be on its way from the audio thread; nobody expects it after the stop.
    node.port.onmessage = null
    return release()
  }
  const microphone: Microphone = { muted: false, sampleRateHz: context.sampleRate, stop }
  node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
    if (microphone.muted) data.fill(0)
    onLevel?.(measureLevel(data))
    onAudio(floatToPcm16(resampler.push(data)))
  }
  // A node runs only when it is connected to an output; this one outputs silence.
  context.createMediaStreamSource(stream).connect(node).connect(context.destination)
  // A page that was never clicked may not make sound; the context then starts with the first click.
  context.resume().catch(cause => onEnded?.(gone(cause)))
  stream.getAudioTracks()[0]?.addEventListener('ended', () => onEnded?.(gone()))
  return microphone
}

function measureLevel(samples: Float32Array): Level {
  let peak = 0
  let power = 0
  for (const sample of samples) {
    peak = Math.max(peak, Math.abs(sample))
    power += sample * sample
  }
  return { rms: Math.sqrt(power / samples.length), peak }
}

async function loadWorklet(context: AudioContext, url: string | URL | undefined): Promise<void> {
  if (url) return context.audioWorklet.addModule(url)
  const source = new Blob([`(${registerCaptureProcessor})()`], { type: 'text/javascript' })
  const blobUrl = URL.createObjectURL(source)
  try {
    await context.audioWorklet.addModule(blobUrl)
  } finally {
    URL.revokeObjectURL(blobUrl)
  }
}

async function openDevice(deviceId: string | undefined): Promise<MediaStream> {
  if (!navigator.mediaDevices) {
    throw new SautiError(
      'microphone_insecure',
      'The microphone works only on pages served over https or from localhost.',
    )
  }
  const device = deviceId === undefined ? {} : { deviceId: { exact: deviceId } }
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: {
        ...device,
        channelCount: 1,
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
      },
    })
  } catch (cause) {
    throw explain(cause)
  }
}

function gone(cause?: unknown): SautiError {
  return new SautiError('microphone_lost', 'The microphone was disconnected.', cause)
}

/** The browser's error names in words for the user. */
function explain(cause: unknown): SautiError {
  const name = cause instanceof Error ? cause.name : ''
  const [code, message] = PERMISSION_ERRORS[name] ?? [
    'microphone_unavailable',
    'The microphone could not be opened.',
  ]
  return new SautiError(code, message, cause)
}

const PERMISSION_ERRORS: Record<string, readonly [code: string, message: string]> = {
  NotAllowedError: [
    'microphone_denied',
    'The microphone is not allowed here. Allow it in the address bar or the site settings, then try again.',
  ],
  SecurityError: ['microphone_denied', 'The settings of this browser or page forbid the microphone.'],
  NotFoundError: ['microphone_missing', 'No microphone was found. Connect one, then try again.'],
  OverconstrainedError: [
    'microphone_missing',
    'The chosen microphone is no longer available. Choose another.',
  ],
  NotReadableError: [
    'microphone_busy',
    'The microphone is in use by another program. Close that one, then try again.',
  ],
  AbortError: ['microphone_busy', 'The microphone could not be started. Try again.'],
}
