import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/boot/index.ts';
import type { Invocation } from '../command.ts';
import { CliError, Exit } from '../errors.ts';

/** The token of a worker that is killed ends by itself. */
const EXPIRES_IN = '7d';
/** A worker that lives renews its token this often, and this soon after a failure. */
const RENEWAL_MS = 24 * 3_600_000;
const RETRY_MS = 3_600_000;
const AGENT_TOKEN = /^svc_agt_/;

/** An agent token, and what ends it. */
export interface WorkerToken {
  token: string;
  /** Renews the token until it is revoked, so that the worker keeps its connection and its runs. */
  renewUntilRevoked(clock: Pick<Clock, 'after'>): void;
  revoke(): Promise<void>;
}

/**
 * Creates an agent token for this worker with the profile of the user, unless the environment already has one, `stored_token`.
 * Throws `agent_token_missing`, with the command to run, for a user who may not create one.
 */
export async function createWorkerToken(
  { client, output }: Pick<Invocation, 'client' | 'output'>,
  stored_token: string | undefined,
  files: readonly string[],
): Promise<WorkerToken | undefined> {
  if (stored_token !== undefined && AGENT_TOKEN.test(stored_token)) return undefined;
  const api = await client();
  const { org, project } = api.profile;
  const name = `worker-${randomBytes(4).toString('hex')}`;
  const body = { name, kind: 'agent', org: org || undefined, project: project || undefined, expires_in: EXPIRES_IN };
  let made: { id: string; token: string };
  try {
    made = await api.json({ method: 'POST', path: '/api/v1/tokens', body, expects: ['id', 'token'] });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'forbidden') throw error;
    const serve =
      files.length === 0
        ? 'serve({ tokenFile: "agent.token" })'
        : `svc worker ${files.join(' ')} --token-file agent.token`;
    throw new CliError(
      Exit.failed,
      'agent_token_missing',
      `a worker needs an agent token, which only an owner of ${org || 'the org'} can create`,
      `an owner runs: svc token create worker --agent${org === '' ? '' : ` --org ${org}`} > agent.token; then: ${serve}`,
    );
  }
  output.note(
    `created the agent token ${name} for this worker; it is revoked when the worker ends, and expires ${EXPIRES_IN} after its last renewal`,
  );
  let has_ended = false;
  let cancel = () => {};
  const schedule = (clock: Pick<Clock, 'after'>, delay_ms: number) => {
    if (has_ended) return;
    cancel = clock.after(delay_ms, () => void renew(clock), { unref: true });
  };
  /** What a server that is away, or a user who may do this no longer, means for the worker is said, and tried again. */
  const renew = async (clock: Pick<Clock, 'after'>) => {
    let delay_ms = RENEWAL_MS;
    try {
      const path = `/api/v1/tokens/${made.id}/renew`;
      await api.json<object>({ method: 'POST', path, body: { expires_in: EXPIRES_IN }, expects: ['id'] });
    } catch (error) {
      delay_ms = RETRY_MS;
      output.note(
        `the agent token ${name} was not renewed: ${(error as Error).message}; it expires ${EXPIRES_IN} after its last renewal`,
      );
    }
    schedule(clock, delay_ms);
  };
  return {
    token: made.token,
    renewUntilRevoked: (clock) => schedule(clock, RENEWAL_MS),
    async revoke() {
      has_ended = true;
      cancel();
      try {
        await api.json({ method: 'DELETE', path: `/api/v1/tokens/${made.id}` });
      } catch (error) {
        output.note(
          `the agent token ${name} was not revoked: ${(error as Error).message}; it expires after ${EXPIRES_IN}`,
        );
      }
    },
  };
}
