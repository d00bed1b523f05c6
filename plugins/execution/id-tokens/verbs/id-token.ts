import { parseDuration } from '../../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import { defineVerb, readArguments, requirePositionals } from '../../scripts/contract.ts';
import { idTokenHelp } from '../cli/verbs.ts';
import { findAudienceProblem } from '../domain/audience.ts';
import { MAX_LIFETIME_MS, MIN_LIFETIME_MS } from '../domain/limits.ts';

/**
 * Implements `svc id-token --audience <audience>`. It takes no position in the journal, because a record would keep the
 * token and a replay would return one that has expired.
 */
export const idTokenVerb = defineVerb(idTokenHelp, async (call) => {
  const parsed = readArguments(call.argv, ['audience', 'lifetime']);
  requirePositionals(parsed, []);
  const { audience, lifetime } = parsed.options;
  if (audience === undefined) throw verbUsage('--audience is missing');
  const problem = findAudienceProblem(audience);
  if (problem !== undefined) throw verbUsage(`--audience ${problem}`);
  const lifetime_ms = lifetime === undefined ? undefined : parseDuration(lifetime);
  if (lifetime_ms !== undefined && (lifetime_ms < MIN_LIFETIME_MS || lifetime_ms > MAX_LIFETIME_MS))
    throw verbUsage('--lifetime must be 1m to 1h');
  if (!call.tokens) throw verbUsage('this agent cannot request ID tokens');
  const { token } = await call.tokens.issue({ audience, ...(lifetime_ms !== undefined && { lifetime_ms }) });
  return { exit: 0, stdout: Buffer.from(`${token}\n`) };
});
