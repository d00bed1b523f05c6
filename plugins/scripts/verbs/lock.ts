import { siteOf } from '../../runs/contract.ts';
import type { OpenSite, RecordedOutcome, VerbCall, VerbOutcome } from '../contract.ts';
import { checkText, STEP_OUTPUT_BYTES, stepOutcome } from '../domain/step.ts';
import { verbUsage } from '../errors.ts';
import { answer } from './answer.ts';
import { exactly, readArguments, readTimeout } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

const LONGEST_GROUP = 255;

interface LockCall {
  group: string;
  timeout: string | undefined;
  fence: boolean;
  /** Without one the lease is held until the run is over. */
  command: string[] | undefined;
}

/** `svc lock <group> [-- <cmd>]`: a lease of the project, for the rest of the run or while a command runs. */
export const lockVerb = defineVerb({
  verb: 'lock',
  summary:
    'Acquires the lease of a group, in the order in which it was asked for: until the run ends, or while a command runs. Exits 124 after --timeout; --fence prints the number of the grant, which only ever rises.',
  usage: 'svc lock <group> [--timeout <duration>] [--fence] [-- <command> [<argument>…]]',
  async run(call) {
    const lock = parse(call.argv);
    const { timeout, command } = lock;
    const args = command === undefined ? {} : { command: true };
    const wait = { args, ...readTimeout(call, timeout) };
    const acquired = await call.pass.wait({ kind: 'lock', name: lock.group }, wait);
    if (acquired.record.exit_code === 0 && command !== undefined)
      return runHolding(call, lock.group, command, acquired.record.position);
    const outcome = answer(acquired);
    return lock.fence || outcome.exit !== 0 ? outcome : { ...outcome, stdout: Buffer.alloc(0) };
  },
});

/** A step like any other, but that its record releases the lease in the same transaction. */
async function runHolding(call: VerbCall, group: string, command: string[], lock: number): Promise<VerbOutcome> {
  const site = { kind: 'lock-step', name: group };
  const run = async ({ key, ordinal }: OpenSite): Promise<RecordedOutcome> => {
    const result = await call.exec(command, key, STEP_OUTPUT_BYTES);
    return stepOutcome(siteOf({ ...site, ordinal }), result);
  };
  const settle = ({ exit_code, output, message }: RecordedOutcome) => ({
    lock,
    exit_code,
    output: output.toString('base64'),
    ...(message === undefined ? {} : { message }),
  });
  const answered = await call.pass.durable(site, run, settle);
  const outcome = answer(answered);
  // The client has captured what it ran, and echoes it itself; refused output is not echoed.
  return answered.replayed ? outcome : { ...outcome, stdout: undefined };
}

function parse(argv: readonly string[]): LockCall {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  const fence = own.includes('--fence');
  const given = readArguments(
    own.filter((one) => one !== '--fence'),
    ['timeout'],
  );
  const [group] = exactly(given, ['group']);
  const command = dashes < 0 ? undefined : argv.slice(dashes + 1);
  if (command !== undefined && (command.length === 0 || command[0] === ''))
    throw verbUsage('there is no command after --');
  if (fence && command !== undefined)
    throw verbUsage('--fence is for a lock without a command, whose output it would join');
  const { timeout } = given.options;
  return {
    group: checkText(group!, 'the name of a group', LONGEST_GROUP),
    timeout,
    fence,
    command,
  };
}
