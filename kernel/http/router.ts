import type { IncomingMessage, ServerResponse } from 'node:http';
import { pino } from 'pino';
import restify from 'restify';
import { type ConsolePage, Errors } from '../contracts/index.ts';
import { CallerGone } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import { servePage } from './pages.ts';
import type { Answers } from './reply.ts';

type Params = Readonly<Record<string, string>>;
type Work = (exchange: Exchange, params: Params) => Promise<void>;

export interface Routing {
  endpoints: readonly Endpoint[];
  pages: readonly ConsolePage[];
  answers: Answers;
  limits: HttpLimits;
  /** Before anything else, synchronous; false when the request was answered already. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Restify's own log would tell of bodies and headers; ours is written by the layer around it. */
const SILENT = pino({ level: 'silent' }) as unknown as NonNullable<restify.ServerOptions['log']>;

const MOUNTS = { PUT: 'put', POST: 'post', DELETE: 'del' } as const;

/**
 * Restify with one handler a route. None of its parsers is used (a bad gzip body or `%00` in a path ends the process),
 * and every handler is async, because a synchronous throw would end it too.
 */
export function createRouter({ endpoints, pages, answers, limits, begin }: Routing): restify.Server {
  const server = restify.createServer({
    name: '',
    log: SILENT,
    noWriteContinue: true,
    // Longer ones are refused with a reason by the endpoint; an escape takes up to nine characters.
    maxParamLength: Math.max(limits.param_length * 9, limits.target_bytes),
  });
  // Restify repeats the errors of the server on itself, where one without a listener ends the process; `listen` hears them.
  server.on('error', () => undefined);
  (server as unknown as { first(run: typeof begin): void }).first(begin);

  function guard(pattern: string, work: Work) {
    return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const exchange = Exchange.of(request)!;
      exchange.pattern = pattern;
      try {
        await work(exchange, (request as unknown as { params: Params }).params);
      } catch (error) {
        if (error instanceof CallerGone || exchange.gone) response.destroy();
        else answers.fail(exchange, error);
      }
    };
  }
  function get(path: string, work: Work): void {
    server.get(path, guard(path, work) as unknown as restify.RequestHandler);
    server.head(path, guard(path, work) as unknown as restify.RequestHandler);
  }

  for (const endpoint of endpoints) {
    const { method, path } = endpoint.route;
    const work: Work = async (exchange, params) => answers.reply(exchange, await endpoint.answer(exchange, params));
    if (method === 'GET') get(path, work);
    else server[MOUNTS[method]](path, guard(path, work) as unknown as restify.RequestHandler);
  }
  for (const page of pages) get(page.path, (exchange) => servePage(page, exchange, answers));
  answerUnrouted(server, answers);
  return server;
}

/**
 * Whatever no route took: 404, 405, and OPTIONS. The callback of the event is not called, because Restify would then
 * answer in its own format.
 */
function answerUnrouted(server: restify.Server, answers: Answers): void {
  server.on('restifyError', (request: IncomingMessage, response: ServerResponse, error: { statusCode?: number }) => {
    const exchange = Exchange.of(request);
    if (!exchange || exchange.answered) return;
    const found = response.getHeader('Allow');
    const allow = error.statusCode === 405 && typeof found === 'string' ? `${found}, OPTIONS` : undefined;
    if (allow !== undefined && request.method === 'OPTIONS')
      answers.bytes(exchange, 204, { Allow: allow }, Buffer.alloc(0));
    else if (allow !== undefined)
      answers.fail(exchange, Errors.methodNotAllowed(`${request.method} is not taken here; ${allow} are`), {
        Allow: allow,
      });
    else if (error.statusCode === 404) answers.fail(exchange, Errors.notFound('there is nothing at this path'));
    else answers.fail(exchange, error);
  });
}
