import { OPERATOR } from '../../../platform/audit/contract.ts';
import type { AgentServer, IssuedToken, TokenSource } from '../../agents/contract.ts';
import type { Issuer } from '../service/issuer.ts';

/** Gets tokens for an agent in the process of its server, without a wire. */
export const inProcessTokens = (issuer: () => Issuer): TokenSource => ({
  tokens: ({ claim }) => ({ issue: (request) => issuer().issue({ claim, by: OPERATOR }, request) }),
});

/** Gets tokens for an agent elsewhere: one request under the claim for each. */
export const httpTokens = (server: () => AgentServer): TokenSource => ({
  tokens: ({ claim, signal }) => ({
    async issue(request) {
      const { json } = await server().send({
        method: 'POST',
        path: `/api/v1/agents/activities/${claim.activity_id}/id-tokens?epoch=${claim.epoch}`,
        headers: { 'content-type': 'application/json' },
        content: once(JSON.stringify(request)),
        signal,
      });
      return json as IssuedToken;
    },
  }),
});

async function* once(text: string): AsyncGenerator<Buffer, void> {
  yield Buffer.from(text);
}
