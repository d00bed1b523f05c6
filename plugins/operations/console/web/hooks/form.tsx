import { useState } from 'react';
import type { Hook } from '../../../../../cli/generated/api.ts';
import { ChoiceField, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { textsOf } from '../kit/workflow.ts';

type Mode = Hook['mode'];

const ALGORITHMS = ['sha256', 'sha1', 'sha512'].map((name) => [name, name] as const);
const ENCODINGS = ['hex', 'base64'].map((name) => [name, name] as const);

/** All of a hook but its name. */
export function HookFields({ of: hook }: { of?: Hook }) {
  const [mode, setMode] = useState<Mode>(hook?.mode ?? 'token');
  return (
    <>
      <TextField
        name="event_type"
        label="Event type"
        value={hook?.event_type ?? ''}
        optional
        hint="build.done. Default: hook.<name>, or the type that the connector finds in the delivery."
      />
      <label>
        Deliveries are verified by
        <select name="mode" value={mode} onChange={({ target }) => setMode(target.value as Mode)}>
          <option value="token">A secret that the service creates</option>
          <option value="manifest">A signature that a connector describes</option>
          <option value="hmac">An HMAC signature in a header</option>
        </select>
      </label>
      {mode === 'manifest' && (
        <TextField
          name="manifest"
          label="Connector"
          value={hook?.manifest ?? ''}
          hint="standard_webhooks, or another connector with deliveries: svc connector ls"
        />
      )}
      {mode === 'hmac' && (
        <>
          <TextField name="header" label="Header with the HMAC" value={hook?.hmac?.header ?? ''} hint="X-Signature" />
          <TextField name="prefix" label="Prefix" value={hook?.hmac?.prefix ?? ''} optional hint="sha256=" />
          <ChoiceField
            name="algorithm"
            label="Algorithm"
            value={hook?.hmac?.algorithm ?? 'sha256'}
            choices={ALGORITHMS}
          />
          <ChoiceField name="encoding" label="Encoding" value={hook?.hmac?.encoding ?? 'hex'} choices={ENCODINGS} />
        </>
      )}
      {mode !== 'token' && (
        <HiddenField name="key" label="Signing key" hint="The sender's key. It is never shown again." />
      )}
    </>
  );
}

/** What the form says, as the API takes it. */
export function hookOf(fields: Record<string, string>): Record<string, unknown> {
  const type = textsOf(fields, ['event_type']);
  const { mode, key } = fields;
  if (mode === 'manifest') return { ...type, ...textsOf(fields, ['manifest']), key };
  if (mode === 'hmac')
    return { ...type, hmac: { ...textsOf(fields, ['header', 'prefix', 'algorithm', 'encoding']), key } };
  return type;
}
