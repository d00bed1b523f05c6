import type { Log } from '../../../kernel/contracts/index.ts';
import { durationInvalid, isServiceError } from '../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import type { Verb, VerbOutcome } from '../contract.ts';

export interface Reply {
  [member: string]: unknown;
}

/** Exit codes of verbs that were refused. */
const USAGE = 2;
const REFUSED = 1;

/** A verb's answer to an SDK. */
export function callReply(outcome: VerbOutcome): Reply {
  const { exit, stdout, stderr, kind, message, replayed } = outcome;
  return { exit, stdout: stdout?.toString('base64'), stderr, kind, message, replayed };
}

/** A verb's answer on the wire. `log` lets the client omit output that the log already has. */
export function verbReply(outcome: VerbOutcome, log: string): Reply {
  return {
    exit: outcome.exit,
    ...(outcome.stdout === undefined ? {} : { stdout: outcome.stdout.toString('base64'), log }),
    ...(outcome.stderr === undefined ? {} : { stderr: outcome.stderr }),
    ...(outcome.replayed ? { replayed: true } : {}),
  };
}

/**
 * The answer for an error of a verb: wrong usage exits 2, a refusal exits 1, and any other error is a fault of the
 * service.
 */
export function errorReply(verb: Verb | undefined, error: unknown, log: Log): Reply {
  const name = verb === undefined ? 'svc' : `svc ${verb.verb}`;
  if (isServiceError(error, verbUsage.code) || isServiceError(error, durationInvalid.code)) {
    const usage = verb === undefined ? '' : `usage: ${verb.usage}\n`;
    return { exit: USAGE, stderr: `${name}: ${error.message}\n${usage}`, code: error.code };
  }
  if (isServiceError(error))
    return { exit: REFUSED, stderr: `${name}: ${error.message}\n${error.next}\n`, code: error.code };
  log.error(
    { verb: name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'a verb failed',
  );
  return {
    exit: REFUSED,
    stderr: `${name}: the agent failed to carry this out; its log says why.\n`,
    code: 'internal',
  };
}

/** A line that is not a request. Both kinds of clients understand this answer. */
export function faultReply(error: unknown): Reply {
  const coded = isServiceError(error) ? error : undefined;
  const message = coded?.message ?? 'the request cannot be read';
  const next = coded?.next ?? '';
  return { error: { code: coded?.code ?? 'internal', message, next } };
}
