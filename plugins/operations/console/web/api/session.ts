import type { Whoami } from '../../../../../cli/generated/api.ts';
import { json, Refusal, keepCsrf } from './client.ts';

/** Somebody is signed in, in this browser. */
export interface Session {
  user: string;
  csrf: string;
  expires_at: string;
}

export interface SignInMethods {
  token: boolean;
  oidc?: { title: string; start: string };
}

const SESSION = '/api/v1/session';

/** So many sessions have begun on this page: what was asked before the newest tells of an older one. */
let beginnings = 0;

function begun(session: Session): Session {
  beginnings += 1;
  keepCsrf(session.csrf);
  return session;
}

/** The session that this browser has; null when it has none. */
export async function readSession(): Promise<Session | null> {
  const before = beginnings;
  try {
    const session = await json<Session>(SESSION, { forSession: true });
    // Somebody has signed in meanwhile: this answer would put the former token back.
    if (before === beginnings) keepCsrf(session.csrf);
    return session;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null;
    throw error;
  }
}

/** The token goes to the server once and is kept nowhere. */
export const signInByToken = async (token: string): Promise<Session> =>
  begun(await json<Session>(SESSION, { method: 'POST', headers: { authorization: `Bearer ${token}` } }));

/** `code` is of a one-time link. */
export const signInByCode = async (code: string): Promise<Session> =>
  begun(await json<Session>(`${SESSION}/redeem`, { method: 'POST', body: { code } }));

export const signOut = (everywhere: boolean): Promise<void> =>
  json(everywhere ? `${SESSION}s` : SESSION, { method: 'DELETE' });

export const readMethods = (): Promise<SignInMethods> => json(`${SESSION}/methods`);

export const whoami = (signal?: AbortSignal): Promise<Whoami> => json('/api/v1/whoami', { signal });
