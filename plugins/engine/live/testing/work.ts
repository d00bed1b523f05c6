import type { ArmWait, LogChunk } from '../../runs/contract.ts';

/** A wait for a signal, as a script arms it. */
export const wait = (position: number, name: string): ArmWait => ({
  position,
  kind: 'wait-signal',
  name,
  ordinal: position,
  digest: '',
  args: null,
  started_at: 0,
});

export const chunkOf = (text: string, n = 0): LogChunk => ({
  n,
  stream: 'stdout',
  at: 0,
  data: Buffer.from(text).toString('base64'),
});
