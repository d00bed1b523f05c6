import { type SealContext, iso } from '../../../../kernel/contracts/index.ts';
import type { Workflow } from '../../../engine/runs/contract.ts';
import { type WorkflowSummary, workflowView } from '../../workflows/contract.ts';
import { FLOW_MEMBERS, type FlowOptions } from '../contract/flow-options.ts';
import type { RetryPolicy } from '../domain/retry.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { HandlerEntry, HandlerRow } from '../store/handlers.ts';

/** What lists show of a handler's workflow, and its options. */
export type HandlerSummary = WorkflowSummary & FlowOptions & { retry?: RetryPolicy };

/** Returns the options of a handler; undefined if it has none. */
export function flowOptionsOf(summary: HandlerSummary): FlowOptions | undefined {
  const found = FLOW_MEMBERS.filter((member) => summary[member] !== undefined);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((member) => [member, summary[member]]));
}

/** Where a handler's workflow is sealed to. */
export const sealContext = ({
  org_id,
  project_id,
  name,
  revision,
}: Pick<HandlerRow, 'org_id' | 'project_id' | 'name' | 'revision'>): SealContext => ({
  org_id,
  project_id,
  table: 'handlers_handlers',
  kind: 'handler',
  name: `${name}/${revision}`,
  field: 'definition',
});

/** Renders a handler for the API. Without the opened workflow, it renders the form for lists. */
export const toView = (entry: HandlerEntry, workflow?: Workflow): HandlerView => ({
  name: entry.name,
  on: JSON.parse(entry.patterns) as string[],
  when: entry.predicate ?? undefined,
  ...workflowView(entry.about, workflow),
  ...flowOptionsOf(JSON.parse(entry.about) as HandlerSummary),
  retry: (JSON.parse(entry.about) as HandlerSummary).retry,
  set_by: entry.set_by ?? undefined,
  owner: entry.owner ?? undefined,
  created_at: iso(entry.created_at),
  set_at: iso(entry.set_at),
});
