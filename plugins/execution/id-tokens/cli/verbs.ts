import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help text of this plugin's verb for the CLI. */
export const idTokenHelp = {
  verb: 'id-token',
  usage: 'svc id-token --audience <audience> [--lifetime <duration>]',
  brief: 'print an ID token for authenticating to another system',
  summary:
    'Prints a signed OpenID Connect token (JWT) that proves the identity of this run to another system. Only trusted runs get a token. It is masked in the log and in every view of the run.',
  args: [],
  flags: {
    audience: {
      type: 'string',
      value: '<audience>',
      summary: 'the system that accepts the token, such as sts.amazonaws.com',
    },
    lifetime: { type: 'string', value: '<duration>', summary: 'how long it is valid: 1m to 1h (default 10m)' },
  },
  exits: [
    ['0', 'the token is on standard output'],
    ['1', 'the server issues no tokens, the run is untrusted, or it has requested too many'],
  ],
  recorded:
    'Nothing: each pass gets a new token. Request it just before the step that uses it, and pass it in a variable.',
  examples: [['svc id-token --audience sts.amazonaws.com > token.jwt', 'AWS_WEB_IDENTITY_TOKEN_FILE=token.jwt']],
} as const satisfies ScriptVerb;

export const verbs = [idTokenHelp];
