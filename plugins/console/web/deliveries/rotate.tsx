import { Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { DialogForm, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { Fact } from '../kit/facts.tsx';
import { Same } from '../kit/page.tsx';
import { textsOf } from '../kit/workflow.ts';

interface Rotated {
  name: string;
  old_secret_until?: string;
  last_old_secret_use?: string;
}

interface Props {
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

/** Makes or takes a new secret, and ends the old one. */
export function Rotate({ of: { name, old_secret_until }, command, path, keyed = false, also, rotate }: Props) {
  const what = keyed ? 'key' : 'secret';
  return (
    <>
      <DialogForm
        label={`New ${what}`}
        title={keyed ? `Set a new signing key for ${name}` : `Make a new secret for ${name}?`}
        verb={keyed ? 'Set it' : 'Make it'}
        run={(fields) => rotate({ ...(keyed && { key: fields.key }), ...textsOf(fields, ['overlap']) })}
      >
        <p className="quiet">Without an overlap the old one ends at once, and deliveries with it are refused. {also}</p>
        {keyed && <HiddenField name="key" label="Signing key" hint="It is never shown again." />}
        <TextField name="overlap" label="Overlap" optional hint="How long the old one counts too: 24h, at most 30d" />
        <Same by={{ command: `${command} rotate ${name} --overlap 24h`, call: `POST ${path}/rotate` }} />
      </DialogForm>
      {old_secret_until !== undefined && (
        <Confirm
          label="End the old one"
          title={`End the old ${what} of ${name}?`}
          verb="End it"
          danger
          run={() => rotate({ end_overlap: true })}
        >
          Deliveries with it are refused from now on.
          <Same by={{ command: `${command} rotate ${name} --end-overlap`, call: `POST ${path}/rotate` }} />
        </Confirm>
      )}
    </>
  );
}

/** Until when the old secret counts, and whether anybody still uses it. */
export const OldSecret = ({ of: { old_secret_until, last_old_secret_use } }: { of: Rotated }) =>
  old_secret_until === undefined ? null : (
    <Fact name="Old secret">
      counts until <Time at={old_secret_until} />;{' '}
      {last_old_secret_use === undefined ? (
        'not used since the rotation'
      ) : (
        <>
          used last <Time at={last_old_secret_use} />
        </>
      )}
    </Fact>
  );
