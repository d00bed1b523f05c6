import { createHmac, randomUUID } from 'node:crypto';

/** Where a forge delivers to, and what it signs with. */
export interface Address {
  delivery_url: string;
  secret: string;
}

export interface Sending {
  /** Absent: another one each time. */
  id?: string;
  headers?: Record<string, string | undefined>;
  /** Sent instead of the payload. */
  raw?: string | Buffer;
  /** What arrives instead of what was signed. */
  changed?: string;
}

export interface Taken {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
  text: string;
  headers: Headers;
}

const sign = (secret: string, raw: Buffer) => createHmac('sha256', secret).update(raw).digest('hex');

/** The headers with which each forge sends. */
const FORGES = {
  forge_a: (event: string, id: string, secret: string, raw: Buffer) => ({
    'x-github-event': event,
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${sign(secret, raw)}`,
  }),
  forge_b: (event: string, id: string, secret: string, raw: Buffer) => ({
    'x-gitea-event': event,
    'x-gitea-delivery': id,
    'x-gitea-signature': sign(secret, raw),
  }),
} as const;

/** Delivers as a forge does. */
export async function deliver(
  forge: keyof typeof FORGES,
  { delivery_url, secret }: Address,
  event: string,
  payload: unknown,
  { id = randomUUID(), headers = {}, raw, changed }: Sending = {},
): Promise<Taken> {
  const body = Buffer.from(raw ?? JSON.stringify(payload));
  const sent: Record<string, string | undefined> = {
    'content-type': 'application/json',
    ...FORGES[forge](event, id, secret, body),
    ...headers,
  };
  const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const answer = await fetch(delivery_url, {
    method: 'POST',
    headers: Object.fromEntries(given),
    body: changed ?? body,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: text === '' ? undefined : JSON.parse(text) };
}
