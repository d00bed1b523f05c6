import { type HttpRequest, type Principal, token } from '../../kernel/contracts/index.ts';

/** A browser in which somebody signed in to the console. */
export interface Session {
  session_id: string;
  principal: Principal;
}

/**
 * Sessions of browsers. The cookie says only which browser it is; what its person may do is asked of `kernel.AccessControl`
 * each time, so a token that was revoked ends it.
 */
export interface Sessions {
  /** The session of the request's cookie; undefined when there is none, or it is over. */
  of(request: Pick<HttpRequest, 'headers'>): Promise<Session | undefined>;
}

export const Sessions = token<Sessions>('sessions.Sessions');
