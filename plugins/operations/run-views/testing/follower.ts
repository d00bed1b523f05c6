import { get } from 'node:http';

export interface Follower {
  text(): string;
  until(found: (text: string) => boolean): Promise<string>;
  closed: Promise<void>;
  cut(): void;
}

/** Server-sent events read with plain node:http, so that the connection can be cut at any byte. */
export function follow(url: string, last_id?: string): Follower {
  let text = '';
  let look = () => {};
  const headers = { authorization: 'Bearer viewer', ...(last_id === undefined ? {} : { 'last-event-id': last_id }) };
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const request = get(url, { headers }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (data: string) => {
      text += data;
      look();
    });
    response.on('close', ended);
  });
  request.on('error', ended);
  return {
    text: () => text,
    until: (found) =>
      new Promise((resolve) => {
        look = () => found(text) && resolve(text);
        look();
      }),
    closed,
    cut: () => request.destroy(),
  };
}

export const chunk = (n: number) => ({
  n,
  stream: 'stdout' as const,
  at: 0,
  data: Buffer.from(`line ${n}\n`).toString('base64'),
});
/** The bytes of a chunk as text beside them. */
interface Shown {
  text?: string;
  status?: string;
  pass?: number;
  site?: string;
}
const readable = (data: Shown & { data?: string }): Shown =>
  data.data === undefined ? data : { ...data, text: Buffer.from(data.data, 'base64').toString() };

/** Whole events only: a cut one never reaches an EventSource. */
export const events = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((frame) => {
      const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      return fields.event === undefined
        ? []
        : [{ id: fields.id, event: fields.event, data: readable(JSON.parse(fields.data!)) }];
    });
