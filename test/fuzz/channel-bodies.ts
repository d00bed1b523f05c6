import type { ClaimRef } from '../../plugins/engine/runs/contract.ts';

/** A request of the channel in which every member has a value. */
export interface ChannelBody {
  what: string;
  op: string;
  /** The claim is over when it succeeds. */
  last?: true;
  /** Another body of the same request has the rest, which is the same in all of them. */
  only?: RegExp;
  body(claim: ClaimRef, position: number): Record<string, unknown>;
}

const b64 = (text: string) => Buffer.from(text).toString('base64');
const site = (position: number, kind: string, name: string) => ({
  position,
  kind,
  name,
  ordinal: position,
  digest: 'd',
  label: 'a label',
  started_at: 1,
});

const perform = (kind: string, args: unknown): ChannelBody => ({
  what: `perform ${kind} ${JSON.stringify(args).slice(0, 40)}`,
  op: 'perform',
  only: /^call\/(?:args|name)/,
  body: (claim, position) => ({ claim, call: { ...site(position, kind, 'a name'), args } }),
});

const park = (kind: string, name: string, args: unknown): ChannelBody => ({
  what: `park ${kind}`,
  op: 'park',
  last: true,
  only: /^wait\/(?:args|name|timeout_ms)/,
  body: (claim, position) => ({ claim, wait: { ...site(position, kind, name), args, timeout_ms: 600_000 } }),
});

const attempt: ChannelBody = {
  what: 'attempt',
  op: 'attempt',
  last: true,
  only: /^failed\//,
  body: (claim, position) => ({
    claim,
    failed: {
      ...site(position, 'step', 'again'),
      ...{ attempt: 1, attempts: 3, exit_code: 1, output: b64('out'), message: 'why', pause_ms: 600_000, park: true },
    },
  }),
};

const complete = (what: string, completion: object): ChannelBody => ({
  what: `complete ${what}`,
  op: 'complete',
  last: true,
  body: (claim) => ({ claim, completion }),
});

const child = { name: 'child', argv: ['true'], requires: ['nowhere'] };

export const CHANNEL_BODIES: readonly ChannelBody[] = [
  { what: 'renew', op: 'renew', body: (claim) => ({ claims: [claim] }) },
  {
    what: 'append',
    op: 'append',
    body: (claim, position) => ({
      claim,
      record: { ...site(position, 'step', 'build'), exit_code: 1, output: b64('out'), message: 'why' },
    }),
  },
  { ...perform('state', { op: 'set', entity: 'e', key: 'k', value: 'v' }), only: /./ },
  perform('state', { op: 'get', key: 'k' }),
  perform('state', { op: 'delete', entity: 'e', key: 'k' }),
  perform('emit', { type: 'ci.done', key: 'k', payload: { a: 1 }, site: 's' }),
  perform('spawn', { source: '#!/bin/sh\ntrue\n', filename: 'a.sh', kind: 'script', tags: ['t'] }),
  perform('activity-submit', child),
  perform('activity-submit', { name: 'other', executor: 'http', spec: { url: 'x' }, requires: ['nowhere'] }),
  perform('lock-step', { lock: 0, exit_code: 1, output: b64('out'), message: 'why' }),
  perform('artifact', { uploads: ['art_00000000000000000000000000'] }),
  { ...park('sleep', '', {}), only: /./ },
  park('wait-signal', 'go', {}),
  park('wait-event', 'ci.done', { when: 'event.key == "k"', signal: 'go', untrusted: true }),
  park('lock', 'group', { command: true }),
  park('call', 'called', { source: '#!/bin/sh\ntrue\n', filename: 'a.sh', kind: 'script', input: { a: 1 } }),
  park('call', 'called', { node: 'http', config: { url: 'https://example.com' }, input: 1 }),
  park('call', 'called', { graph: 'none', input: 1 }),
  park('activity', 'child', child),
  park('activity-collect', 'child', {}),
  park('activity-wait-all', '', {}),
  park('lease', 'group', { group: 'g' }),
  attempt,
  complete('in success', { status: 'succeeded', output: { a: [1] } }),
  complete('in failure', {
    ...{ status: 'failed', code: 'a_code', message: 'why' },
    ...{ exit_code: 1, final: true, retry_after_ms: 1000 },
  }),
  { what: 'release', op: 'release', last: true, body: (claim) => ({ claim }) },
  { what: 'annotate', op: 'annotate', body: (claim) => ({ claim, nth: 0, text: '# a note' }) },
  {
    what: 'logs',
    op: 'logs',
    body: (claim, n) => ({ claim, chunks: [{ n, stream: 'stdout', at: 1_700_000_000_000, data: b64('a line\n') }] }),
  },
];

/** The places of all members of a body, those within others too, and of members that it does not have. */
export function placesIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const own = Array.isArray(value)
    ? value.flatMap((one, at) => placesIn(one, [...path, at]))
    : Object.entries(value).flatMap(([name, one]) => placesIn(one, [...path, name]));
  return [
    path,
    ...own,
    ...(Array.isArray(value)
      ? []
      : [
          [...path, '__proto__'],
          [...path, 'surplus'],
        ]),
  ];
}
