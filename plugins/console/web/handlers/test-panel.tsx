import { useState } from 'react';
import type { TestedHandlerView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Status } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { Fact } from '../kit/facts.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { parseJson } from '../kit/json.ts';
import { CheckField, LongField } from '../kit/more-fields.tsx';
import { pretty, visible } from '../kit/text.ts';
import { textsOf } from '../kit/workflow.ts';
import { EventLink } from '../events/table.tsx';

interface Props {
  scope: Scope;
  path: string;
  name: string;
  event?: string | undefined;
}

/** What an event, a past one or one that is made up, would do for a handler as it is now; nothing is started. */
export function TestPanel({ scope, path, name, event }: Props) {
  const [tested, setTested] = useState<TestedHandlerView>();
  const test = async (fields: Record<string, string>) => {
    setTested(undefined);
    setTested(await json(`${path}/test`, { method: 'POST', body: { event: fields.event?.trim() } }));
  };
  const tryIt = async (fields: Record<string, string>) => {
    const body = {
      ...textsOf(fields, ['type', 'key']),
      payload: parseJson(fields.payload ?? ''),
      trusted: fields.untrusted === undefined,
    };
    setTested(undefined);
    setTested(await json(`${path}/test`, { method: 'POST', body }));
  };
  return (
    <Panel title="Test it against an event">
      <InlineForm verb="Test it" run={test}>
        <TextField
          name="event"
          label="Id of the event"
          value={event ?? ''}
          hint="evt_…, from the page Events or from the list below. Nothing is started."
        />
      </InlineForm>
      <details>
        <summary>With an event that is made up</summary>
        <InlineForm verb="Try it" run={tryIt}>
          <TextField
            name="type"
            label="Type of the event"
            optional
            hint="Absent: the first pattern that is no prefix"
          />
          <TextField name="key" label="Its key" optional />
          <LongField name="payload" label="Its payload, as JSON" value="{}" rows={4} />
          <CheckField name="untrusted" label="As if nobody vouched for it" />
        </InlineForm>
      </details>
      <div role="status">{tested && <Answer scope={scope} tested={tested} />}</div>
      <Same by={{ command: `svc handler test ${name} --event ${event ?? '<event>'}`, call: `POST ${path}/test` }} />
      <Same by={{ command: `svc handler test ${name} --payload '{}'`, call: `POST ${path}/test` }} />
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
  tested: { event, type, pattern, when, outcome, reason, input },
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
      {event === undefined ? (
        <>made up: {visible(type)}</>
      ) : (
        <EventLink scope={scope} event={event}>
          {visible(type)}
        </EventLink>
      )}
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
    {input && (
      <Fact name="Input of the run">
        <Block text={pretty(input)} />
      </Fact>
    )}
  </dl>
);
