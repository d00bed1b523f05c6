import { randomBytes } from 'node:crypto';
import type { Invocation } from '../command.ts';
import { CliError, Exit } from '../errors.ts';

/** The token of a worker that is killed ends by itself. */
const EXPIRES_IN = '7d';
const AGENT_TOKEN = /^svc_agt_/;

/** An agent token, and what ends it. */
export interface WorkerToken {
  token: string;
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
  output.note(`created the agent token ${name} for this worker, which ends with it or after ${EXPIRES_IN}`);
  return {
    token: made.token,
    async revoke() {
      try {
        await api.json({ method: 'DELETE', path: `/api/v1/tokens/${made.id}` });
      } catch (error) {
        output.note(
          `the agent token ${name} was not revoked: ${(error as Error).message}; it ends after ${EXPIRES_IN}`,
        );
      }
    },
  };
}
