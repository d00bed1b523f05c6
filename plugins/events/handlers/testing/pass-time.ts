import type { World } from './world.ts';

const TIMES = {
  handlers_gates: ['due_at', 'opened_at'],
  handlers_passes: ['passed_at', 'expires_at'],
  handlers_retries: ['due_at'],
} as const;

/** Moves the times at which deliveries and retries may start back, as if this long had passed. */
export async function passTime({ database, scope }: Pick<World, 'database' | 'scope'>, ms: number): Promise<void> {
  await database.transaction(async (tx) => {
    for (const [table, columns] of Object.entries(TIMES))
      await tx.write(
        `UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} - ?`).join(', ')} WHERE project_id = ?`,
        [...columns.map(() => ms), scope.project_id],
      );
  });
}
