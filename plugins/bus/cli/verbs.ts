/** The verbs of this plugin, as the command line explains them. */
export const waitEventHelp = {
  verb: 'wait-event',
  usage: 'svc wait-event <type> [--timeout <duration>] [--untrusted]',
  summary:
    'Suspends the run until the next event of that type and prints its envelope as JSON; exits 124 after --timeout. Earlier events do not count. In a trusted run, only --untrusted also takes events that untrusted runs emit.',
};

export const emitHelp = {
  verb: 'emit',
  usage: 'svc emit <type> [--key <subject>] [--payload <json>|-|@<file>]',
  summary:
    'Emits an event, once for this call of the script, and prints its id. --payload takes JSON, - for standard input or @file.',
};

export const verbs = [waitEventHelp, emitHelp];
