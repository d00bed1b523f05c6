import { isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import { validateWithSuggestions, pointerTo, UNKNOWN_MEMBER } from '../../../platform/schema/contract.ts';
import type { ManifestProblem } from '../contract.ts';
import type { ConnectorManifest, ManifestTrigger, ManifestValue } from '../generated/connector-manifest.ts';
import schema from '../schema/connector-manifest.schema.json' with { type: 'json' };
import { validateDeliveryExample } from './check-deliveries.ts';
import { validateHook } from './check-hook.ts';

const validateSchema = validateWithSuggestions(schema);

/**
 * Validates a document as a `svc-connector/v1` manifest, except for its templates. Returns an empty list when it is
 * valid.
 */
export function validateManifest(document: unknown): ManifestProblem[] {
  const errors = validateSchema(document);
  if (errors.length > 0) return errors.map(({ pointer, message }) => ({ pointer, message, ...describeRule(message) }));
  const manifest = document as ConnectorManifest;
  return [
    ...validateValues(manifest.fields, '/fields', false),
    ...Object.entries(manifest.actions ?? {}).flatMap(([name, action]) =>
      validateValues(action!.inputs, `${pointerTo('/actions', name)}/inputs`, true),
    ),
    ...Object.entries(manifest.triggers ?? {}).flatMap(([name, trigger]) =>
      validateTrigger(trigger!, pointerTo('/triggers', name)),
    ),
    ...validateCredential(manifest),
    ...validateTest(manifest),
    ...(manifest.hook ? validateHook(manifest.hook) : []),
    ...validateExamples(manifest),
  ];
}

const PAGE = 'docs/connectors.md lists the members of a manifest';

function describeRule(message: string): Pick<ManifestProblem, 'rule' | 'fix'> {
  if (message.startsWith(UNKNOWN_MEMBER))
    return {
      rule: 'unknown_member',
      fix: `remove it, or correct its name; a manifest contains data and no code; ${PAGE}`,
    };
  if (message === 'is required') return { rule: 'required', fix: `add it; ${PAGE}` };
  return { rule: 'schema', fix: `change it to what the message requires; ${PAGE}` };
}

/** Names are unique. Only text inputs may be Markdown. */
function validateValues(values: readonly ManifestValue[] = [], at: string, inputs: boolean): ManifestProblem[] {
  const seen = new Set<string>();
  return values.flatMap(({ name, type, markdown, one_of, required, ...rest }, index) => {
    const problems: ManifestProblem[] = [];
    const report = (member: string, rule: string, message: string, fix: string) =>
      problems.push({ pointer: `${pointerTo(at, index)}/${member}`, rule, message, fix });
    if (seen.has(name)) report('name', 'name_twice', 'is used more than once', 'give each value a different name');
    seen.add(name);
    if (markdown && (type !== 'string' || !inputs))
      report('markdown', 'markdown_text', 'is allowed only for inputs of type string', 'remove it here');
    if (one_of && type !== 'string')
      report('one_of', 'one_of_text', 'is allowed only for type string', 'remove it, or make the type string');
    if (required && 'default' in rest)
      report(
        'default',
        'default_unused',
        'has no effect where the value is required',
        'remove it, or remove `required`',
      );
    return problems;
  });
}

/** The interval and the time limit have bounds, so that no manifest can make a server ask all the time. */
function validateTrigger(
  { inputs = [], items, paginate, every, timeout }: ManifestTrigger,
  at: string,
): ManifestProblem[] {
  const problems = validateValues(inputs, `${at}/inputs`, true);
  const report = (member: string, rule: string, message: string, fix: string) =>
    problems.push({ pointer: `${at}${member}`, rule, message, fix });
  if (inputs.some(({ name }) => name === 'cursor'))
    report('/inputs', 'cursor_input', 'must not declare cursor', 'remove it: svc sets input.cursor itself');
  if ((items === undefined) === (paginate === undefined))
    report('/items', 'items_form', 'must be set without `paginate`, and only then', 'keep one of the two');
  const durations = { '/every/default': every?.default, '/every/least': every?.least, '/timeout': timeout };
  for (const [member, text] of Object.entries(durations)) {
    const { least, most } = member === '/timeout' ? TIMEOUT_BOUNDS : INTERVAL_BOUNDS;
    if (text !== undefined && !isDuration(text, parseDuration(least), parseDuration(most)))
      report(member, 'duration_bounds', `must be a duration from ${least} to ${most}`, 'write one such as 5m');
  }
  return problems;
}

const INTERVAL_BOUNDS = { least: '10s', most: '1d' };
const TIMEOUT_BOUNDS = { least: '1s', most: '2m' };

function isDuration(text: string, least_ms: number, most_ms: number): boolean {
  try {
    const ms = parseDuration(text);
    return ms >= least_ms && ms <= most_ms;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
}

function validateCredential({ credential }: ConnectorManifest): ManifestProblem[] {
  if (credential?.header === undefined || credential.kind === 'api_key') return [];
  return [
    {
      pointer: '/credential/header',
      rule: 'header_of_api_key',
      message: 'is allowed only for kind api_key',
      fix: 'remove it: the other kinds do not use it',
    },
  ];
}

const TEST_METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

/** A test must change nothing, and there must be something to test. */
function validateTest({ credential, test }: ConnectorManifest): ManifestProblem[] {
  if (test === undefined) return [];
  const { request, accepted = [], refused = [] } = test;
  const problems: ManifestProblem[] = [];
  const report = (member: string, rule: string, message: string, fix: string) =>
    problems.push({ pointer: `/test${member}`, rule, message, fix });
  if (credential === undefined)
    report('', 'test_of_credential', 'needs `credential`: it tests whether one is accepted', 'add `credential`');
  if (!TEST_METHODS.includes(request.method))
    report(
      '/request/method',
      'test_method',
      `must be ${TEST_METHODS.join(', ')}: a test changes nothing`,
      'use a request that only reads, such as one for the identity of the caller',
    );
  const twice = refused.find((status) => accepted.includes(status));
  if (twice !== undefined)
    report('/refused', 'test_status', `has ${twice}, which \`accepted\` has too`, 'keep it in one of the two');
  return problems;
}

/** An example shows an action or a delivery. */
function validateExamples(manifest: ConnectorManifest): ManifestProblem[] {
  const { examples = [], actions = {} } = manifest;
  return examples.flatMap((example, index) => {
    const { action, request, refused, delivery } = example;
    const at = pointerTo('/examples', index);
    const report = (member: string, rule: string, message: string, fix: string): ManifestProblem[] => [
      { pointer: `${at}${member}`, rule, message, fix },
    ];
    if ((action === undefined) === (delivery === undefined))
      return report('', 'example_form', 'must have either `action` or `delivery`', 'keep one of the two');
    if (delivery !== undefined) return validateDeliveryExample(manifest, delivery, `${at}/delivery`);
    if (!Object.hasOwn(actions, action!))
      return report(
        '/action',
        'action_unknown',
        'is not an action of this manifest',
        `use ${Object.keys(actions).join(', ')}`,
      );
    if ((request === undefined) !== (refused === undefined)) return [];
    return report(
      '/request',
      'required',
      'is required with `action`, unless there is `refused`',
      'write the request that the action sends',
    );
  });
}
