import type { SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { IncludedFile, Json } from '../contract.ts';
import { parseExact } from '../../schema/contract.ts';
import { parseJson } from './run-rows.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

const place = (scope: Scope, table: string, name: string, field: string): SealedPlace => ({
  org_id: scope.org_id,
  project_id: scope.project_id,
  table,
  kind: 'runs',
  name,
  field,
});

/** The sealed place of each sealed column of this plugin. A blob that was moved does not open. */
export const sealed = {
  record: (scope: Scope, at: { run_id: string; activity_id: string; position: number }, field: 'output' | 'message') =>
    place(scope, 'runs_journal', `${at.run_id}/${at.activity_id}/${at.position}`, field),
  attempt: (
    scope: Scope,
    at: { run_id: string; activity_id: string; position: number; attempt: number },
    field: 'output' | 'message',
  ) => place(scope, 'runs_attempts', `${at.run_id}/${at.activity_id}/${at.position}/${at.attempt}`, field),
  runOutput: (scope: Scope, run_id: string) => place(scope, 'runs_runs', run_id, 'output'),
  activitySpec: (scope: Scope, activity_id: string) => place(scope, 'runs_activities', activity_id, 'spec'),
  activityOutput: (scope: Scope, activity_id: string) => place(scope, 'runs_activities', activity_id, 'output'),
  source: (scope: Scope, digest: string) => place(scope, 'runs_sources', digest, 'source'),
  files: (scope: Scope, digest: string) => place(scope, 'runs_sources', digest, 'files'),
  given: (scope: Scope, run_id: string, field: 'envelope' | 'env') => place(scope, 'runs_runs', run_id, field),
  waitArgs: (scope: Scope, at: { run_id: string; activity_id: string; position: number }) =>
    place(scope, 'runs_waits', `${at.run_id}/${at.activity_id}/${at.position}`, 'args'),
  signal: (scope: Scope, run_id: string, seq: number) => place(scope, 'runs_signals', `${run_id}/${seq}`, 'payload'),
  log: (scope: Scope, chunk: { activity_id: string; epoch: number; n: number }) =>
    place(scope, 'runs_logs', `${chunk.activity_id}/${chunk.epoch}/${chunk.n}`, 'data'),
};

export const sealJson = (store: { sealer: Sealer }, at: SealedPlace, value: Json): Buffer =>
  store.sealer.seal(at, Buffer.from(JSON.stringify(value ?? null)));

/** Marks a sealed text. Rows of older versions hold the text itself, and stay as they are. */
const SEALED = 'sealed:';

/** Sealed, for a column of text. The org's keys must be ready. */
export const sealText = (sealer: Sealer, at: SealedPlace, text: string): string =>
  SEALED + sealer.seal(at, Buffer.from(text)).toString('base64');

/** Reads what `sealText` made, and what an older version stored as it was. Throws `sealed_value_unreadable`. */
export function openText(sealer: Sealer, at: SealedPlace, stored: string): string {
  if (!stored.startsWith(SEALED)) return stored;
  return sealer.open(at, Buffer.from(stored.slice(SEALED.length), 'base64')).toString();
}

export const sealSpec = (store: { sealer: Sealer }, scope: Scope, activity_id: string, spec: Json): string =>
  sealText(store.sealer, sealed.activitySpec(scope, activity_id), JSON.stringify(spec ?? null));

export const openSpec = (store: { sealer: Sealer }, scope: Scope, activity_id: string, stored: string): Json =>
  parseJson(openText(store.sealer, sealed.activitySpec(scope, activity_id), stored));

type RunScope = Scope & { run_id: string };
type Fields = { [field: string]: Json | undefined };

/** The member of a stored envelope with everything that was given to the run. */
const CONTENT = '$sealed';

/**
 * A run's envelope as it is stored: its type and the reference to an event are read by statements, and the rest is sealed.
 * The org's keys must be ready.
 */
export function sealEnvelope(sealer: Sealer, run: RunScope, { type, $ref, ...content }: Fields): string {
  const head = { type, $ref };
  if (Object.keys(content).length === 0) return JSON.stringify(head);
  const blob = sealer.seal(sealed.given(run, run.run_id, 'envelope'), Buffer.from(JSON.stringify(content)));
  return JSON.stringify({ ...head, [CONTENT]: blob.toString('base64') });
}

/** The org's keys must be ready. Throws `sealed_value_unreadable`. */
export function openEnvelope<E extends Fields>(sealer: Sealer, run: RunScope, stored: E): E {
  const { [CONTENT]: blob, ...head } = stored;
  if (typeof blob !== 'string') return stored;
  const content = sealer.open(sealed.given(run, run.run_id, 'envelope'), Buffer.from(blob, 'base64')).toString();
  return { ...head, ...(parseExact(content) as Fields) } as E;
}

const NO_ENV = '{}';

/** The variables of a run, as they are stored. The org's keys must be ready. */
export function sealEnv(sealer: Sealer, run: RunScope, env: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(env);
  return text === NO_ENV ? text : sealText(sealer, sealed.given(run, run.run_id, 'env'), text);
}

/** The org's keys must be ready. Throws `sealed_value_unreadable`. */
export const openEnv = (sealer: Sealer, run: RunScope, stored: string): Record<string, string> =>
  JSON.parse(openText(sealer, sealed.given(run, run.run_id, 'env'), stored)) as Record<string, string>;

/** The files beside a script, as they are stored with its source. The org's keys must be ready. */
export const openFiles = (sealer: Sealer, scope: Scope, digest: string, stored: string | null): IncludedFile[] =>
  stored === null ? [] : (JSON.parse(openText(sealer, sealed.files(scope, digest), stored)) as IncludedFile[]);
