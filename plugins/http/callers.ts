import type { Exchange } from './exchange.ts';

/** By what the answers of a caller are counted together. */
export const callerOf = ({ principal, ip }: Pick<Exchange, 'principal' | 'ip'>): string =>
  principal ? `${principal.kind} ${principal.id}` : `ip ${ip}`;
