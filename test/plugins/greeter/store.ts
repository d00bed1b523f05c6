import type { Queries } from 'svc/plugin';

/** Counts one greeting more. */
export async function countGreeting(on: Queries, project_id: string, name: string): Promise<void> {
  const known = await on.write('UPDATE greeter_greetings SET greeted = greeted + 1 WHERE project_id = ? AND name = ?', [
    project_id,
    name,
  ]);
  if (known === 0)
    await on.write('INSERT INTO greeter_greetings (project_id, name, greeted) VALUES (?, ?, 1)', [project_id, name]);
}

/** How often somebody was greeted by the project's runs. */
export async function greetingsOf(on: Pick<Queries, 'read'>, project_id: string, name: string): Promise<number> {
  const [row] = await on.read<{ greeted: number }>(
    'SELECT greeted FROM greeter_greetings WHERE project_id = ? AND name = ?',
    [project_id, name],
  );
  return Number(row?.greeted ?? 0);
}
