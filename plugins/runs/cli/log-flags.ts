import type { Flags } from '../../../cli/contract.ts';

export const LOGS = `A program is started again for each pass, so its log has the lines of each. With --json each line is an object:
time (at), stream, pass, site (the durable call that the program had made last), activity where several nodes
write, and text. Ctrl-C ends the following and not the run.`;

export const LOG_FLAGS = {
  follow: { type: 'boolean', short: 'f', summary: 'follow the log until the run ends' },
  timestamps: { type: 'boolean', short: 't', summary: 'begin each line with its time' },
  tail: {
    type: 'number',
    most: 999_999,
    value: '<n>',
    summary: 'the last n lines (of those with --grep; of all when followed)',
  },
  step: {
    type: 'string',
    value: '<name>',
    summary: 'from the beginning of this call to that of the next one, or what this activity, node or job printed',
  },
  pass: { type: 'string', value: 'last|all|<n>', summary: 'this pass alone (default: all)' },
  grep: { type: 'string', value: '<text>', summary: 'lines with this text' },
  'exit-status': { type: 'boolean', summary: 'with --follow: exit with 1 when the run does not succeed' },
} as const satisfies Flags;
