import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help texts of this plugin's verbs for the CLI. */
export const waitAskHelp = {
  verb: 'wait-ask',
  usage: 'svc wait-ask <name> [--timeout <duration>]',
  brief: 'wait for an ask to the run, and print it',
  summary:
    'Suspends the run until the next ask with this name (svc ask <run-id> <name>) and prints {"id":…,"by":…,"payload":…}; exits with 124 after --timeout. Answer it with svc answer.',
  args: [{ name: 'name', summary: 'the name that `svc ask <run-id> <name>` uses; at most 128 characters' }],
  flags: {
    timeout: { type: 'string', value: '<duration>', summary: 'stop waiting after this time (default: never)' },
  },
  exits: [
    ['0', 'the ask is on standard output'],
    ['124', 'nobody asked in time'],
  ],
  recorded:
    'The ask. An ask that was sent earlier is taken immediately; asks are taken in order, and expired asks are skipped.',
  examples: [['ask=$(svc wait-ask price)', 'elsewhere: svc ask <run-id> price']],
} as const satisfies ScriptVerb;

export const answerHelp = {
  verb: 'answer',
  usage: 'svc answer <ask> <json>|-',
  brief: 'answer an ask',
  summary:
    'Answers an ask that svc wait-ask has printed; - reads the answer from standard input. Prints answered, or timed_out if the ask has expired and nobody gets the answer. The run continues in both cases.',
  args: [
    { name: 'ask', summary: 'what svc wait-ask has printed, or only its id' },
    { name: 'json', summary: 'the answer, at most 256 KiB of JSON; - reads standard input' },
  ],
  exits: [
    ['0', 'answered or timed_out is on standard output'],
    ['1', 'the run has no such ask, or it has been answered already'],
    ['2', 'the answer is not JSON'],
  ],
  recorded:
    'The answer and its result, in one transaction. An ask is answered once, no matter how often the script replays.',
  examples: [['svc answer "$ask" \'{"price":12}\'', 'svc ask prints {"price":12}']],
} as const satisfies ScriptVerb;

export const verbs = [waitAskHelp, answerHelp];
