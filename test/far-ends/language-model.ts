import { FarEnd } from '../../features/support/far-end.ts';
import { type Asked, bearerOf, type JsonAnswer, JsonFarEnd, membersOf } from './json-far-end.ts';

const refusal = (status: number, message: string, code: string | null, type = 'invalid_request_error'): JsonAnswer => ({
  status,
  json: { error: { message, type, param: null, code } },
});

interface ChatMessage {
  role: string;
  content: string;
}

/**
 * An endpoint for chat completions and embeddings. It repeats what the user said, after what the system said. Without a
 * key it takes no authentication, as a program on one's own machine does.
 */
export class ChatEndpoint extends JsonFarEnd {
  readonly #key: string | undefined;
  readonly #model: string;

  constructor(end: FarEnd, model: string, key: string | undefined) {
    super(end);
    this.#model = model;
    this.#key = key;
  }

  static async open(model: string, key?: string): Promise<ChatEndpoint> {
    return new ChatEndpoint(await FarEnd.open(), model, key);
  }

  whenBusy(): JsonAnswer {
    return {
      ...refusal(429, 'Rate limit reached', 'rate_limit_exceeded', 'requests'),
      headers: { 'retry-after': '0' },
    };
  }

  answer(asked: Asked): JsonAnswer {
    const { method, url } = asked;
    const key = bearerOf(asked);
    if (this.#key !== undefined && key === undefined) return refusal(401, "You didn't provide an API key.", null);
    if (this.#key !== undefined && key !== this.#key)
      return refusal(401, 'Incorrect API key provided', 'invalid_api_key');
    if (asked.json === undefined) return refusal(400, 'We could not parse the JSON body of your request.', null);
    const body = membersOf(asked.json);
    if (typeof body.model !== 'string') return refusal(400, 'you must provide a model parameter', null);
    if (body.model !== this.#model) return refusal(404, `The model ${body.model} does not exist`, 'model_not_found');
    if (method === 'POST' && url.pathname === '/v1/chat/completions') return this.#completion(body);
    if (method === 'POST' && url.pathname === '/v1/embeddings') return this.#embeddings(body);
    return refusal(404, `Invalid URL (${method} ${url.pathname})`, null);
  }

  #completion({ messages }: Readonly<Record<string, unknown>>): JsonAnswer {
    if (!Array.isArray(messages) || messages.length === 0)
      return refusal(400, "Missing required parameter: 'messages'.", 'missing_required_parameter');
    const said = (messages as ChatMessage[]).map(({ role, content }) => `${role}: ${content}`).join(' | ');
    const message = { role: 'assistant', content: said };
    return {
      status: 200,
      json: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        model: this.#model,
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    };
  }

  #embeddings({ input }: Readonly<Record<string, unknown>>): JsonAnswer {
    const texts = [input].flat();
    if (!texts.every((text) => typeof text === 'string' && text !== ''))
      return refusal(400, "'$.input' is invalid.", null);
    const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: [String(text).length, 0.5] }));
    return { status: 200, json: { object: 'list', data, model: this.#model } };
  }
}

const problem = (status: number, type: string, message: string): JsonAnswer => ({
  status,
  json: { type: 'error', error: { type, message } },
});

/** An endpoint for messages: a key in `x-api-key`, a version of the API, and a limit of tokens in every request. */
export class MessagesEndpoint extends JsonFarEnd {
  readonly #key: string;

  constructor(end: FarEnd, key: string) {
    super(end);
    this.#key = key;
  }

  static async open(key: string): Promise<MessagesEndpoint> {
    return new MessagesEndpoint(await FarEnd.open(), key);
  }

  whenBusy(): JsonAnswer {
    return problem(529, 'overloaded_error', 'Overloaded');
  }

  answer({ method, url, headers, json }: Asked): JsonAnswer {
    if (method !== 'POST' || url.pathname !== '/v1/messages') return problem(404, 'not_found_error', 'Not found');
    if (headers['x-api-key'] !== this.#key) return problem(401, 'authentication_error', 'invalid x-api-key');
    if (headers['anthropic-version'] !== '2023-06-01')
      return problem(400, 'invalid_request_error', 'anthropic-version: header is required');
    const { model, max_tokens, messages } = membersOf(json);
    if (typeof model !== 'string') return problem(400, 'invalid_request_error', 'model: field required');
    if (!Number.isInteger(max_tokens)) return problem(400, 'invalid_request_error', 'max_tokens: field required');
    if (!Array.isArray(messages)) return problem(400, 'invalid_request_error', 'messages: field required');
    const { content } = membersOf(messages.at(-1));
    const text = `${model} heard: ${String(content)}`;
    return {
      status: 200,
      json: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
      },
    };
  }
}
