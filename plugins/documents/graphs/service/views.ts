import { iso } from '../../../../kernel/contracts/index.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import type { GraphEntry } from '../generated/graph-entry.ts';
import type { GraphVersion } from '../generated/graph-version.ts';
import type { GraphView } from '../generated/graph-view.ts';
import type { Registered } from '../generated/registered.ts';
import type { GraphRow } from '../store/graphs.ts';
import type { VersionEntry, VersionRow } from '../store/versions.ts';

export const readTriggers = ({ triggers }: Pick<GraphRow, 'triggers'>): Registered[] =>
  JSON.parse(triggers) as Registered[];

export const toEntry = (row: GraphRow): GraphEntry => ({
  name: row.name,
  version_number: row.version_number,
  published_version: row.published_version ?? undefined,
  triggers: row.published_version === null ? undefined : readTriggers(row).map(({ type }) => type),
  title: row.title ?? undefined,
  nodes: row.nodes,
  set_by: row.set_by ?? undefined,
  created_at: iso(row.created_at),
  set_at: iso(row.set_at),
});

export const toView = (row: GraphRow, version: VersionRow, source: string): GraphView => ({
  name: row.name,
  version_number: version.version_number,
  latest_version: row.version_number,
  published_version: row.published_version ?? undefined,
  triggers: row.published_version === null ? undefined : readTriggers(row),
  document: parseExact(source) as GraphView['document'],
  set_by: version.set_by ?? undefined,
  set_at: iso(version.set_at),
});

export const toVersion = (row: GraphRow, entry: VersionEntry): GraphVersion => ({
  version_number: entry.version_number,
  published: row.published_version === entry.version_number,
  set_by: entry.set_by ?? undefined,
  set_at: iso(entry.set_at),
});
