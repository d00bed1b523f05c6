import type { SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { Definition } from '../domain/document.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { HandlerEntry, HandlerRow } from '../store/handler-table.ts';

/** What lists show of a definition, and what decides without opening it. */
export type About = Pick<
  Definition,
  'filename' | 'graph' | 'node' | 'tags' | 'requires' | 'credentials' | 'cancel_on'
> & {
  /** As the engine has found it. */
  kind: string;
};

const placeOf = ({ org_id, project_id }: ProjectScope, name: string, revision: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'handlers_handlers',
  kind: 'handler',
  name: `${name}/${revision}`,
  field: 'definition',
});

/** The org's keys must be ready. */
export const sealDefinition = (
  sealer: Sealer,
  scope: ProjectScope,
  { name, revision }: { name: string; revision: string },
  definition: Definition,
): Buffer => sealer.seal(placeOf(scope, name, revision), Buffer.from(JSON.stringify(definition)));

/** The org's keys must be ready. */
export const openDefinition = (sealer: Sealer, row: HandlerRow): Definition =>
  JSON.parse(sealer.open(placeOf(row, row.name, row.revision), row.definition).toString()) as Definition;

export function aboutOf(definition: Definition, kind: string): About {
  const { filename, graph, node, tags, requires, credentials, cancel_on } = definition;
  return { kind, filename, graph, node, tags, requires, credentials, cancel_on };
}

const iso = (at: number): string => new Date(Number(at)).toISOString();

/** As the API shows it; without a definition, what lists show. */
export function viewOf(entry: HandlerEntry, definition?: Definition): HandlerView {
  const about = JSON.parse(entry.about) as About;
  return {
    name: entry.name,
    on: JSON.parse(entry.patterns) as string[],
    ...(entry.predicate === null ? {} : { when: entry.predicate }),
    ...definition,
    ...about,
    ...(entry.set_by === null ? {} : { set_by: entry.set_by }),
    created_at: iso(entry.created_at),
    set_at: iso(entry.set_at),
  };
}
