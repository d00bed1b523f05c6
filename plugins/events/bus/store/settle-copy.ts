import type { Queries } from '../../../../kernel/contracts/index.ts';

interface LastEvent {
  seq: number;
  event_id: string;
  recorded_at: number;
}

/**
 * On SQLite the events themselves tell how far a bus is and which event of a type was the last. Other databases store
 * that in heads and types; without it, a number would be used twice.
 */
export async function restoreHeads(on: Queries): Promise<void> {
  if (on.sql.family === 'sqlite') return;
  const heads = await on.read<{ project_id: string }>('SELECT project_id FROM bus_heads');
  for (const { project_id } of heads) {
    const [last] = await readLast(on, 'project_id = ?', [project_id]);
    if (last)
      await on.write('UPDATE bus_heads SET last_seq = ?, last_at = ? WHERE project_id = ? AND last_seq < ?', [
        last.seq,
        last.recorded_at,
        project_id,
        last.seq,
      ]);
  }
  const types = await on.read<{ project_id: string; type: string }>('SELECT project_id, type FROM bus_types');
  for (const { project_id, type } of types) {
    const [last] = await readLast(on, 'project_id = ? AND type = ?', [project_id, type]);
    if (last)
      await on.write(
        'UPDATE bus_types SET last_seq = ?, last_event = ?, last_seen = ? WHERE project_id = ? AND type = ? AND last_seq < ?',
        [last.seq, last.event_id, last.recorded_at, project_id, type, last.seq],
      );
  }
}

const readLast = (on: Queries, where: string, params: string[]): Promise<LastEvent[]> =>
  on.read(`SELECT seq, event_id, recorded_at FROM bus_events WHERE ${where} ORDER BY seq DESC LIMIT 1`, params);
