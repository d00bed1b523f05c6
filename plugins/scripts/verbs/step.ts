import { checkStepName, checkText, LONGEST_LABEL, STEP_OUTPUT_BYTES, stepOutcome } from '../domain/step.ts';
import { siteOf } from '../../runs/contract.ts';
import { verbUsage } from '../errors.ts';
import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

/** `svc step <name> [--label <text>] -- <cmd>`: runs a command once, however often the script is run. */
export const stepVerb = defineVerb({
  verb: 'step',
  summary: 'Runs a command once and records its output and exit code; every later pass is answered from the record.',
  usage: 'svc step <name> [--label <text>] -- <command> [<argument>…]',
  async run(call) {
    const { name, label, command } = parse(call.argv);
    const kind = 'step';
    const site = { kind, name, ...(label === undefined ? {} : { label }) };
    const answered = await call.pass.durable(site, async ({ key, ordinal }) => {
      const result = await call.exec(command, key, STEP_OUTPUT_BYTES);
      return stepOutcome(siteOf({ kind, name, ordinal }), result);
    });
    const outcome = answer(answered);
    // The client has captured what it ran, and echoes it itself; refused output is not echoed.
    return answered.replayed ? outcome : { ...outcome, stdout: undefined };
  },
});

function parse(argv: readonly string[]): { name: string; label: string | undefined; command: string[] } {
  const dashes = argv.indexOf('--');
  const given = readArguments(dashes < 0 ? argv : argv.slice(0, dashes), ['label']);
  if (dashes < 0) throw verbUsage('the command is missing: write it after --');
  const [name] = exactly(given, ['name']);
  const command = argv.slice(dashes + 1);
  if (command.length === 0 || command[0] === '') throw verbUsage('there is no command after --');
  const { label } = given.options;
  if (label !== undefined) checkText(label, 'the label of a step', LONGEST_LABEL);
  return { name: checkStepName(name!), label, command };
}
