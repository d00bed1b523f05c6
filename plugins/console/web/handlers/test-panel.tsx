import { useState } from 'react';
import type { TestedHandlerView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Status } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { Fact } from '../kit/facts.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { EventLink } from '../events/table.tsx';

interface Props {
  scope: Scope;
  path: string;
  name: string;
  event?: string | undefined;
}

/** What a past event would do for a handler as it is now; nothing is started. */
export function TestPanel({ scope, path, name, event }: Props) {
  const [tested, setTested] = useState<TestedHandlerView>();
  const test = async (fields: Record<string, string>) => {
    setTested(undefined);
    setTested(await json(`${path}/test`, { method: 'POST', body: { event: fields.event?.trim() } }));
  };
  return (
    <Panel title="Test it against a past event">
      <InlineForm verb="Test it" run={test}>
        <TextField
          name="event"
          label="Id of the event"
          value={event ?? ''}
          hint="evt_…, from the page Events or from the list below. Nothing is started."
        />
      </InlineForm>
      <div role="status">{tested && <Answer scope={scope} tested={tested} />}</div>
      <Same by={{ command: `svc handler test ${name} --event ${event ?? '<event>'}`, call: `POST ${path}/test` }} />
    </Panel>
  );
}

const SAYS: Record<TestedHandlerView['outcome'], string> = {
  start: 'a run would start at once',
  queue: 'a run would start when there is a place',
  not_matched: 'no pattern fits',
  withheld: 'a run would be withheld',
  declined: 'the predicate declines it',
  refused: 'it would be refused',
};

const Answer = ({
  scope,
  tested: { event, type, pattern, when, outcome, reason },
}: {
  scope: Scope;
  tested: TestedHandlerView;
}) => (
  <dl>
    <Fact name="Outcome">
      <Status of={outcome} />: {SAYS[outcome]}
    </Fact>
    <Fact name="Why">{visible(reason)}</Fact>
    <Fact name="Event">
      <EventLink scope={scope} event={event}>
        {visible(type)}
      </EventLink>
    </Fact>
    {pattern !== undefined && (
      <Fact name="Pattern that fits">
        <code>{visible(pattern)}</code>
      </Fact>
    )}
    {when && (
      <Fact name="Predicate">
        <code>{visible(when.source)}</code> {when.error === undefined ? `is ${when.value}` : visible(when.error)}
      </Fact>
    )}
  </dl>
);
