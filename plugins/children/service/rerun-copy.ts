import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { Activities, CopiedPrefix, RecordedSite, RerunPart } from '../../runs/contract.ts';
import { type Child, childrenOf, insertChild } from '../store/rows.ts';

/**
 * Children that were submitted before the site of a rerun. An ended child is copied with its outcome; any other is
 * submitted again.
 */
export const copyChildren = (activities: () => Activities, now: () => number): RerunPart => ({
  name: 'children',
  async copy(tx, prefix) {
    const children = await childrenOf(tx, prefix.from.activity_id);
    for (const child of children)
      if (child.position < prefix.records.length) await copyChild(tx, activities(), prefix, child, now());
  },
});

async function copyChild(
  tx: Transaction,
  activities: Activities,
  prefix: CopiedPrefix,
  child: Child,
  now: number,
): Promise<void> {
  const { org_id, project_id, from, to } = prefix;
  const activity_id = await activities.copy(tx, {
    from: { org_id, project_id, run_id: from.run_id },
    to: { org_id, project_id, run_id: to.run_id },
    activity_id: child.activity_id,
    parent: to.activity_id,
  });
  const { name, position, exit_code } = child;
  const reported_at = wasReported(prefix.records, child) ? now : null;
  await insertChild(tx, {
    parent_id: to.activity_id,
    run_id: to.run_id,
    activity_id,
    name,
    position,
    exit_code,
    reported_at,
  });
}

/** True when one of these records reports the child's outcome. */
function wasReported(records: readonly RecordedSite[], child: Child): boolean {
  return records.some(
    ({ position, kind, name }) =>
      (position === child.position && kind === 'activity') ||
      (position > child.position && kind === 'activity-collect' && name === child.name) ||
      (position > child.position && kind === 'activity-wait-all'),
  );
}
