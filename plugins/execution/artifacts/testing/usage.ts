import type { Invariant } from '../../../../test/kit/index.ts';

const files = (run: string) => `(SELECT COALESCE(SUM(f.size), 0) FROM artifacts_files f WHERE f.run_id = ${run})`;
const staged = (run: string) => `(SELECT COALESCE(SUM(u.stored), 0) FROM artifacts_uploads u WHERE u.run_id = ${run})`;

const leaving = (run: string) => `(SELECT COALESCE(SUM(r.bytes), 0) FROM artifacts_removals r WHERE r.run_id = ${run})`;

/** Verifies that what is counted of artifacts is what is stored. */
export const USAGE: readonly Invariant[] = [
  {
    id: 'usage',
    says: 'the bytes of a run are those of its artifacts, of its uploads, and of what leaves',
    finds: `SELECT c.run_id, '' AS activity_id, c.bytes AS place FROM artifacts_run_usage c
      WHERE c.bytes <> ${files('c.run_id')} OR c.staged <> ${staged('c.run_id')}
        OR c.leaving <> ${leaving('c.run_id')}`,
  },
  {
    id: 'usage',
    says: 'a run with artifacts is counted',
    finds: `SELECT f.run_id, '' AS activity_id, COUNT(*) AS place FROM artifacts_files f
      LEFT JOIN artifacts_run_usage c ON c.run_id = f.run_id WHERE c.run_id IS NULL GROUP BY f.run_id`,
  },
  {
    id: 'usage',
    says: 'the bytes of a project are those of its runs',
    finds: `SELECT p.project_id AS run_id, '' AS activity_id, SUM(p.bytes) AS place FROM artifacts_project_usage p
      GROUP BY p.project_id, p.untrusted HAVING SUM(p.bytes) <> (SELECT COALESCE(SUM(c.bytes), 0)
        FROM artifacts_run_usage c WHERE c.project_id = p.project_id AND c.untrusted = p.untrusted)`,
  },
  {
    id: 'usage',
    says: 'what leaves a project is what is noted of its runs, of those that are gone too',
    finds: `SELECT p.project_id AS run_id, '' AS activity_id, SUM(p.leaving) AS place FROM artifacts_project_usage p
      GROUP BY p.project_id, p.untrusted HAVING SUM(p.leaving) <> (SELECT COALESCE(SUM(r.bytes), 0)
        FROM artifacts_removals r WHERE r.project_id = p.project_id AND r.untrusted = p.untrusted)`,
  },
];
