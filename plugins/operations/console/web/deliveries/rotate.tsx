import { KeyRound, ShieldX } from 'lucide-react';
import type { Action } from '../kit/action-menu.tsx';
import { Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { HiddenField, TextField } from '../kit/dialog-form.tsx';
import { FormDrawer } from '../kit/drawer.tsx';
import { Same } from '../kit/page.tsx';
import { textsOf } from '../kit/workflow.ts';

interface Rotated {
  name: string;
  old_secret_until?: string;
  last_old_secret_use?: string;
}

interface Options {
  of: Rotated;
  /** `svc event-hook`, `svc webhook`. */
  command: string;
  path: string;
  /** Senders sign with a key of theirs, which is typed in. */
  keyed?: boolean;
  /** What else is to be said. */
  also?: string;
  rotate(body: Record<string, unknown>): Promise<void>;
}

/** Makes or takes a new secret, and ends the old one: items of a menu. */
export function rotations({ of, command, path, keyed = false, also = '', rotate }: Options): (Action | false)[] {
  const { name, old_secret_until } = of;
  const what = keyed ? 'key' : 'secret';
  return [
    {
      icon: KeyRound,
      label: `New ${what}`,
      opens: (close) => (
        <FormDrawer
          title={keyed ? `Set a new signing key for ${name}` : `Create a new secret for ${name}`}
          verb={keyed ? 'Set key' : 'Create secret'}
          close={close}
          run={(fields) => rotate({ ...(keyed && { key: fields.key }), ...textsOf(fields, ['overlap']) })}
        >
          <p className="quiet">
            Without an overlap, the old secret expires immediately, and deliveries that use it are rejected. {also}
          </p>
          {keyed && <HiddenField name="key" label="Signing key" hint="It is never shown again." />}
          <TextField
            name="overlap"
            label="Overlap"
            optional
            hint="How long the old secret stays valid, like 24h; at most 30d"
          />
          <Same by={{ command: `${command} rotate ${name} --overlap 24h`, call: `POST ${path}/rotate` }} />
        </FormDrawer>
      ),
    },
    old_secret_until !== undefined && {
      icon: ShieldX,
      label: 'End the overlap',
      danger: true,
      opens: (close) => (
        <Asked
          title={`End the overlap for ${name}?`}
          verb="End overlap"
          danger
          run={() => rotate({ end_overlap: true })}
          close={close}
        >
          Deliveries that use the old {what} are rejected from now on.
          <Same by={{ command: `${command} rotate ${name} --end-overlap`, call: `POST ${path}/rotate` }} />
        </Asked>
      ),
    },
  ];
}

/** Until when the old secret is valid, and whether anybody still uses it. */
export const OldSecret = ({ of: { old_secret_until, last_old_secret_use } }: { of: Rotated }) =>
  old_secret_until === undefined ? null : (
    <p className="banner waiting">
      <span>
        The old secret is valid until <Time at={old_secret_until} />;{' '}
        {last_old_secret_use === undefined ? (
          'not used since the rotation.'
        ) : (
          <>
            last used <Time at={last_old_secret_use} />.
          </>
        )}
      </span>
    </p>
  );
