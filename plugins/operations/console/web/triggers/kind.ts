import { RefreshCw } from 'lucide-react';
import type { TriggerView } from '../../../../../cli/generated/api.ts';
import type { NamedKind } from '../kit/named.tsx';
import { TriggerFields, triggerOf } from './form.tsx';
import { TRIGGER_STATES, triggerState } from './state.ts';

export const TRIGGERS: NamedKind<TriggerView> = {
  one: 'trigger',
  title: 'Polling triggers',
  icon: RefreshCw,
  path: '/triggers',
  plural: 'triggers',
  page: '/orgs/$org/projects/$project/triggers',
  command: 'svc trigger',
  about: 'A polling trigger asks another system for a list, and turns each new item into one event.',
  finds: 'Name, connector or credential',
  wordsOf: ({ name, connector, trigger, credential }) => [name, connector, trigger, credential],
  filter: TRIGGER_STATES,
  filterOf: triggerState,
  Fields: TriggerFields,
  bodyOf: triggerOf,
  editNote: 'If you change the connector, the list or its fields, it polls from the start again.',
  removal: 'It polls no longer. If you create it again, it does not know which items it has seen.',
};
