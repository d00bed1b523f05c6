import { isDeepStrictEqual } from 'node:util';
import type { ActivityHost, DryReplay, ReplayedCall } from '../../agents/contract.ts';

/** What a replay found that carried out nothing. */
export interface Seen {
  /** Calls that were the same as in the history. */
  read: number;
  last: ReplayedCall | undefined;
  differs?: { recorded: ReplayedCall; present: (ReplayedCall & { lines: readonly number[] }) | undefined };
  beyond?: ReplayedCall & { lines: readonly number[] };
}

const call = ({ kind, name, ordinal }: ReplayedCall): ReplayedCall => ({ kind, name, ordinal });

export const sameCall = (one: ReplayedCall, other: ReplayedCall): boolean => isDeepStrictEqual(call(one), call(other));

const refuse = async (): Promise<never> => {
  throw new Error('a dry replay carries out nothing');
};

/** The host of a pass that only reads its journal. Notes and output go nowhere. */
export function dryHost(
  agent: ActivityHost['agent'],
  seen: Seen,
  contents: ReadonlyMap<string, Buffer> = new Map(),
): ActivityHost {
  const dry: DryReplay = {
    read(record) {
      seen.read++;
      seen.last = call(record);
    },
    differs(recorded, present) {
      seen.differs = { recorded: call(recorded), present };
    },
    beyond(present) {
      seen.beyond = present;
    },
  };
  return {
    agent,
    dry,
    masker: NOTHING_SECRET,
    append: refuse,
    perform: refuse,
    park: refuse,
    attempt: refuse,
    contents: {
      bring: refuse,
      async read({ digest }) {
        const data = contents.get(digest);
        if (!data) throw new Error(`there is no content with the digest ${digest}`);
        return data;
      },
    },
    annotate: async () => undefined,
    log: () => undefined,
  };
}

/** The history is masked, and the program gets no secret. */
const NOTHING_SECRET: ActivityHost['masker'] = {
  idle: true,
  stream: () => ({ push: (chunk) => chunk, settle: () => Buffer.alloc(0), end: () => Buffer.alloc(0) }),
  bytes: (data) => data,
  whole: async (data) => data,
  text: (text) => text,
  json: (value) => value,
};
