import { isDeepStrictEqual } from 'node:util';
import type { ActivityHost, DryReplay, ReplayedCall } from '../../agents/contract.ts';

/** What a dry replay found. */
export interface ReplayProgress {
  /** Number of calls that matched the history. */
  read: number;
  last_call: ReplayedCall | undefined;
  differs?: { recorded: ReplayedCall; present: (ReplayedCall & { lines: readonly number[] }) | undefined };
  beyond?: ReplayedCall & { lines: readonly number[] };
}

const call = ({ kind, name, ordinal }: ReplayedCall): ReplayedCall => ({ kind, name, ordinal });

export const isSameCall = (one: ReplayedCall, other: ReplayedCall): boolean =>
  isDeepStrictEqual(call(one), call(other));

const rejectCall = async (): Promise<never> => {
  throw new Error('a dry replay does not execute anything');
};

/** The host of a pass that only reads its journal. Annotations and output are dropped. */
export function dryHost(
  agent: ActivityHost['agent'],
  seen: ReplayProgress,
  contents: ReadonlyMap<string, Buffer> = new Map(),
): ActivityHost {
  const dry: DryReplay = {
    onRecorded(record) {
      seen.read++;
      seen.last_call = call(record);
    },
    onDivergence(recorded, present) {
      seen.differs = { recorded: call(recorded), present };
    },
    onNewCall(present) {
      seen.beyond = present;
    },
  };
  return {
    agent,
    dryReplay: dry,
    masker: NOTHING_SECRET,
    append: rejectCall,
    perform: rejectCall,
    park: rejectCall,
    attempt: rejectCall,
    contents: {
      upload: rejectCall,
      async read({ digest }) {
        const data = contents.get(digest);
        if (!data) throw new Error(`there is no content with the digest ${digest}`);
        return data;
      },
    },
    // A program that only replays gets a text that nobody accepts.
    tokens: { issue: async () => ({ token: 'replayed', masks: [], masked_ms: 0 }) },
    annotate: async () => undefined,
    log: () => undefined,
  };
}

/** Masks nothing, because the history is masked and the program gets no secret. */
const NOTHING_SECRET: ActivityHost['masker'] = {
  idle: true,
  stream: () => ({ push: (chunk) => chunk, flush: () => Buffer.alloc(0), end: () => Buffer.alloc(0) }),
  bytes: (data) => data,
  maskLarge: async (data) => data,
  text: (text) => text,
  json: (value) => value,
};
