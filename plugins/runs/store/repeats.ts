import { isDeepStrictEqual } from 'node:util';
import type { Json, SubmitRun } from '../contract.ts';
import { sourceDigest } from './keys.ts';
import { readGiven } from './named-credentials.ts';
import type { RunRow } from './run-columns.ts';

/** What a repeat of a submit is compared with. */
export const COMPARED = ['source_digest', 'envelope', 'env', 'credentials', 'tags', 'subject'] as const;

export type Compared = Pick<RunRow, (typeof COMPARED)[number]>;

/** A submit as far as its repeat may not differ from it (ruling 41). */
export type Repeated = Pick<SubmitRun, 'source' | 'input' | 'env' | 'credentials' | 'tags' | 'subject'>;

/** True when the repeat asks for another run than the first one. The document of a reference is not known here. */
export function differs(first: Compared, { source, ...repeat }: Repeated): boolean {
  if (source !== undefined && sourceDigest(source) !== first.source_digest) return true;
  return !isDeepStrictEqual(givenFirst(first), givenNow(repeat));
}

const givenFirst = ({ envelope, env, credentials, tags, subject }: Compared) => ({
  input: (JSON.parse(envelope) as { input?: Json }).input ?? null,
  env: JSON.parse(env) as unknown,
  credentials: readGiven(credentials) ?? {},
  tags: JSON.parse(tags) as unknown,
  subject,
});

/** As JSON, for a member without a value is none. */
function givenNow({ input, env, credentials, tags, subject }: Omit<Repeated, 'source'>): unknown {
  const given = { env: env ?? {}, credentials: credentials ?? {}, tags: tags ?? [], subject: subject ?? null };
  return JSON.parse(JSON.stringify({ input: input ?? null, ...given }));
}
