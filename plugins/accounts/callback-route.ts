import type { Route } from '../../kernel/contracts/index.ts';
import { CALLBACK_PATH } from '../providers/contract.ts';
import type { Callback } from './service/callback.ts';
import { callbackPage } from './service/callback-page.ts';
import type { ConsolePlaces } from './service/places.ts';

/** Where providers send people back to. It answers pages: people read them. */
export const callbackRoute = (callback: Callback, places: ConsolePlaces): Route => ({
  method: 'GET',
  path: CALLBACK_PATH,
  operation: 'takeConsent',
  summary: 'Take a person who comes back from a provider; only the browser that began it can finish it',
  access: { kind: 'public' },
  query: { type: 'object', additionalProperties: { type: 'string' }, properties: {} },
  responses: { 200: { description: 'A page that says what happened.', type: 'text/html; charset=utf-8' } },
  async handle(request) {
    // Programs that look ahead must not use up the answer.
    if (request.method === 'HEAD') return { status: 200, text: '', type: 'text/html; charset=utf-8' };
    return callbackPage(await callback.take(request), places);
  },
});
