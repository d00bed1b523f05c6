import type { HttpReply } from '../../../../kernel/contracts/index.ts';
import { messagePage } from '../../../platform/http/contract.ts';
import type { Outcome } from './callback.ts';
import type { ConsoleLinks } from './console-links.ts';

/** Renders the outcome with a link back to the Connections page. */
export function callbackPage({ to, ...outcome }: Outcome, links: ConsoleLinks): HttpReply {
  const base = links.baseUrl();
  const link = to
    ? { to: links.connectionsLink(to, to.name), text: 'Back to the Connections page' }
    : { to: `${base}/`, text: 'To the console' };
  return messagePage({ ...outcome, link, base });
}
