import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Credential } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { FormDialog, DialogForm, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { listKey } from '../kit/paged.ts';
import { type Kind, KIND_NAMES, KINDS, readKind } from './kinds.ts';

interface Of {
  scope: Scope;
  known?: Credential;
  /** A name that something needs. */
  wanted?: string;
  /** Those that do; empty: all. */
  kinds?: readonly Kind[];
  /** A name to begin with. */
  suggested?: string;
}

interface Props extends Of {
  /** On the button, in place of its usual words. */
  label?: ReactNode;
  onStored?(): void;
}

/** Makes a credential, or replaces the values of one. What it held before is never shown. */
export function CredentialForm({ label, onStored, ...of }: Props) {
  const { known, wanted } = of;
  const run = useSave(of, onStored);
  const isNew = !known && !wanted && label === undefined;
  return (
    <DialogForm
      label={label ?? (known ? 'Replace value' : wanted ? `Create ${wanted}` : 'New credential')}
      icon={isNew ? Plus : undefined}
      {...wordsOf(of)}
      main={isNew}
      run={run}
    >
      <Fields {...of} />
    </DialogForm>
  );
}

/** Replaces the values of one, opened by an item of a menu. */
export function ReplaceCredentialDialog({ close, ...of }: Of & { close(): void }) {
  const run = useSave(of);
  return (
    <FormDialog {...wordsOf(of)} run={run} close={close}>
      <Fields {...of} />
    </FormDialog>
  );
}

function useSave({ scope, known, wanted }: Of, onStored?: () => void) {
  const refetch = useRefetch();
  const list = scoped(scope, '/credentials');
  return async ({ name = '', hosts = '', ...fields }: Record<string, string>) => {
    const own = known?.name ?? wanted ?? name;
    await json(`${list}/${encodeURIComponent(own)}`, { method: 'PUT', body: { ...fields, ...readHosts(hosts) } });
    await refetch(listKey(list));
    onStored?.();
  };
}

/** The hosts that a person typed, separated by commas or spaces. */
function readHosts(text: string): { hosts?: string[] } {
  const hosts = text.split(/[\s,]+/).filter((host) => host !== '');
  return hosts.length === 0 ? {} : { hosts };
}

const wordsOf = ({ known, wanted }: Of) => ({
  title: titleOf(known?.name, wanted),
  verb: known ? 'Replace value' : 'Store credential',
});

const Fields = ({ known, wanted, kinds = [], suggested = '' }: Of) => (
  <>
    <p className="quiet">
      {known
        ? 'Everything that uses this credential sends the new value with its next request.'
        : 'Workflows refer to it by name. Its value is sealed and never shown again.'}
    </p>
    {!known && !wanted && <TextField name="name" label="Name" value={suggested} pattern={NAME} wants={NAME_WANTS} />}
    <KindFields kind={known?.kind} kinds={kinds.length > 0 ? kinds : KIND_NAMES} />
    <TextField
      name="hosts"
      label="Allowed hosts (optional)"
      value={known?.hosts?.join(', ') ?? ''}
      hint="Such as api.example.com, *.example.org. If set, requests to other hosts fail, and jobs cannot get the value."
      optional
    />
  </>
);

function titleOf(known: string | undefined, wanted: string | undefined): string {
  if (known !== undefined) return `Replace the value of ${known}`;
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
