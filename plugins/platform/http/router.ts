import type { IncomingMessage, ServerResponse } from 'node:http';
import { pino } from 'pino';
import type restify from 'restify';
import { Errors } from '../../../kernel/contracts/index.ts';
import { CallerDisconnected } from './body.ts';
import type { HttpPage } from './contract.ts';
import type { Endpoint } from './endpoint.ts';
import { RequestContext } from './request-context.ts';
import type { HttpLimits } from './limits.ts';
import { servePage } from './pages.ts';
import type { Answers } from './reply.ts';
import { Router, Server } from './restify-modules.mjs';

type Params = Readonly<Record<string, string>>;
type Work = (context: RequestContext, params: Params) => Promise<void>;

export interface Routing {
  endpoints: readonly Endpoint[];
  pages: readonly HttpPage[];
  answers: Answers;
  limits: HttpLimits;
  /** Runs first and synchronously. Returns false when it has answered the request. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Restify's own log would contain bodies and headers. `AccessLog` writes ours. */
const SILENT = pino({ level: 'silent' }) as unknown as NonNullable<restify.ServerOptions['log']>;

const MOUNTS = { PUT: 'put', POST: 'post', DELETE: 'del' } as const;

/**
 * Restify with one handler for each route. None of its parsers is used: a bad gzip body or `%00` in a path would end
 * the process. Every handler is async, because a synchronous throw would end it too.
 */
export function createRouter({ endpoints, pages, answers, limits, begin }: Routing): restify.Server {
  const options: restify.ServerOptions = {
    name: '',
    log: SILENT,
    noWriteContinue: true,
    // The endpoint rejects longer parameters with a reason. An escaped character takes up to nine characters.
    maxParamLength: Math.max(limits.param_length * 9, limits.target_bytes),
  };
  const server = new Server({ ...options, router: new Router(options) });
  // Restify emits the server's errors again on itself, where a missing listener would end the process; `listen` handles
  // them.
  server.on('error', () => undefined);
  (server as unknown as { first(run: typeof begin): void }).first(begin);

  function wrapHandler(pattern: string, work: Work) {
    return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const context = RequestContext.from(request)!;
      context.pattern = pattern;
      try {
        await work(context, (request as unknown as { params: Params }).params);
      } catch (error) {
        if (error instanceof CallerDisconnected || context.isDisconnected) response.destroy();
        else answers.fail(context, error);
      }
    };
  }
  function get(path: string, work: Work): void {
    server.get(path, wrapHandler(path, work) as unknown as restify.RequestHandler);
    server.head(path, wrapHandler(path, work) as unknown as restify.RequestHandler);
  }

  for (const endpoint of endpoints) {
    const { method, path } = endpoint.route;
    const work: Work = async (context, params) => answers.reply(context, await endpoint.handle(context, params));
    if (method === 'GET') get(path, work);
    else server[MOUNTS[method]](path, wrapHandler(path, work) as unknown as restify.RequestHandler);
  }
  for (const page of pages) get(page.path, (context) => servePage(page, context, answers));
  answerUnrouted(server, answers);
  return server;
}

/**
 * Requests that no route matched: 404, 405, and OPTIONS. The event's callback is not called, because Restify would then
 * answer in its own format.
 */
function answerUnrouted(server: restify.Server, answers: Answers): void {
  server.on('restifyError', (request: IncomingMessage, response: ServerResponse, error: { statusCode?: number }) => {
    const context = RequestContext.from(request);
    if (!context || context.isAnswered) return;
    const allowed = response.getHeader('Allow');
    const allow = error.statusCode === 405 && typeof allowed === 'string' ? `${allowed}, OPTIONS` : undefined;
    if (allow !== undefined && request.method === 'OPTIONS')
      answers.bytes(context, 204, { Allow: allow }, Buffer.alloc(0));
    else if (allow !== undefined)
      answers.fail(context, Errors.methodNotAllowed(`${request.method} is not supported here; use ${allow}`), {
        Allow: allow,
      });
    else if (error.statusCode === 404) answers.fail(context, Errors.notFound('no route has this path'));
    else answers.fail(context, error);
  });
}
