import { type Database, Errors, type Transaction } from '../../../../kernel/contracts/index.ts';
import {
  type Activities,
  type CopiedPrefix,
  type RecordedSite,
  type RerunPart,
  siteOf,
} from '../../../engine/runs/contract.ts';
import { type Child, readChildren, insertChild } from '../store/rows.ts';

/**
 * Copies the children that were submitted before the site of a rerun: an ended child with its outcome, while any
 * other is submitted again.
 */
export const copyChildren = (
  activities: () => Activities,
  database: () => Pick<Database, 'read' | 'now'>,
): RerunPart => ({
  name: 'children',
  /**
   * Rejects a site after a child of a job that had not ended: it would be submitted before its job begins, and
   * perhaps without the lock that the job waits for.
   */
  async check({ job, from, records }) {
    const children = job === undefined ? [] : await readChildren(database(), from.activity_id);
    const unfinished = children.find(({ position, exit_code }) => position < records.length && exit_code === null);
    if (!unfinished) return;
    const { kind, name, ordinal } = records[unfinished.position]!;
    const site = `${job}/${kind} ${siteOf({ kind, name, ordinal })}`;
    const message = `comes after ${site}, whose child had not ended; start there`;
    throw Errors.invalidRequest(
      `the child ${unfinished.name} of the job ${job} had not ended; start with it: --from '${site}'`,
      {
        errors: [{ pointer: '/from', message }],
      },
    );
  },
  async copy(tx, prefix) {
    const children = await readChildren(tx, prefix.from.activity_id);
    for (const child of children)
      if (child.position < prefix.records.length) await copyChild(tx, activities(), prefix, child, database().now());
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

/** Returns true when one of these records reports the child's outcome. */
function wasReported(records: readonly RecordedSite[], child: Child): boolean {
  return records.some(
    ({ position, kind, name }) =>
      (position === child.position && kind === 'activity') ||
      (position > child.position && kind === 'activity-collect' && name === child.name) ||
      (position > child.position && kind === 'activity-wait-all'),
  );
}
