import type { TriggerView } from '../../../../../cli/generated/api.ts';
import { ChoiceField, TextField } from '../kit/dialog-form.tsx';
import { parseObject } from '../kit/json.ts';
import { LongField } from '../kit/more-fields.tsx';
import { textsOf } from '../kit/workflow.ts';

const STARTS = [
  ['now', 'Only new ones'],
  ['beginning', 'All of them'],
] as const;

const textOf = (value: object | undefined): string =>
  value === undefined || Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);

/** The fields of a trigger, except its name. */
export const TriggerFields = ({ of: trigger }: { of?: TriggerView }) => (
  <>
    <div className="row">
      <TextField
        name="connector"
        label="Connector"
        value={trigger?.connector ?? ''}
        hint="svc connector ls lists them"
      />
      <TextField
        name="trigger"
        label="List"
        value={trigger?.trigger ?? ''}
        hint="A trigger of the connector, such as orders"
      />
      <TextField
        name="credential"
        label="Credential or account"
        value={trigger?.credential ?? ''}
        optional
        hint="Leave it empty if the list is public"
      />
    </div>
    <div className="row">
      <TextField
        name="every"
        label="Poll every"
        value={trigger?.every ?? ''}
        optional
        hint="5m; if empty, as the connector says"
      />
      <ChoiceField name="from" label="Items that exist already" value={trigger?.from ?? 'now'} choices={STARTS} />
    </div>
    <LongField
      name="with"
      label="Fields of the connector"
      value={textOf(trigger?.with)}
      hint='JSON, such as {"host": "shop.example.com"}'
    />
    <LongField name="input" label="Inputs" value={textOf(trigger?.input)} hint='JSON, such as {"status": "paid"}' />
  </>
);

/** Builds the body of the request from the form. Throws an error in plain words. */
export function triggerOf(fields: Record<string, string>): Record<string, unknown> {
  return {
    ...textsOf(fields, ['connector', 'trigger', 'credential', 'every', 'from']),
    with: parseObject(fields.with ?? '', 'Fields of the connector'),
    input: parseObject(fields.input ?? '', 'Inputs'),
  };
}
