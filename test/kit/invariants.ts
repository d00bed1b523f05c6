import type { Database } from '../../kernel/contracts/index.ts';

/** One promise of a plugin's tables, as a statement that finds what breaks it. */
export interface Invariant {
  id: string;
  says: string;
  /** SELECT of what names a breaking row. */
  finds: string;
}

/** What breaks the invariants, as lines; empty when all hold. At most five for each. */
export async function findBroken(
  database: Pick<Database, 'read'>,
  invariants: readonly Invariant[],
  params: readonly number[] = [],
): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, says, finds } of invariants) {
    const rows = await database.read<Record<string, string | number | null>>(`${finds} LIMIT 5`, params);
    broken.push(...rows.map((row) => `${id} ${says}: ${Object.values(row).join(' ')}`));
  }
  return broken;
}
