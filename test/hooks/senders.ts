import { createHmac, hash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Chance } from './chance.ts';

/** A delivery on its way: what a far end, or somebody who plays it, sends. */
export interface Sent {
  body: Buffer;
  headers: Record<string, string>;
  query: string;
}

/** A far end: how its hook is made, what it sends, and how somebody without its key would try. */
export interface Sender {
  name: string;
  put: Record<string, unknown>;
  /** `secret` is what the service answered, or `''`. */
  genuine(secret: string, body: Buffer, id: string): Sent;
  forge: Readonly<Record<string, (genuine: Sent, secret: string, chance: Chance) => Sent>>;
}

const KEY = 'key-of-the-far-end';
const STANDARD = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;
const HEX = '0123456789abcdef';
const TOKEN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const hmac = (algorithm: string, key: string, body: Buffer) => createHmac(algorithm, key).update(body).digest('hex');
const sign = (id: string, at: number, body: Buffer, key = STANDARD) =>
  new Webhook(key).sign(id, new Date(at), body.toString('latin1'));

const withHeader = (sent: Sent, name: string, value: string): Sent => ({
  ...sent,
  headers: { ...sent.headers, [name]: value },
});
const withoutHeader = (sent: Sent, name: string): Sent => {
  const { [name]: _dropped, ...headers } = sent.headers;
  return { ...sent, headers };
};

/** Another character of the alphabet at one place. */
function altered(text: string, alphabet: string, from: number, chance: Chance): string {
  const at = from + chance.below(text.length - from);
  const other = alphabet[(alphabet.indexOf(text[at]!) + 1 + chance.below(alphabet.length - 1)) % alphabet.length]!;
  return text.slice(0, at) + other + text.slice(at + 1);
}

function alteredBody(sent: Sent, chance: Chance): Sent {
  const body = Buffer.from(sent.body);
  const at = chance.below(body.length);
  body[at] = body[at]! ^ (1 << chance.below(7));
  return { ...sent, body };
}

/** What can be tried with any signature in a header of the form prefix and hex. */
const hexForgeries = (header: string, prefix: string, algorithm: string): Sender['forge'] => ({
  altered: (sent, _, chance) => withHeader(sent, header, altered(sent.headers[header]!, HEX, prefix.length, chance)),
  body: (sent, _, chance) => alteredBody(sent, chance),
  longer: (sent) => ({ ...sent, body: Buffer.concat([sent.body, Buffer.from(' ')]) }),
  other_key: (sent) => withHeader(sent, header, prefix + hmac(algorithm, `${KEY}x`, sent.body)),
  empty_key: (sent) => withHeader(sent, header, prefix + hmac(algorithm, '', sent.body)),
  no_key: (sent) => withHeader(sent, header, prefix + hash(algorithm, sent.body, 'hex')),
  of_nothing: (sent) => withHeader(sent, header, prefix + hmac(algorithm, KEY, Buffer.alloc(0))),
  cut: (sent, _, chance) => withHeader(sent, header, sent.headers[header]!.slice(0, chance.below(60))),
  drawn_out: (sent) => withHeader(sent, header, `${sent.headers[header]}00`),
  no_prefix: (sent) => withHeader(sent, header, `x${sent.headers[header]}`),
  absent: (sent) => withoutHeader(sent, header),
  as_a_secret: (sent) => withoutHeader({ ...sent, query: `?secret=${KEY}` }, header),
});

const tokenForgeries: Sender['forge'] = {
  altered: (sent, secret, chance) => withHeader(sent, 'x-svc-hook-secret', altered(secret, TOKEN, 0, chance)),
  digest: (sent, secret) => withHeader(sent, 'x-svc-hook-secret', hash('sha256', secret, 'hex')),
  cut: (sent, secret, chance) => withHeader(sent, 'x-svc-hook-secret', secret.slice(0, chance.below(43))),
  longer: (sent, secret) => withHeader(sent, 'x-svc-hook-secret', `${secret}A`),
  in_the_query: (sent, secret, chance) =>
    withoutHeader({ ...sent, query: `?secret=${altered(secret, TOKEN, 0, chance)}` }, 'x-svc-hook-secret'),
  header_wins: (sent, secret) => withHeader({ ...sent, query: `?secret=${secret}` }, 'x-svc-hook-secret', 'wrong'),
  in_the_body: (sent, secret) => withoutHeader({ ...sent, body: Buffer.from(`secret=${secret}`) }, 'x-svc-hook-secret'),
  elsewhere: (sent, secret) =>
    withHeader(withoutHeader(sent, 'x-svc-hook-secret'), 'authorization', `Bearer ${secret}`),
};

const SIGNATURE = 'webhook-signature';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function resigned(sent: Sent, offset_ms: number): Sent {
  const at = Number(sent.headers['webhook-timestamp']) * 1000 + offset_ms;
  const signature = sign(sent.headers['webhook-id']!, at, sent.body);
  return withHeader(withHeader(sent, 'webhook-timestamp', String(at / 1000)), SIGNATURE, signature);
}

const standardForgeries: Sender['forge'] = {
  // The last characters of a digest hold bits that decoders drop; the first forty all count.
  altered: (sent, _, chance) =>
    withHeader(
      sent,
      SIGNATURE,
      altered(sent.headers[SIGNATURE]!.slice(0, 43), BASE64, 3, chance) + sent.headers[SIGNATURE]!.slice(43),
    ),
  body: (sent, _, chance) => alteredBody(sent, chance),
  old: (sent, _, chance) => resigned(sent, -1000 * (310 + chance.below(1_000_000))),
  early: (sent, _, chance) => resigned(sent, 1000 * (310 + chance.below(1_000_000))),
  moved: (sent) => withHeader(sent, 'webhook-timestamp', String(Number(sent.headers['webhook-timestamp']) + 1)),
  other_id: (sent) => withHeader(sent, 'webhook-id', `${sent.headers['webhook-id']}x`),
  shifted: (sent) =>
    withHeader(sent, 'webhook-id', `${sent.headers['webhook-id']}.${sent.headers['webhook-timestamp']}`),
  other_key: (sent) =>
    withHeader(
      sent,
      SIGNATURE,
      sign(
        sent.headers['webhook-id']!,
        Number(sent.headers['webhook-timestamp']) * 1000,
        sent.body,
        `whsec_${Buffer.alloc(24, 6).toString('base64')}`,
      ),
    ),
  other_version: (sent) => withHeader(sent, SIGNATURE, sent.headers[SIGNATURE]!.replace('v1,', 'v2,')),
  absent: (sent) => withoutHeader(sent, SIGNATURE),
  no_time: (sent) => withoutHeader(sent, 'webhook-timestamp'),
  no_id: (sent) => withoutHeader(sent, 'webhook-id'),
};

export const SENDERS: readonly Sender[] = [
  {
    name: 'token',
    put: {},
    genuine: (secret, body) => ({ body, query: '', headers: { 'x-svc-hook-secret': secret } }),
    forge: tokenForgeries,
  },
  {
    name: 'hmac',
    put: { hmac: { header: 'X-Sig', key: KEY, prefix: 'v0=', algorithm: 'sha512' } },
    genuine: (_, body) => ({ body, query: '', headers: { 'x-sig': `v0=${hmac('sha512', KEY, body)}` } }),
    forge: hexForgeries('x-sig', 'v0=', 'sha512'),
  },
  {
    name: 'forge',
    put: { manifest: 'forge_a', key: KEY },
    genuine: (_, body, id) => ({
      body,
      query: '',
      headers: {
        'x-hub-signature-256': `sha256=${hmac('sha256', KEY, body)}`,
        'x-github-event': 'issues',
        'x-github-delivery': id,
      },
    }),
    forge: hexForgeries('x-hub-signature-256', 'sha256=', 'sha256'),
  },
  {
    name: 'standard',
    put: { manifest: 'standard_webhooks', key: STANDARD, event_type: 'standard.came' },
    genuine: (_, body, id) => {
      const at = Math.floor(Date.now() / 1000) * 1000;
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(at / 1000), [SIGNATURE]: sign(id, at, body) };
      return { body, query: '', headers };
    },
    forge: standardForgeries,
  },
];
