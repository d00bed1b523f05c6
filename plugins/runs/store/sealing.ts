import type { SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { Json } from '../contract.ts';

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
  runOutput: (scope: Scope, run_id: string) => place(scope, 'runs_runs', run_id, 'output'),
  activitySpec: (scope: Scope, activity_id: string) => place(scope, 'runs_activities', activity_id, 'spec'),
  activityOutput: (scope: Scope, activity_id: string) => place(scope, 'runs_activities', activity_id, 'output'),
  signal: (scope: Scope, run_id: string, seq: number) => place(scope, 'runs_signals', `${run_id}/${seq}`, 'payload'),
  log: (scope: Scope, chunk: { activity_id: string; epoch: number; n: number }) =>
    place(scope, 'runs_logs', `${chunk.activity_id}/${chunk.epoch}/${chunk.n}`, 'data'),
};

export const sealJson = (store: { sealer: Sealer }, at: SealedPlace, value: Json): Buffer =>
  store.sealer.seal(at, Buffer.from(JSON.stringify(value ?? null)));

/** Marks a sealed spec. Those of activities that a run begins with are stored as JSON, as its document is. */
const SEALED = 'sealed:';

export const sealSpec = (store: { sealer: Sealer }, scope: Scope, activity_id: string, spec: Json): string =>
  SEALED + sealJson(store, sealed.activitySpec(scope, activity_id), spec).toString('base64');

export function openSpec(store: { sealer: Sealer }, scope: Scope, activity_id: string, stored: string): Json {
  if (!stored.startsWith(SEALED)) return JSON.parse(stored) as Json;
  const blob = Buffer.from(stored.slice(SEALED.length), 'base64');
  return JSON.parse(store.sealer.open(sealed.activitySpec(scope, activity_id), blob).toString()) as Json;
}
