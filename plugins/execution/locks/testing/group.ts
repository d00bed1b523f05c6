import type { Database } from '../../../../kernel/contracts/index.ts';
import type { GroupView, LeaseScope } from '../contract.ts';
import { listGroups } from '../store/group-views.ts';

/** Returns a held group as `GET /locks` shows it, or undefined if it is free. */
export async function groupOf(
  database: Pick<Database, 'read'>,
  scope: LeaseScope,
  name: string,
  trusted = true,
): Promise<GroupView | undefined> {
  const held = await listGroups(database, scope, { limit: 1000, after: undefined });
  return held.map(({ view }) => view).find((view) => view.group === name && view.trusted === trusted);
}
