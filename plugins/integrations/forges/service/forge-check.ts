import { isDeepStrictEqual } from 'node:util';
import type { ConnectorCheck } from '../../manifests/contract.ts';

/** Forges are compiled at startup, so that a change of one cannot apply to a running server. */
export const forgeCheck: ConnectorCheck = {
  name: 'forges',
  check: ({ manifest }, current) =>
    isDeepStrictEqual(manifest.forge, current?.manifest.forge)
      ? []
      : [
          {
            pointer: '/forge',
            rule: 'restart_needed',
            message: 'is read only when the server starts',
            fix: 'restart the server',
          },
        ],
};
