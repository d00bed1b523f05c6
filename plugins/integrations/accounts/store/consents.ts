import type { Queries, Scope } from '../../../../kernel/contracts/index.ts';

/** A person who was sent to a provider. */
export interface ConsentRow extends Scope {
  state_digest: string;
  name: string;
  provider: string;
  session_id: string;
  /** Null for one that an earlier version stored. */
  user_id: string | null;
  /** Sealed. */
  verifier: Buffer;
  expires_at: number;
  used_at: number | null;
}

/** Consents are stored for a while after they expire, so that a late or repeated answer gets a precise message. */
const RETENTION_MS = 3_600_000;

export async function insertConsent(tx: Queries, row: Omit<ConsentRow, 'used_at'>): Promise<void> {
  const { state_digest, org_id, org, project_id, project, name, provider, session_id, verifier, expires_at } = row;
  await tx.write(
    `INSERT INTO accounts_consents
       (state_digest, org_id, org, project_id, project, name, provider, session_id, verifier, expires_at, user_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [state_digest, org_id, org, project_id, project, name, provider, session_id, verifier, expires_at, row.user_id],
  );
}

export const removeOldConsents = (tx: Queries, now: number): Promise<number> =>
  tx.write('DELETE FROM accounts_consents WHERE expires_at < ?', [now - RETENTION_MS]);

/** Returns when a person with this many stored consents will have fewer; undefined for a person who has fewer now. */
export async function consentsFullUntil(on: Pick<Queries, 'read'>, user_id: string, max: number) {
  const newest = await on.read<{ expires_at: number }>(
    `SELECT expires_at FROM accounts_consents WHERE user_id = ? ORDER BY expires_at DESC LIMIT ${Math.trunc(max)}`,
    [user_id],
  );
  return newest.length < max ? undefined : Number(newest.at(-1)!.expires_at) + RETENTION_MS;
}

export async function findConsent(on: Pick<Queries, 'read'>, digest: string): Promise<ConsentRow | undefined> {
  const [row] = await on.read<ConsentRow>('SELECT * FROM accounts_consents WHERE state_digest = ?', [digest]);
  return row;
}

/** Uses up a consent. Returns true for exactly one caller. */
export async function useConsent(on: Queries, digest: string, now: number): Promise<boolean> {
  const used = await on.write(
    'UPDATE accounts_consents SET used_at = ? WHERE state_digest = ? AND used_at IS NULL AND expires_at > ?',
    [now, digest, now],
  );
  return used === 1;
}
