import type { Queries, SealContext, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { NewKey, PublicKey } from '../domain/jwt.ts';

export interface StoredKey {
  key_id: string;
  /** Epoch ms from which it signs, until the next key does. */
  signs_from: number;
  jwk: PublicKey;
}

/** The keys belong to the service, not to an org: they are sealed with a key of their own. */
export const KEY_OWNER = 'id-tokens';

const sealContext = (key_id: string): SealContext => ({
  org_id: KEY_OWNER,
  project_id: '',
  table: 'id_tokens_keys',
  kind: 'id_token_key',
  name: key_id,
  field: 'private_key',
});

/** Rotations on all servers happen one after the other. */
export async function lockRotation(tx: Transaction): Promise<void> {
  await tx.write(`${tx.sql.insert_ignore} id_tokens_rotations (slot) VALUES ('keys')`);
  const row = { columns: 'slot', where: 'slot = ?', params: ['keys'] };
  await tx.lock({ table: 'id_tokens_rotations', key: ['slot'], ...row });
}

/** The oldest first. */
export async function readKeys(on: Pick<Queries, 'read'>): Promise<StoredKey[]> {
  const rows = await on.read<Omit<StoredKey, 'jwk'> & { jwk: string }>(
    'SELECT key_id, signs_from, jwk FROM id_tokens_keys ORDER BY signs_from, key_id',
  );
  return rows.map(({ jwk, ...key }) => ({ ...key, jwk: JSON.parse(jwk) as PublicKey }));
}

/** PKCS #8. The keys of `KEY_OWNER` must be ready. */
export async function readPrivateKey(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  key_id: string,
): Promise<Buffer | undefined> {
  const [row] = await on.read<{ private_key: Buffer }>('SELECT private_key FROM id_tokens_keys WHERE key_id = ?', [
    key_id,
  ]);
  return row && sealer.open(sealContext(key_id), row.private_key);
}

/** The keys of `KEY_OWNER` must be ready. */
export async function insertKey(
  tx: Transaction,
  sealer: Sealer,
  { jwk, private_key }: NewKey,
  { now, signs_from }: { now: number; signs_from: number },
): Promise<void> {
  await tx.write(
    'INSERT INTO id_tokens_keys (key_id, created_at, signs_from, jwk, private_key) VALUES (?, ?, ?, ?, ?)',
    [jwk.kid, now, signs_from, JSON.stringify(jwk), sealer.seal(sealContext(jwk.kid), private_key)],
  );
}

export async function deleteKey(tx: Transaction, key_id: string): Promise<void> {
  await tx.write('DELETE FROM id_tokens_keys WHERE key_id = ?', [key_id]);
}
