import { iso } from '../../../../kernel/contracts/index.ts';
import type { BrowserSession } from '../generated/browser-session.ts';
import type { SessionView } from '../generated/session.ts';
import type { SessionRow } from '../store/sessions.ts';
import { IDLE_MS } from './lifetimes.ts';

export const sessionView = ({ user_name, expires_at }: SessionRow, csrf: string): SessionView => ({
  user: user_name,
  csrf,
  expires_at: iso(expires_at),
  idle_ms: IDLE_MS,
});

export const listedView = (row: SessionRow, current: string | undefined): BrowserSession => ({
  id: row.session_id,
  browser: row.browser,
  signed_in_by: row.signed_in_by,
  begun_at: iso(row.created_at),
  last_seen_at: iso(row.last_seen_at),
  expires_at: iso(row.expires_at),
  current: row.session_id === current,
});
