import type { EventInlets } from '../../bus/contract.ts';
import type { WorkflowHolder, WorkflowHolderDeps } from '../../workflows/contract.ts';
import { listWithWorkflow, readWorkflows } from '../store/schedules.ts';
import { sealContext } from './workflow.ts';

/** Lists the schedules of a project that run a workflow. */
export const scheduleHolder = ({ database, sealer, workflows }: WorkflowHolderDeps): WorkflowHolder => ({
  kind: 'schedule',
  list: async (scope, limit) =>
    (await listWithWorkflow(database, scope, limit)).map(({ name, revision }) => ({ name, revision })),
  async open(scope, names) {
    const rows = await readWorkflows(database, scope, names);
    await sealer.prepare(scope.org_id);
    return new Map(
      rows.map(({ name, revision, workflow }) => [name, workflows.open(sealContext(scope, name, revision), workflow)]),
    );
  },
});

/** Every schedule records the same type, whether or not it runs a workflow. */
export const scheduleInlets: EventInlets = {
  name: 'schedules',
  list: async () => [
    { kind: 'schedule', name: 'any schedule', types: ['schedule.tick'], trusted: true, untrusted: false },
  ],
};
