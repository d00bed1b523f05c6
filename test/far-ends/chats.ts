import { FarEnd } from '../../features/support/far-end.ts';
import { type Asked, bearerOf, type JsonAnswer, JsonFarEnd, membersOf } from './json-far-end.ts';

/** A chat of a workspace: it answers 200 even when it refuses. */
export class TeamChat extends JsonFarEnd {
  readonly posted: { channel: string; text: string }[] = [];
  readonly #token: string;
  readonly #channel: string;

  constructor(end: FarEnd, token: string, channel: string) {
    super(end);
    this.#token = token;
    this.#channel = channel;
  }

  static async open(token: string, channel: string): Promise<TeamChat> {
    return new TeamChat(await FarEnd.open(), token, channel);
  }

  whenBusy(): JsonAnswer {
    return { status: 429, json: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '0' } };
  }

  answer(asked: Asked): JsonAnswer {
    const no = (error: string): JsonAnswer => ({ status: 200, json: { ok: false, error } });
    if (asked.url.pathname !== '/api/chat.postMessage') return no('unknown_method');
    const token = bearerOf(asked);
    if (token === undefined) return no('not_authed');
    if (token !== this.#token) return no('invalid_auth');
    const { channel, text } = membersOf(asked.json);
    if (channel !== this.#channel) return no('channel_not_found');
    if (typeof text !== 'string' || text === '') return no('no_text');
    this.posted.push({ channel, text });
    return { status: 200, json: { ok: true, channel, ts: `${this.posted.length}.000100` } };
  }
}

const BOT = /^\/bot([^/]+)\/(\w+)$/;

/** A chat of bots: the token is a part of the path. */
export class BotChat extends JsonFarEnd {
  readonly sent: { chat_id: unknown; text: string }[] = [];
  readonly #token: string;
  readonly #chat: number;

  constructor(end: FarEnd, token: string, chat: number) {
    super(end);
    this.#token = token;
    this.#chat = chat;
  }

  static async open(token: string, chat: number): Promise<BotChat> {
    return new BotChat(await FarEnd.open(), token, chat);
  }

  whenBusy(): JsonAnswer {
    const json = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 0' };
    return { status: 429, json: { ...json, parameters: { retry_after: 0 } } };
  }

  answer({ url, json }: Asked): JsonAnswer {
    const no = (status: number, description: string): JsonAnswer => ({
      status,
      json: { ok: false, error_code: status, description },
    });
    const [, token, method] = BOT.exec(decodeURIComponent(url.pathname)) ?? [];
    if (token === undefined || method !== 'sendMessage') return no(404, 'Not Found');
    if (token !== this.#token) return no(401, 'Unauthorized');
    const { chat_id, text } = membersOf(json);
    if (Number(chat_id) !== this.#chat) return no(400, 'Bad Request: chat not found');
    if (typeof text !== 'string' || text === '') return no(400, 'Bad Request: message text is empty');
    this.sent.push({ chat_id, text });
    return { status: 200, json: { ok: true, result: { message_id: this.sent.length, text } } };
  }
}
