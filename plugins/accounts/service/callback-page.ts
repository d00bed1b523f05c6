import type { HttpReply } from '../../../kernel/contracts/index.ts';
import { messagePage } from '../../http/contract.ts';
import type { Outcome } from './callback.ts';
import type { ConsolePlaces } from './places.ts';

/** Says what happened and leads back to the Connections page. */
export function callbackPage({ to, ...outcome }: Outcome, places: ConsolePlaces): HttpReply {
  const base = places.base();
  const link = to
    ? { to: places.inProject(to, to.name), text: 'Back to the Connections page' }
    : { to: `${base}/`, text: 'To the console' };
  return messagePage({ ...outcome, link, base });
}
