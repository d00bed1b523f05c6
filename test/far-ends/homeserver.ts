import { FarEnd } from '../../features/support/far-end.ts';
import { type Asked, bearerOf, type JsonAnswer, JsonFarEnd, membersOf } from './json-far-end.ts';

/** A message of a room. */
export interface RoomMessage {
  event_id: string;
  txn_id: string;
  content: Readonly<Record<string, unknown>>;
}

const SEND = /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/([^/]+)\/([^/]+)$/;

const error = (status: number, errcode: string, text: string, more: object = {}): JsonAnswer => ({
  status,
  json: { errcode, error: text, ...more },
});

/**
 * A homeserver of a federated chat as far as sending goes: one account by its token, which is in some rooms. A transaction
 * id of one token gives the same event, however often it comes.
 */
export class Homeserver extends JsonFarEnd {
  readonly rooms: ReadonlyMap<string, RoomMessage[]>;
  readonly #token: string;
  readonly #byTransaction = new Map<string, string>();

  constructor(end: FarEnd, token: string, rooms: readonly string[]) {
    super(end);
    this.#token = token;
    this.rooms = new Map(rooms.map((room) => [room, []]));
  }

  static async open(token: string, rooms: readonly string[]): Promise<Homeserver> {
    return new Homeserver(await FarEnd.open(), token, rooms);
  }

  whenBusy(): JsonAnswer {
    return error(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', { retry_after_ms: 10 });
  }

  answer(asked: Asked): JsonAnswer {
    const token = bearerOf(asked);
    if (token === undefined) return error(401, 'M_MISSING_TOKEN', 'Missing access token');
    if (token !== this.#token) return error(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token');
    const [, room = '', type = '', transaction = ''] = SEND.exec(asked.url.pathname) ?? [];
    if (room === '') return error(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    if (asked.method !== 'PUT') return error(405, 'M_UNRECOGNIZED', 'Method not allowed');
    const messages = this.rooms.get(decodeURIComponent(room));
    if (!messages) return error(403, 'M_FORBIDDEN', 'You are not in this room');
    if (asked.json === undefined) return error(400, 'M_NOT_JSON', 'Content not JSON.');
    const content = membersOf(asked.json);
    if (type === 'm.room.message' && (typeof content.msgtype !== 'string' || typeof content.body !== 'string'))
      return error(400, 'M_BAD_JSON', 'msgtype and body are required');
    return { status: 200, json: { event_id: this.#sent(messages, decodeURIComponent(transaction), content) } };
  }

  #sent(messages: RoomMessage[], txn_id: string, content: RoomMessage['content']): string {
    const known = this.#byTransaction.get(txn_id);
    if (known !== undefined) return known;
    const event_id = `$${this.#byTransaction.size + 1}:far-end`;
    this.#byTransaction.set(txn_id, event_id);
    messages.push({ event_id, txn_id, content });
    return event_id;
  }
}
