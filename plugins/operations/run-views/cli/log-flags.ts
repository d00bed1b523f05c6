import type { Flags } from '../../../../cli/contract.ts';

export const LOGS = `A program starts again for each pass, so its log contains the lines of every pass. With --json, each line is an object:
time (at), stream, pass, site (the program's last durable call), activity if several nodes
write, and text. Ctrl-C stops following; the run continues.`;

export const LOG_FLAGS = {
  follow: { type: 'boolean', short: 'f', summary: 'follow the log until the run ends' },
  timestamps: { type: 'boolean', short: 't', summary: 'start each line with its time' },
  tail: {
    type: 'number',
    most: 999_999,
    value: '<n>',
    summary: 'the last n lines (with --grep, of the matching lines; with --follow, of all lines)',
  },
  step: {
    type: 'string',
    value: '<name>',
    summary: 'only the lines from this call to the next, or the lines of this activity, node or job',
  },
  pass: { type: 'string', value: 'last|all|<n>', summary: 'only this pass (default: all)' },
  grep: { type: 'string', value: '<text>', summary: 'only lines that contain this text' },
  'exit-status': { type: 'boolean', summary: 'with --follow: exit with 1 if the run does not succeed' },
} as const satisfies Flags;
