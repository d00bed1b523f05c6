import type { Log } from '../../../../kernel/contracts/index.ts';
import { durationInvalid, isServiceError } from '../../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import type { Verb, VerbOutcome } from '../contract.ts';

export interface Reply {
  [member: string]: unknown;
}

/** The exit codes of a verb that was called wrongly, and of one that the service rejected. */
const USAGE = 2;
const REJECTED = 1;

/** Returns a verb's outcome as a reply to an SDK. */
export function callReply(outcome: VerbOutcome): Reply {
  const { exit, stdout, stderr, kind, message, replayed } = outcome;
  return { exit, stdout: stdout?.toString('base64'), stderr, kind, message, replayed };
}

/** Returns a verb's outcome as a reply on the wire. `log` lets the client omit output that the log already has. */
export function verbReply(outcome: VerbOutcome, log: string): Reply {
  return {
    exit: outcome.exit,
    ...(outcome.stdout === undefined ? {} : { stdout: outcome.stdout.toString('base64'), log }),
    stderr: outcome.stderr,
    replayed: outcome.replayed || undefined,
  };
}

/**
 * Returns the reply to an error of a verb: wrong usage exits with 2, a rejection with 1, and any other error is an
 * internal one.
 */
export function errorReply(verb: Verb | undefined, error: unknown, log: Log): Reply {
  const name = verb === undefined ? 'svc' : `svc ${verb.verb}`;
  if (isServiceError(error, verbUsage.code) || isServiceError(error, durationInvalid.code)) {
    const usage = verb === undefined ? '' : `usage: ${verb.usage}\n`;
    return { exit: USAGE, stderr: `${name}: ${error.message}\n${usage}`, code: error.code };
  }
  if (isServiceError(error))
    return { exit: REJECTED, stderr: `${name}: ${error.message}\n${error.next}\n`, code: error.code };
  log.error(
    { verb: name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'a verb failed',
  );
  return {
    exit: REJECTED,
    stderr: `${name}: the agent failed to run this; its log contains the cause.\n`,
    code: 'internal',
  };
}

/** Returns the reply to a line that is not a request. Both kinds of clients understand it. */
export function protocolErrorReply(error: unknown): Reply {
  const coded = isServiceError(error) ? error : undefined;
  const message = coded?.message ?? 'the request cannot be read';
  const next = coded?.next ?? '';
  return { error: { code: coded?.code ?? 'internal', message, next } };
}
