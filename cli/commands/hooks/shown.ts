import type { Output } from '../../output/output.ts';

/** As the API answers it. */
export interface EventHook {
  name: string;
  mode: 'token' | 'manifest' | 'hmac';
  event_type?: string;
  manifest?: string;
  hmac?: { header: string; prefix: string; algorithm: string; encoding: string };
  ingest_url: string;
  secret?: string;
  owner?: string;
  set_at: string;
  secret_at: string;
}

/** `token`, `manifest forge_a`, `hmac X-Signature`. */
export const proofOf = ({ mode, manifest, hmac }: EventHook): string =>
  [mode, manifest ?? hmac?.header].filter((part) => part !== undefined).join(' ');

export const typesOf = ({ name, event_type }: EventHook): string => event_type ?? `${name}.<type>`;

/** The address and the secret stand on standard output, so that they can be piped on. */
export function showHook(output: Output, hook: EventHook): void {
  const rows = [
    ['name', hook.name],
    ['proof', proofOf(hook)],
    ['event type', typesOf(hook)],
    ...(hook.hmac ? [['signature', `${hook.hmac.prefix}<${hook.hmac.algorithm}, ${hook.hmac.encoding}>`]] : []),
    ...(hook.owner === undefined ? [] : [['belongs to', hook.owner]]),
    ['address', hook.ingest_url],
    ...(hook.secret === undefined ? [] : [['secret', hook.secret]]),
  ];
  output.data(hook, () => rows.map(([name = '', value = '']) => `${name.padEnd(10)}  ${value}`).join('\n'));
}
