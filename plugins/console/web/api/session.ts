import type { Whoami } from '../../../../cli/generated/api.ts';
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

function begun(session: Session): Session {
  keepCsrf(session.csrf);
  return session;
}

/** The session that this browser has; null when it has none. */
export async function readSession(): Promise<Session | null> {
  try {
    return begun(await json<Session>(SESSION, { forSession: true }));
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
