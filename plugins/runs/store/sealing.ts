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
  activityOutput: (scope: Scope, activity_id: string) => place(scope, 'runs_activities', activity_id, 'output'),
  signal: (scope: Scope, run_id: string, seq: number) => place(scope, 'runs_signals', `${run_id}/${seq}`, 'payload'),
  log: (scope: Scope, chunk: { activity_id: string; epoch: number; n: number }) =>
    place(scope, 'runs_logs', `${chunk.activity_id}/${chunk.epoch}/${chunk.n}`, 'data'),
};

export const sealJson = (store: { sealer: Sealer }, at: SealedPlace, value: Json): Buffer =>
  store.sealer.seal(at, Buffer.from(JSON.stringify(value ?? null)));
