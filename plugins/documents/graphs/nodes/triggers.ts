import type { Fault } from '../../../../kernel/contracts/index.ts';
import { validateEventType } from '../../../events/bus/contract.ts';
import type { FlowNodeType } from '../../../engine/flows/contract.ts';
import { FLOW_PROPERTIES, type FlowBody, validateFlow, validatePatterns } from '../../../events/handlers/contract.ts';
import type { HmacSettings } from '../../../integrations/hooks/contract.ts';
import type { ConnectorManifests } from '../../../integrations/manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { ScheduleOwnership } from '../../../events/schedules/contract.ts';
import type { GraphNodeType, NodeConfig } from '../contract.ts';
import { MANUAL } from '../domain/triggers.ts';
import { isObject } from '../domain/values.ts';
import { validateLiterals } from './literals.ts';

export const WEBHOOK = 'trigger.webhook';
const FLOW_TYPE = 'graph.trigger';
const WHEN = {
  type: 'string',
  minLength: 1,
  maxLength: 8192,
  description: 'A CEL expression over `event`. A run starts if the result is true.',
};
const CREDENTIAL = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';

export interface TriggerDeps {
  manifests(): Pick<ConnectorManifests, 'find' | 'all'>;
  schedules(): Pick<ScheduleOwnership, 'validate'>;
}

/** Every trigger is a node that is there when it has begun the run; its output is the input of the run. */
const trigger = (type: Omit<GraphNodeType, 'trigger' | 'lower'>): GraphNodeType => ({
  ...type,
  trigger: true,
  lower: () => ({ type: FLOW_TYPE, config: {} }),
});

export const triggerFlowNode: FlowNodeType = {
  type: FLOW_TYPE,
  begin: (_tx, { evaluate }) => ({ output: evaluate('input') }),
};

const manual = trigger({
  type: MANUAL,
  title: 'A submission or a call',
  config: { type: 'object', properties: {} },
});

const FLOW_MEMBERS = Object.keys(FLOW_PROPERTIES);

/** The options that decide when and how often the events of a trigger start runs. */
export const flowOf = (config: NodeConfig): FlowBody =>
  Object.fromEntries(FLOW_MEMBERS.filter((member) => member in config).map((member) => [member, config[member]]));

function flowErrors(config: NodeConfig): Fault[] {
  const literal = validateLiterals(config, FLOW_MEMBERS);
  return literal.length > 0 ? literal : validateFlow(flowOf(config));
}

/** The patterns of `on`: a list, or a text with commas. */
export const patternsOf = ({ on }: NodeConfig): string[] =>
  [on ?? []].flat().flatMap((one) => (typeof one === 'string' ? one.split(',').map((pattern) => pattern.trim()) : []));

const event = trigger({
  type: 'trigger.event',
  title: 'An event in the project',
  config: {
    type: 'object',
    required: ['on'],
    properties: {
      on: {
        type: ['string', 'array'],
        minItems: 1,
        maxItems: 32,
        items: { type: 'string', maxLength: 1024 },
        description: 'Types of events: an exact type, a prefix with `*` at its end, or `*`.',
      },
      when: WHEN,
      ...FLOW_PROPERTIES,
    },
  },
  predicates: ['when'],
  faults: (config) => [
    ...validateLiterals(config, ['on']),
    ...flowErrors(config),
    ...validatePatterns(patternsOf(config)).map(atPatterns(config)),
  ],
});

/** A text with commas is one member. */
const atPatterns =
  ({ on }: NodeConfig) =>
  (error: Fault): Fault =>
    typeof on === 'string' ? { ...error, pointer: '/on' } : error;

const schedule = ({ schedules }: TriggerDeps): GraphNodeType =>
  trigger({
    type: 'trigger.schedule',
    title: 'A time',
    config: {
      type: 'object',
      required: ['cron'],
      properties: {
        cron: {
          type: 'string',
          minLength: 1,
          maxLength: 255,
          description: 'Five fields, or six fields if the first one is seconds.',
        },
        timezone: { type: 'string', minLength: 1, maxLength: 64, description: 'IANA name; default UTC.' },
      },
    },
    faults(config) {
      const literal = validateLiterals(config, ['cron', 'timezone']);
      const { cron, timezone } = config;
      if (literal.length > 0 || typeof cron !== 'string') return literal;
      return schedules().validate(cron, typeof timezone === 'string' ? timezone : undefined);
    },
  });

/** How a sender proves its deliveries. Without it, deliveries carry a shared token. */
export interface Verification {
  manifest?: string;
  hmac?: Partial<HmacSettings> & Pick<HmacSettings, 'header'>;
  /** The name of the credential whose value is the signing key. */
  credential?: string;
}

export const verificationOf = ({ verification }: NodeConfig): Verification | undefined =>
  isObject(verification) ? (verification as Verification) : undefined;

export const eventTypesOf = ({ event_types }: NodeConfig): string[] =>
  Array.isArray(event_types) ? event_types.filter((one) => typeof one === 'string') : [];

const VERIFICATION = {
  type: 'object',
  additionalProperties: false,
  required: ['credential'],
  properties: {
    manifest: { type: 'string', maxLength: 63, description: 'A connector that defines how its deliveries are signed.' },
    hmac: {
      type: 'object',
      additionalProperties: false,
      required: ['header'],
      properties: {
        header: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$" },
        prefix: { type: 'string', pattern: '^[\\x21-\\x7e]{0,64}$' },
        algorithm: { enum: ['sha256', 'sha1', 'sha512'] },
        encoding: { enum: ['hex', 'base64'] },
      },
      description: 'An HMAC of the body in a header, if no manifest defines the signature.',
    },
    credential: {
      type: 'string',
      pattern: CREDENTIAL,
      description: 'Its value is the key, which is read when the graph is published.',
    },
  },
  description: 'How deliveries are signed. Default: a shared token, which publishing creates and shows once.',
};

function validateWebhook(config: NodeConfig, manifests: TriggerDeps['manifests']): Fault[] {
  const literal = validateLiterals(config, ['event_types', 'verification']);
  if (literal.length > 0) return literal;
  const verification = verificationOf(config);
  const types = eventTypesOf(config);
  const errors = types.flatMap((type, i) => {
    const message = validateEventType(type);
    return message === undefined ? [] : [{ pointer: `/event_types/${i}`, message }];
  });
  const manifest = verification?.manifest;
  if (verification && (manifest === undefined) === (verification.hmac === undefined))
    errors.push({ pointer: '/verification', message: 'needs either manifest or hmac in addition to the credential' });
  if (manifest !== undefined && manifests().find(manifest)?.hook === undefined) {
    const connectors = manifests()
      .all()
      .filter(({ hook }) => hook !== undefined);
    const names = connectors.map(({ name }) => name).join(', ');
    errors.push({
      pointer: '/verification/manifest',
      message: `is not a connector that describes how its deliveries are signed; ${names} do`,
    });
  }
  if (types.length > 1 && manifest === undefined)
    errors.push({
      pointer: '/event_types',
      message: 'can name several types only with a manifest that reads the event type from the delivery',
    });
  return errors;
}

const webhook = ({ manifests }: TriggerDeps): GraphNodeType =>
  trigger({
    type: WEBHOOK,
    title: 'A delivery from another system',
    config: {
      type: 'object',
      properties: {
        event_types: {
          type: 'array',
          maxItems: 32,
          uniqueItems: true,
          items: { type: 'string', minLength: 1, maxLength: 64 },
          description: 'The part after `graph.<graph>.<node>.` in the types of events that start a run. Default: all.',
        },
        verification: VERIFICATION,
        when: WHEN,
        ...FLOW_PROPERTIES,
      },
    },
    predicates: ['when'],
    faults: (config) => [...validateWebhook(config, manifests), ...flowErrors(config)],
    credentials(config) {
      const { credential } = verificationOf(config) ?? {};
      return typeof credential === 'string' ? [{ name: credential, pointer: '/verification/credential' }] : [];
    },
  });

export const triggerNodes = (deps: TriggerDeps): readonly GraphNodeType[] => [
  manual,
  event,
  schedule(deps),
  webhook(deps),
];

export const readText = (config: NodeConfig, member: string): string | undefined => {
  const value: Json | undefined = config[member];
  return typeof value === 'string' ? value : undefined;
};
