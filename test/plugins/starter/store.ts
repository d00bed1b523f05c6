import type { Queries } from 'svc/plugin';

/** Counts one more, and answers how many there are now. */
export async function countOne(on: Queries, project_id: string, name: string): Promise<number> {
  const place = [project_id, name];
  const known = await on.write(
    'UPDATE starter_counts SET counted = counted + 1 WHERE project_id = ? AND name = ?',
    place,
  );
  if (known === 0) await on.write('INSERT INTO starter_counts (project_id, name, counted) VALUES (?, ?, 1)', place);
  return countOf(on, project_id, name);
}

/** How many a project has; 0 when nothing was counted. */
export async function countOf(on: Pick<Queries, 'read'>, project_id: string, name: string): Promise<number> {
  const [row] = await on.read<{ counted: number }>(
    'SELECT counted FROM starter_counts WHERE project_id = ? AND name = ?',
    [project_id, name],
  );
  return Number(row?.counted ?? 0);
}
