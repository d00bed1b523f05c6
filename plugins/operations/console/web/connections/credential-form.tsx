import { type ReactNode, useState } from 'react';
import type { Credential } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useReadAgain } from '../api/read-again.ts';
import { DialogForm, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { listKey } from '../kit/paged.ts';
import { type Kind, KIND_NAMES, KINDS, readKind } from './kinds.ts';

interface Props {
  scope: Scope;
  known?: Credential;
  /** A name that something needs. */
  wanted?: string;
  /** Those that do; empty: all. */
  kinds?: readonly Kind[];
  /** On the button, in place of its usual words. */
  label?: ReactNode;
  /** A name to begin with. */
  suggested?: string;
  onStored?(): void;
}

/** Makes a credential, or replaces the values of one. What it held before is never shown. */
export function CredentialForm({ scope, known, wanted, kinds = [], label, suggested, onStored }: Props) {
  const readAgain = useReadAgain();
  const list = scoped(scope, '/credentials');
  const save = async ({ name = '', ...fields }: Record<string, string>) => {
    const own = known?.name ?? wanted ?? name;
    await json(`${list}/${encodeURIComponent(own)}`, { method: 'PUT', body: fields });
    await readAgain(listKey(list));
    onStored?.();
  };
  return (
    <DialogForm
      label={label ?? (known ? 'Replace' : wanted ? `Make ${wanted}` : 'New credential')}
      title={titleOf(known?.name, wanted)}
      verb={known ? 'Replace it' : 'Store it'}
      main={!known && !wanted && label === undefined}
      run={save}
    >
      <p className="quiet">
        {known
          ? 'Everything that names it uses the new value from its next request on.'
          : 'Workflows use it by its name. Its value is sealed, and never shown again.'}
      </p>
      {!known && !wanted && (
        <TextField name="name" label="Name" value={suggested ?? ''} pattern={NAME} wants={NAME_WANTS} />
      )}
      <KindFields kind={known?.kind} kinds={kinds.length > 0 ? kinds : KIND_NAMES} />
    </DialogForm>
  );
}

function titleOf(known: string | undefined, wanted: string | undefined): string {
  if (known !== undefined) return `Replace the credential ${known}`;
  return wanted === undefined ? 'New credential' : `New credential ${wanted}`;
}

function KindFields({ kind: known, kinds }: { kind?: Kind | undefined; kinds: readonly Kind[] }) {
  const [kind, setKind] = useState(known ?? kinds[0]!);
  return (
    <>
      <label>
        Kind
        <select name="kind" value={kind} onChange={({ target }) => setKind(readKind(target.value))}>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {KINDS[one].title}
            </option>
          ))}
        </select>
      </label>
      {KINDS[kind].fields.map(({ name, label, secret }) =>
        secret ? (
          <HiddenField key={`${kind} ${name}`} name={name} label={label} hint="At least 4 characters" />
        ) : (
          <TextField key={`${kind} ${name}`} name={name} label={label} />
        ),
      )}
    </>
  );
}
