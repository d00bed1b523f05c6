import { useState } from 'react';
import type { TestedHandlerView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { EventLink } from '../events/links.tsx';
import { Status } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { Fact } from '../kit/facts.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { parseJson } from '../kit/json.ts';
import { JsonText } from '../kit/json-text.tsx';
import { CheckField, LongField } from '../kit/more-fields.tsx';
import { CommandLine, Panel } from '../kit/page.tsx';
import { pretty, visible } from '../kit/text.ts';
import { textsOf } from '../kit/workflow.ts';

interface Props {
  scope: Scope;
  path: string;
  name: string;
  event?: string | undefined;
}

/** What an event, a past one or one that is made up, would do for a handler as it is now; nothing is started. */
export function TestPanel({ scope, path, name, event }: Props) {
  const [sample, setSample] = useState(false);
  const [tested, setTested] = useState<TestedHandlerView>();
  const test = async (fields: Record<string, string>) => {
    const body = sample
      ? {
          ...textsOf(fields, ['type', 'key']),
          payload: parseJson(fields.payload ?? ''),
          trusted: fields.untrusted === undefined,
        }
      : { event: fields.event?.trim() };
    setTested(undefined);
    setTested(await json(`${path}/test`, { method: 'POST', body }));
  };
  const choose = (next: boolean) => {
    setSample(next);
    setTested(undefined);
  };
  return (
    <Panel
      title="Test"
      aside={
        // biome-ignore lint/a11y/useSemanticElements: two buttons of which one is pressed
        <div className="seg" role="group" aria-label="Test with">
          <button type="button" aria-pressed={!sample} onClick={() => choose(false)}>
            Recorded event
          </button>
          <button type="button" aria-pressed={sample} onClick={() => choose(true)}>
            Sample event
          </button>
        </div>
      }
      foot={
        <CommandLine
          command={`svc handler test ${name} ${sample ? "--payload '{}'" : `--event ${event ?? '<event>'}`}`}
        />
      }
    >
      <InlineForm key={String(sample)} verb="Test handler" run={test}>
        {sample ? (
          <>
            <div className="row">
              <TextField name="type" label="Type" optional hint="Default: the first pattern without *" />
              <TextField name="key" label="Key" optional />
            </div>
            <LongField name="payload" label="Payload, as JSON" value="{}" rows={4} />
            <CheckField name="untrusted" label="Treat as untrusted" />
          </>
        ) : (
          <TextField
            name="event"
            label="Event ID"
            value={event ?? ''}
            hint="Click the flask icon next to an event in the list, or paste an ID. No run starts."
          />
        )}
      </InlineForm>
      <div role="status">{tested && <Answer scope={scope} tested={tested} />}</div>
    </Panel>
  );
}

const SAYS: Record<TestedHandlerView['outcome'], string> = {
  start: 'A run would start now',
  queue: 'A run would start when a slot is free',
  not_matched: 'No event type matches',
  withheld: 'No run would start: the event comes from a handler run',
  declined: 'The condition declines it',
  refused: 'It would be rejected',
};

const Answer = ({
  scope,
  tested: { event, type, pattern, when, outcome, reason, input },
}: {
  scope: Scope;
  tested: TestedHandlerView;
}) => (
  <dl>
    <Fact name="Result">
      <Status of={outcome}>{SAYS[outcome]}</Status>
    </Fact>
    <Fact name="Reason">{visible(reason)}</Fact>
    <Fact name="Event">
      {event === undefined ? (
        <>Sample {visible(type)}</>
      ) : (
        <EventLink scope={scope} event={event}>
          {visible(type)}
        </EventLink>
      )}
    </Fact>
    {pattern !== undefined && (
      <Fact name="Matches">
        <code>{visible(pattern)}</code>
      </Fact>
    )}
    {when && (
      <Fact name="Condition">
        <code>{visible(when.source)}</code> {when.error === undefined ? `is ${when.value}` : visible(when.error)}
      </Fact>
    )}
    {input && (
      <Fact name="Run input">
        <JsonText text={pretty(input)} />
      </Fact>
    )}
  </dl>
);
