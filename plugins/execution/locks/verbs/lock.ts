import { type RecordedOutcome, verbUsage } from '../../replay/contract.ts';
import {
  toOutcome,
  checkCommand,
  checkText,
  defineVerb,
  requirePositionals,
  readArguments,
  readTimeout,
  runCommand,
  splitCommand,
} from '../../scripts/contract.ts';
import { lockHelp } from '../cli/verbs.ts';
import { MAX_GROUP_LENGTH } from '../domain/group.ts';
import { MAX_HOLDERS } from '../domain/queue-order.ts';

interface LockCall {
  group: string;
  timeout: string | undefined;
  limit: number | undefined;
  fence: boolean;
  /** Without a command the lease is held until the run ends. */
  command: string[] | undefined;
}

/**
 * Implements `svc lock <group> [-- <cmd>]`: holds a lease of the project for the rest of the run, or while a command
 * runs.
 */
export const lockVerb = defineVerb(lockHelp, async (call) => {
  const { group, timeout, limit, fence, command } = parse(call.argv);
  const args = { ...(command && { command: true }), ...(limit !== undefined && limit > 1 && { limit }) };
  const acquired = await call.pass.wait({ kind: 'lock', name: group }, { args, ...readTimeout(call, timeout) });
  const { exit_code, position } = acquired.record;
  if (exit_code === 0 && command !== undefined)
    // A step like any other, except that its record releases the lease in the same transaction.
    return await runCommand(call, { kind: 'lock-step', name: group }, command, { settle: buildStepArgs(position) });
  const outcome = toOutcome(acquired);
  return fence || outcome.exit !== 0 ? outcome : { ...outcome, stdout: Buffer.alloc(0) };
});

/** Returns the arguments of `lock-step` for the lock at this position. */
const buildStepArgs =
  (lock: number) =>
  ({ exit_code, output, message }: RecordedOutcome) => ({
    lock,
    exit_code,
    output: output.toString('base64'),
    message,
  });

function parse(argv: readonly string[]): LockCall {
  const { verb_argv: options, command } = splitCommand(argv);
  const fence = options.includes('--fence');
  const without_fence = options.filter((option) => option !== '--fence');
  const parsed = readArguments(without_fence, ['timeout', 'limit']);
  const [group] = requirePositionals(parsed, ['group']);
  if (command !== undefined) checkCommand(command);
  if (fence && command !== undefined)
    throw verbUsage('--fence cannot be combined with a command, because both print on standard output');
  const { timeout, limit } = parsed.options;
  return {
    group: checkText(group!, 'the name of a group', MAX_GROUP_LENGTH),
    timeout,
    limit: limit === undefined ? undefined : readLimit(limit),
    fence,
    command,
  };
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_HOLDERS) return limit;
  throw verbUsage(`--limit must be a whole number from 1 to ${MAX_HOLDERS}, and not "${text}"`);
}
