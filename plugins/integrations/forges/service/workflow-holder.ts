import type { Database } from '../../../../kernel/contracts/index.ts';
import type { EventInlets } from '../../../events/bus/contract.ts';
import type { WorkflowHolder, WorkflowHolderDeps } from '../../../events/workflows/contract.ts';
import { readWorkflows, webhooks } from '../store/webhooks.ts';
import { workflowContext } from './sealed.ts';

/** Lists the webhooks of a project that run a workflow for pushes. */
export const webhookHolder = ({ database, sealer, workflows }: WorkflowHolderDeps): WorkflowHolder => ({
  kind: 'webhook',
  async list(scope, limit) {
    const { items } = await webhooks.page(database, scope, { before: undefined, limit }, (row) => row);
    return items.filter(({ about }) => about !== null).map(({ name, revision }) => ({ name, revision, on: ['push'] }));
  },
  async open(scope, names) {
    const rows = await readWorkflows(database, scope, names);
    await sealer.prepare(scope.org_id);
    return new Map(rows.map((row) => [row.name, workflows.open(workflowContext(row), row.workflow)]));
  },
});

/** A forge delivers what members and strangers do; its rules decide about each event. */
export const webhookInlets = (database: Pick<Database, 'read'>): EventInlets => ({
  name: 'forges',
  async list(scope, limit) {
    const { items } = await webhooks.page(database, scope, { before: undefined, limit }, ({ name, credential }) => ({
      kind: 'webhook',
      name,
      types: ['push', 'forge.*'],
      trusted: true,
      untrusted: true,
      credential: credential ?? undefined,
    }));
    return items;
  },
});
