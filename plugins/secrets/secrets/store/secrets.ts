import type { Database, Queries } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../../platform/resources/contract.ts';
import { SECRET } from '../domain/rules.ts';

export interface SecretRow extends NamedRow {
  secret_id: string;
  /** Sealed. */
  value: Buffer;
  /** JSON of the reference of a value in a secret store; `value` is empty then. */
  source: string | null;
  value_bytes: number;
  /** Epoch ms by the database's clock. */
  set_at: number;
}

export const secrets = new NamedTable<SecretRow, Pick<SecretRow, 'secret_id' | 'name' | 'set_at' | 'source'>>({
  ...SECRET,
  table: 'secrets_secrets',
  id: 'secret_id',
  replaced: ['value', 'value_bytes', 'set_at', 'source'],
  listed: ['secret_id', 'name', 'set_at', 'source'],
});

/** Returns all secrets of a project, sealed and sorted by name. Every job needs them, and they seldom change. */
export function sealedSecrets(
  on: Pick<Database, 'read' | 'cached'>,
  { org_id, project_id }: ProjectScope,
): Promise<readonly SecretRow[]> {
  const load = () =>
    on.read<SecretRow>(
      `SELECT ${secrets.columns} FROM secrets_secrets WHERE project_id = ? AND org_id = ? ORDER BY name`,
      [project_id, org_id],
    );
  return on.cached(`secrets ${org_id} ${project_id}`, ['secrets_secrets'], load, bytesOf);
}

/** What a row takes besides its value. */
const ROW_BYTES = 512;

const bytesOf = (rows: readonly SecretRow[]): number =>
  rows.reduce((bytes, { value, source }) => bytes + value.length + (source?.length ?? 0) + ROW_BYTES, ROW_BYTES);

/** Returns how many secrets a project has, how many of them are in secret stores, and the total bytes of the others. */
export async function sizeOf(
  on: Queries,
  scope: ProjectScope,
): Promise<{ count: number; elsewhere: number; bytes: number }> {
  const [row] = await on.read<{ many: number; elsewhere: number; bytes: number | string | null }>(
    'SELECT COUNT(*) AS many, COUNT(source) AS elsewhere, SUM(value_bytes) AS bytes FROM secrets_secrets WHERE project_id = ? AND org_id = ?',
    [scope.project_id, scope.org_id],
  );
  // MySQL answers a sum as a decimal, which is a text.
  return { count: Number(row!.many), elsewhere: Number(row!.elsewhere), bytes: Number(row!.bytes ?? 0) };
}
