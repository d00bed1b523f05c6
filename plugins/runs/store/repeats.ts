import { isDeepStrictEqual } from 'node:util';
import type { Sealer } from '../../../kernel/contracts/index.ts';
import type { Json, SubmitRun } from '../contract.ts';
import { sourceDigest } from './keys.ts';
import { readGiven } from './named-credentials.ts';
import type { RunRow } from './run-columns.ts';
import { openEnv, openEnvelope } from './sealing.ts';
import { parseExact } from '../../schema/contract.ts';

/** What a repeat of a submit is compared with. */
export const COMPARED = [
  'org_id',
  'project_id',
  'run_id',
  'source_digest',
  'envelope',
  'env',
  'credentials',
  'tags',
  'subject',
] as const;

export type Compared = Pick<RunRow, (typeof COMPARED)[number]>;

/** A submit as far as its repeat may not differ from it (ruling 41). */
export type Repeated = Pick<
  SubmitRun,
  'source' | 'files' | 'input' | 'args' | 'env' | 'credentials' | 'tags' | 'subject'
>;

/**
 * True when the repeat asks for another run than the first one. The document of a reference is not known here. The org's
 * keys must be ready.
 */
export function differs(sealer: Sealer, first: Compared, { source, files, ...repeat }: Repeated): boolean {
  if (source !== undefined && sourceDigest(source, files) !== first.source_digest) return true;
  return !isDeepStrictEqual(givenFirst(sealer, first), givenNow(repeat));
}

function givenFirst(sealer: Sealer, { envelope, env, credentials, tags, subject, ...run }: Compared): unknown {
  const { input = null, args = [] } = openEnvelope(sealer, run, parseExact(envelope) as { input?: Json; args?: Json });
  return {
    input,
    args,
    env: openEnv(sealer, run, env) as unknown,
    credentials: readGiven(credentials) ?? {},
    tags: JSON.parse(tags) as unknown,
    subject,
  };
}

/** As JSON, for a member without a value is none. */
function givenNow({ input, args, env, credentials, tags, subject }: Omit<Repeated, 'source' | 'files'>): unknown {
  const given = {
    args: args ?? [],
    env: env ?? {},
    credentials: credentials ?? {},
    tags: tags ?? [],
    subject: subject ?? null,
  };
  return parseExact(JSON.stringify({ input: input ?? null, ...given }));
}
