import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help texts of this plugin's verbs for the CLI. */
export const lockHelp = {
  verb: 'lock',
  usage: 'svc lock <group> [--limit <n>] [--timeout <duration>] [--fence] [-- <command> [<argument>…]]',
  brief: 'let only one run proceed at a time',
  summary:
    "Acquires a group's lease, first come, first served, and holds it until the run ends or while a command runs. Exits with 124 after --timeout; --fence prints the grant's number, which increases with every grant.",
  args: [
    { name: 'group', summary: 'the name of the lease, which the runs of a project share' },
    {
      name: 'command',
      optional: true,
      summary: 'hold the lease while this command runs, as a recorded step; without a command, until the run ends',
    },
  ],
  flags: {
    limit: {
      type: 'string',
      value: '<n>',
      summary:
        "let up to this many runs hold the lease at once (default: 1); if the holders' limits differ, the lowest one applies",
    },
    timeout: { type: 'string', value: '<duration>', summary: 'leave the queue after this time (default: never)' },
    fence: { type: 'boolean', summary: "print the grant's number; not with a command" },
  },
  exits: [
    ['0', 'the lease is acquired'],
    ["the command's code", 'if there is one'],
    ['124', 'it timed out'],
  ],
  recorded:
    'The grant and its number. With a command, also its exit code and output; the record and the release are one transaction.',
  examples: [
    ['svc lock deploy', 'held until this run ends'],
    ['svc lock deploy --timeout 10m -- ./release.sh', 'held while the command runs'],
    ['svc lock crawl --limit 3 -- ./fetch.sh', 'at most three at a time'],
  ],
} as const satisfies ScriptVerb;

export const verbs = [lockHelp];
