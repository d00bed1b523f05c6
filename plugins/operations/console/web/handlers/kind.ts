import { Zap } from 'lucide-react';
import type { HandlerView } from '../../../../../cli/generated/api.ts';
import type { NamedKind } from '../kit/named.tsx';
import { runsWhat } from '../kit/workflow.ts';
import { ACTIVITIES, activityOf } from './activity.tsx';
import { HandlerFields, handlerOf } from './form.tsx';

export const HANDLERS: NamedKind<HandlerView> = {
  one: 'handler',
  title: 'Handlers',
  icon: Zap,
  path: '/handlers',
  plural: 'handlers',
  page: '/orgs/$org/projects/$project/handlers',
  command: 'svc handler',
  about: 'A handler starts a workflow when an event with one of its types arrives.',
  finds: 'Name, event type or workflow',
  wordsOf: (handler) => [handler.name, ...handler.on, handler.when, runsWhat({ ...handler })],
  filter: ACTIVITIES,
  filterOf: activityOf,
  Fields: HandlerFields,
  bodyOf: handlerOf,
  editNote: 'The change applies to new events. Runs that have started continue unchanged.',
  removal: 'Events no longer start it, and events that wait for a slot are rejected. Runs that have started continue.',
};
