import { useState } from 'react';
import type {
  ManifestAction,
  ManifestExample,
  ManifestValue,
  RenderedAction,
} from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { InlineForm } from '../kit/inline-form.tsx';
import { parseObject } from '../kit/json.ts';
import { Same } from '../kit/page.tsx';
import { SourceField } from '../kit/source.tsx';
import { pretty, shellQuote, visible } from '../kit/text.ts';
import { type Filled, filledIn, renderCommand } from './manifest.ts';

interface Props {
  scope: Scope;
  connector: string;
  action: string;
  described: ManifestAction;
  fields: readonly ManifestValue[];
  example: ManifestExample | undefined;
}

/** The request of an action with values of one's own. Nothing is sent. */
export function RenderForm({ scope, connector, action, described, fields, example }: Props) {
  const [first] = useState<Filled>(() => filledIn(fields, described.inputs ?? [], example));
  const [tried, setTried] = useState<Filled>(first);
  const [shown, setShown] = useState<RenderedAction>();
  const path = scoped(
    scope,
    `/connectors/${encodeURIComponent(connector)}/actions/${encodeURIComponent(action)}/render`,
  );
  const run = async (texts: Record<string, string>) => {
    setShown(undefined);
    const given = {
      with: parseObject(texts.with ?? '', 'The fields'),
      input: parseObject(texts.input ?? '', 'The inputs'),
    };
    setTried(given);
    setShown(await json<RenderedAction>(path, { method: 'POST', body: given }));
  };
  return (
    <>
      <InlineForm verb="Show the request" run={run}>
        {fields.length > 0 && <SourceField name="with" label={`Fields for ${action}`} value={pretty(first.with)} />}
        <SourceField name="input" label={`Inputs for ${action}`} value={pretty(first.input)} />
      </InlineForm>
      {shown && (
        <section aria-label={`Request for ${action}`}>
          <p className="part quiet">This request would be sent. *** stands for what the credential adds.</p>
          <pre>{visible(shown.text)}</pre>
        </section>
      )}
      <Same by={{ command: renderCommand(connector, action, tried, shellQuote), call: `POST ${path}` }} />
    </>
  );
}
