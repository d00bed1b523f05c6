import type { Database } from '../../../../kernel/contracts/index.ts';
import type { SessionGrants } from '../../access/contract.ts';
import { IDLE_MS } from '../domain/lifetimes.ts';
import { findAlive } from '../store/sessions.ts';

/** Resolves a session, while it is valid, to its person and token for the access plugin. */
export const sessionGrants = (database: Database): SessionGrants => ({
  name: 'sessions',
  async find(session_id) {
    const now = database.now();
    const row = await findAlive(database, session_id, { now, idle_since: now - IDLE_MS });
    return row && { user_id: row.user_id, token_id: row.token_id || undefined };
  },
});
