import type { SealContext, Sealer } from '../../../../../kernel/contracts/index.ts';
import { type IncludedFile, type Json, triggerEventOf } from '../../contract.ts';
import { parseExact } from '../../../../platform/schema/contract.ts';

import { hash } from 'node:crypto';
import { canonicalFiles } from '../../domain/included-files.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

const contextFor = (scope: Scope, table: string, name: string, field: string): SealContext => ({
  org_id: scope.org_id,
  project_id: scope.project_id,
  table,
  kind: 'runs',
  name,
  field,
});

/** What each sealed column of this plugin is bound to. A value that was moved elsewhere does not open. */
export const sealContext = {
  record: (scope: Scope, at: { run_id: string; activity_id: string; position: number }, field: 'output' | 'message') =>
    contextFor(scope, 'runs_journal', `${at.run_id}/${at.activity_id}/${at.position}`, field),
  attempt: (
    scope: Scope,
    at: { run_id: string; activity_id: string; position: number; attempt: number },
    field: 'output' | 'message',
  ) => contextFor(scope, 'runs_attempts', `${at.run_id}/${at.activity_id}/${at.position}/${at.attempt}`, field),
  runOutput: (scope: Scope, run_id: string) => contextFor(scope, 'runs_runs', run_id, 'output'),
  runResult: (scope: Scope, run_id: string) => contextFor(scope, 'runs_runs', run_id, 'result'),
  activitySpec: (scope: Scope, activity_id: string) => contextFor(scope, 'runs_activities', activity_id, 'spec'),
  activityOutput: (scope: Scope, activity_id: string) => contextFor(scope, 'runs_activities', activity_id, 'output'),
  source: (scope: Scope, digest: string) => contextFor(scope, 'runs_sources', digest, 'source'),
  files: (scope: Scope, digest: string) => contextFor(scope, 'runs_sources', digest, 'files'),
  given: (scope: Scope, run_id: string, field: 'envelope' | 'env') => contextFor(scope, 'runs_runs', run_id, field),
  waitArgs: (scope: Scope, at: { run_id: string; activity_id: string; position: number }) =>
    contextFor(scope, 'runs_waits', `${at.run_id}/${at.activity_id}/${at.position}`, 'args'),
  signal: (scope: Scope, run_id: string, seq: number) =>
    contextFor(scope, 'runs_signals', `${run_id}/${seq}`, 'payload'),
  log: (scope: Scope, chunk: { activity_id: string; epoch: number; n: number }) =>
    contextFor(scope, 'runs_logs', `${chunk.activity_id}/${chunk.epoch}/${chunk.n}`, 'data'),
};

export const sealJson = (store: { sealer: Sealer }, at: SealContext, value: Json): Buffer =>
  store.sealer.seal(at, Buffer.from(JSON.stringify(value ?? null)));

/**
 * The first byte of an output that is sealed together with the record of a coordinator. No sealed value begins with it. Runs
 * of older versions, and runs without a record, have an output that is sealed by itself.
 */
const WITH_RECORD = 0x52;
const LENGTH_BYTES = 4;

/** Seals the output of a run, as JSON, and what its coordinator records of the run. The org's keys must be ready. */
export function sealResult(sealer: Sealer, run: RunScope, output_json: Buffer, content: Buffer): Buffer {
  const plaintext = Buffer.allocUnsafe(LENGTH_BYTES + output_json.length + content.length);
  plaintext.writeUInt32BE(output_json.length);
  output_json.copy(plaintext, LENGTH_BYTES);
  content.copy(plaintext, LENGTH_BYTES + output_json.length);
  const blob = sealer.seal(sealContext.runResult(run, run.run_id), plaintext);
  return Buffer.concat([Buffer.of(WITH_RECORD), blob]);
}

export const hasRecord = (stored: Buffer): boolean => stored[0] === WITH_RECORD;

/** Opens the stored output of a run, in either layout. The org's keys must be ready. Throws `sealed_value_unreadable`. */
export function openResult(sealer: Sealer, run: RunScope, stored: Buffer): { output_json: Buffer; record?: Buffer } {
  if (!hasRecord(stored)) return { output_json: sealer.open(sealContext.runOutput(run, run.run_id), stored) };
  const plaintext = sealer.open(sealContext.runResult(run, run.run_id), stored.subarray(1));
  const end = LENGTH_BYTES + plaintext.readUInt32BE();
  return { output_json: plaintext.subarray(LENGTH_BYTES, end), record: plaintext.subarray(end) };
}

/** Marks a sealed text. Rows of older versions hold the text itself, and stay as they are. */
const SEALED_PREFIX = 'sealed:';

/** Seals a text for a column of text. The org's keys must be ready. */
export const sealText = (sealer: Sealer, at: SealContext, text: string): string =>
  SEALED_PREFIX + sealer.seal(at, Buffer.from(text)).toString('base64');

/** Opens what `sealText` has sealed. Answers unsealed texts of older versions as they are. Throws `sealed_value_unreadable`. */
export function openText(sealer: Sealer, at: SealContext, stored: string): string {
  if (!stored.startsWith(SEALED_PREFIX)) return stored;
  return sealer.open(at, Buffer.from(stored.slice(SEALED_PREFIX.length), 'base64')).toString();
}

export const sealSpec = (store: { sealer: Sealer }, scope: Scope, activity_id: string, spec: Json): string =>
  sealText(store.sealer, sealContext.activitySpec(scope, activity_id), JSON.stringify(spec ?? null));

export const openSpec = (store: { sealer: Sealer }, scope: Scope, activity_id: string, stored: string): Json =>
  parseJson(openText(store.sealer, sealContext.activitySpec(scope, activity_id), stored));

type RunScope = Scope & { run_id: string };
type Fields = { [field: string]: Json | undefined };

/** The member of a stored envelope with everything that was given to the run. */
const SEALED_MEMBER = '$sealed';

/**
 * The envelope of a run as it is stored: statements read its type and its reference to an event, and the rest is sealed. The
 * org's keys must be ready.
 */
export function sealEnvelope(sealer: Sealer, run: RunScope, { type, $ref, ...content }: Fields): string {
  const head = { type, $ref };
  if (Object.keys(content).length === 0) return JSON.stringify(head);
  if (isDerived(run, content)) return JSON.stringify({ ...head, ...content });
  const blob = sealer.seal(sealContext.given(run, run.run_id, 'envelope'), Buffer.from(JSON.stringify(content)));
  return JSON.stringify({ ...head, [SEALED_MEMBER]: blob.toString('base64') });
}

/** True when nothing was given to the run: it has no input, and the id of its event follows from its own. */
const isDerived = (run: RunScope, { input, event, ...others }: Fields): boolean =>
  input === null && event === triggerEventOf(run.run_id) && Object.keys(others).length === 0;

/** The org's keys must be ready. Throws `sealed_value_unreadable`. */
export function openEnvelope<E extends Fields>(sealer: Sealer, run: RunScope, stored: E): E {
  const { [SEALED_MEMBER]: blob, ...head } = stored;
  if (typeof blob !== 'string') return stored;
  const content = sealer.open(sealContext.given(run, run.run_id, 'envelope'), Buffer.from(blob, 'base64')).toString();
  return { ...head, ...(parseExact(content) as Fields) } as E;
}

const NO_ENV = '{}';

/** The variables of a run as they are stored. The org's keys must be ready. */
export function sealEnv(sealer: Sealer, run: RunScope, env: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(env);
  return text === NO_ENV ? text : sealText(sealer, sealContext.given(run, run.run_id, 'env'), text);
}

/** The org's keys must be ready. Throws `sealed_value_unreadable`. */
export const openEnv = (sealer: Sealer, run: RunScope, stored: string): Record<string, string> =>
  JSON.parse(openText(sealer, sealContext.given(run, run.run_id, 'env'), stored)) as Record<string, string>;

/** Opens the files that are stored with the source of a script. The org's keys must be ready. */
export const openFiles = (sealer: Sealer, scope: Scope, digest: string, stored: string | null): IncludedFile[] =>
  stored === null ? [] : (JSON.parse(openText(sealer, sealContext.files(scope, digest), stored)) as IncludedFile[]);

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** A key of 40 hexadecimal digits for a text of any length, which databases compare byte by byte. */
export const textKey = (kind: string, text: string): string => sha256(`${kind}\0${text}`).slice(0, 40);

/** Identifies a document within its project: its text, and the files beside it. */
export const sourceDigest = (source: string, files: readonly IncludedFile[] = []): string =>
  files.length === 0 ? sha256(source) : sha256(`files\0${sha256(source)}\0${JSON.stringify(canonicalFiles(files))}`);

/** The value of `runs_runs.key_digest`; keys are compared only by it. */
export const idempotencyDigest = (key: string): string => sha256(`idempotency\0${key}`);

/**
 * The key of the task queue of an org's activities for an executor with requirements, which are sorted and distinct. `mark`
 * keeps queues apart that differ in something else.
 */
export const queueKey = (org_id: string, executor: string, requires: readonly string[], mark?: string): string =>
  `${org_id}:${sha256([executor, ...requires, ...(mark === undefined ? [] : ['', mark])].join('\0')).slice(0, 32)}`;

/** A JSON column. */
export const parseJson = (text: string): Json => parseExact(text) as Json;
