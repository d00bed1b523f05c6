import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help text of this plugin's verb for the CLI. */
export const idTokenHelp = {
  verb: 'id-token',
  usage: 'svc id-token --audience <audience> [--lifetime <duration>]',
  brief: 'print an ID token with which the run authenticates elsewhere',
  summary:
    'Prints a signed OpenID Connect token (JWT) that proves to another system which run of which project this is. Only trusted runs get one. The log and every view of the run mask it.',
  args: [],
  flags: {
    audience: { type: 'string', value: '<audience>', summary: 'who accepts the token, such as sts.amazonaws.com' },
    lifetime: { type: 'string', value: '<duration>', summary: 'how long it is valid: 1m to 1h (default 10m)' },
  },
  exits: [
    ['0', 'the token is on standard output'],
    ['1', 'the server issues none, the run is untrusted, or it has been issued too many'],
  ],
  recorded:
    'Nothing: each pass gets a new token. Request it just before the step that uses it, and pass it in a variable.',
  examples: [['svc id-token --audience sts.amazonaws.com > token.jwt', 'AWS_WEB_IDENTITY_TOKEN_FILE=token.jwt']],
} as const satisfies ScriptVerb;

export const verbs = [idTokenHelp];
