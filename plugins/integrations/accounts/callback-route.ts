import type { Route } from '../../../kernel/contracts/index.ts';
import { CALLBACK_PATH } from '../providers/contract.ts';
import type { Callback } from './service/callback.ts';
import { callbackPage } from './service/callback-page.ts';
import type { ConsoleLinks } from './service/console-links.ts';

/** The route to which providers send people back. It answers with pages. */
export const callbackRoute = (callback: Callback, links: ConsoleLinks): Route => ({
  method: 'GET',
  path: CALLBACK_PATH,
  operation: 'takeConsent',
  summary: "Handle a user's return from a provider; only the browser that started the connection can finish it",
  access: { kind: 'public' },
  query: { type: 'object', additionalProperties: { type: 'string' }, properties: {} },
  responses: { 200: { description: 'A page that shows the result.', type: 'text/html; charset=utf-8' } },
  async handle(request) {
    // Link previews must not use up the answer.
    if (request.method === 'HEAD') return { status: 200, text: '', type: 'text/html; charset=utf-8' };
    return callbackPage(await callback.handle(request), links);
  },
});
