import { type SealedPlace, iso } from '../../../kernel/contracts/index.ts';
import type { Workflow } from '../../runs/contract.ts';
import { workflowView } from '../../workflows/contract.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { HandlerEntry, HandlerRow } from '../store/handlers.ts';

/** The sealed place of a handler's workflow. */
export const placeOf = ({
  org_id,
  project_id,
  name,
  revision,
}: Pick<HandlerRow, 'org_id' | 'project_id' | 'name' | 'revision'>): SealedPlace => ({
  org_id,
  project_id,
  table: 'handlers_handlers',
  kind: 'handler',
  name: `${name}/${revision}`,
  field: 'definition',
});

/** The API's form; without the opened workflow, the form of lists. */
export const viewOf = (entry: HandlerEntry, workflow?: Workflow): HandlerView => ({
  name: entry.name,
  on: JSON.parse(entry.patterns) as string[],
  when: entry.predicate ?? undefined,
  ...workflowView(entry.about, workflow),
  set_by: entry.set_by ?? undefined,
  owner: entry.owner ?? undefined,
  created_at: iso(entry.created_at),
  set_at: iso(entry.set_at),
});
