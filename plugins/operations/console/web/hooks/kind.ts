import { Anchor } from 'lucide-react';
import type { Hook } from '../../../../../cli/generated/api.ts';
import type { NamedKind } from '../kit/named.tsx';
import type { Secret } from '../kit/once.tsx';
import { HookFields, hookOf } from './form.tsx';

export const MODES: Record<Hook['mode'], string> = {
  token: 'Shared secret',
  manifest: 'Connector signature',
  hmac: 'HMAC signature',
};

/** The secret of a hook, while the server shows it. */
export const secretOf = ({ name, secret }: Hook): Secret | undefined =>
  secret === undefined
    ? undefined
    : { of: `the hook ${name}`, secret, use: 'The sender puts it into the X-Svc-Hook-Secret header.' };

export const HOOKS: NamedKind<Hook> = {
  one: 'hook',
  title: 'Hooks',
  icon: Anchor,
  path: '/event-hooks',
  plural: 'event_hooks',
  page: '/orgs/$org/projects/$project/hooks',
  command: 'svc event-hook',
  about: 'A hook is an address that another system sends deliveries to. Each delivery becomes an event.',
  finds: 'Name, event type or connector',
  wordsOf: ({ name, event_type, manifest, owner }) => [name, event_type, manifest, owner],
  filter: {
    name: 'state',
    label: 'Verified by',
    options: Object.entries(MODES).map(([value, label]) => ({ value, label })),
  },
  filterOf: ({ mode }) => mode,
  Fields: HookFields,
  bodyOf: hookOf,
  editNote: 'Its address stays the same. A secret that the service created stays the same too.',
  removal: 'Its address accepts no more deliveries, and no later hook gets the same address. Recorded events stay.',
  secretOf,
};
