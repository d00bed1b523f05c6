import type { WorkflowHolder, WorkflowHolderDeps, WorkflowSummary } from '../../workflows/contract.ts';
import { listDefinitions, readHandlers } from '../store/handlers.ts';
import { sealContext } from './definitions.ts';

/** Lists the handlers of a project with the events that start them. */
export const handlerHolder = ({ database, sealer, workflows }: WorkflowHolderDeps): WorkflowHolder => ({
  kind: 'handler',
  async list(scope, limit) {
    const rows = await listDefinitions(database, scope, limit);
    return rows.map(({ name, revision, patterns, predicate, about }) => ({
      name,
      revision,
      on: JSON.parse(patterns) as string[],
      ...(predicate !== null && { when: predicate }),
      rejects_untrusted: Object.keys((JSON.parse(about) as WorkflowSummary).credentials ?? {}).length > 0,
    }));
  },
  async open(scope, names) {
    const rows = await readHandlers(database, scope, names);
    await sealer.prepare(scope.org_id);
    return new Map([...rows].map(([name, row]) => [name, workflows.open(sealContext(row), row.definition)]));
  },
});
