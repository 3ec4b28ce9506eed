// The package's own types cannot be resolved by Node's rules; this is what the tests use of it.

declare module 'media-captions' {
  export function parseText(
    text: string,
    options: { type: 'srt' | 'vtt'; strict: boolean; errors: boolean },
  ): Promise<{ cues: { startTime: number; endTime: number; text: string }[]; errors: Error[] }>
}
