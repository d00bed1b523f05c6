import { Errors, type Expressions } from '../../../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestCredential, ManifestReading } from '../../manifests/contract.ts';
import { toCall, toExampleRequest } from '../domain/examples.ts';
import { checkConnector, compileConnector } from '../service/compile-connectors.ts';
import { isObject, type JsonObject, OpenapiDocument, toList, toObject, toText } from './document.ts';
import { type ConvertedAction, convertOperation, METHODS, type Operation } from './operation.ts';
import { describe } from './values.ts';
import type { ImportedConnector } from '../local/tool-answers.ts';

export interface ImportOptions {
  /** The name of the connector. By default, it is made of the title. */
  name?: string | undefined;
  /** Only these operations, by the ID or by the name of the action. */
  operations?: readonly string[] | undefined;
}

const NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const MAX_EXAMPLES = 256;
/** svc reads manifests of at most 1 MiB. */
const MAX_MANIFEST_BYTES = 1024 * 1024;
const MAX_ADDRESS_LENGTH = 2048;
const MAX_NOTES = 100;
const MAX_NAMED = 10;

/** Makes a manifest of an OpenAPI document. Throws `invalid_request` when nothing can be made of it. */
export function importOpenapi(
  source: unknown,
  options: ImportOptions,
  { reading, expressions }: { reading: ManifestReading; expressions: Expressions },
): ImportedConnector {
  if (!isObject(source) || typeof source.openapi !== 'string' || !source.openapi.startsWith('3.'))
    throw Errors.invalidRequest(
      isObject(source) && source.swagger !== undefined
        ? 'the document is Swagger 2; convert it to OpenAPI 3 first'
        : 'the document is not OpenAPI 3: its member `openapi` must be 3.x',
    );
  const document = new OpenapiDocument(source);
  const chosen = chooseOperations(listOperations(document), options.operations);
  const notes: ImportedConnector['notes'] = [];
  const credential = convertSecurity(
    document,
    chosen.map(({ operation }) => operation),
    notes,
  );
  const converted = new Map<string, ConvertedAction>();
  let length = 0;
  for (const { name, operation } of chosen) {
    const one = convertOperation(document, operation);
    if ('reason' in one) notes.push({ operation: name, note: `is left out: ${one.reason}` });
    else {
      notes.push(...one.notes.map((note) => ({ operation: name, note })));
      converted.set(name, withToken(one, credential));
      length += JSON.stringify(one.action).length;
    }
    if (length > MAX_MANIFEST_BYTES) throw tooLarge(chosen.length);
  }
  const manifest = assemble(document, { name: options.name, credential: credential?.declared, converted });
  const valid = dropInvalid(manifest, { reading, expressions, notes });
  const described = addExamples(valid, converted, expressions);
  const fits = [described, { ...valid, examples: [] }].find((one) => sizeOf(one) <= MAX_MANIFEST_BYTES);
  if (fits === undefined) throw tooLarge(chosen.length);
  if (fits !== described) notes.push({ operation: '(all)', note: 'the examples are left out: they are too large' });
  return { manifest: fits, notes: limitNotes(notes) };
}

/** As the command writes it. */
const sizeOf = (manifest: ConnectorManifest): number => Buffer.byteLength(JSON.stringify(manifest, null, 2));

const tooLarge = (count: number) =>
  Errors.invalidRequest(
    `the ${count} operations make a manifest of more than ${MAX_MANIFEST_BYTES} bytes; choose some with --operations`,
  );

function limitNotes(notes: ImportedConnector['notes']): ImportedConnector['notes'] {
  if (notes.length <= MAX_NOTES) return notes;
  return [...notes.slice(0, MAX_NOTES), { operation: '(others)', note: `${notes.length - MAX_NOTES} more notes` }];
}

interface NamedOperation {
  name: string;
  id: string | undefined;
  operation: Operation;
}

function listOperations(document: OpenapiDocument): NamedOperation[] {
  const names = new Map<string, number>();
  return Object.entries(toObject(document.root.paths)).flatMap(([path, entry]) => {
    const described = document.resolve(entry) ?? {};
    return METHODS.filter((method) => isObject(described[method])).map((method) => {
      const operation = described[method] as JsonObject;
      const id = toText(operation.operationId);
      const name = uniqueName(toActionName(id ?? `${method} ${path}`), names);
      return {
        name,
        id,
        operation: { method, path, described: operation, shared_parameters: toList(described.parameters) },
      };
    });
  });
}

/** `listPets`, `pets/list` and `Pets.list` become names in snake_case. */
function toActionName(text: string): string {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 60)
    .replace(/_+$/, '');
  return name === '' ? 'call' : name;
}

function uniqueName(name: string, names: Map<string, number>): string {
  const last = names.get(name);
  let [unique, nth] = [name, last ?? 1];
  while (names.has(unique)) unique = `${name}_${(nth += 1)}`;
  names.set(name, nth);
  if (unique !== name) names.set(unique, 1);
  return unique;
}

function chooseOperations(
  all: readonly NamedOperation[],
  operation_ids: readonly string[] | undefined,
): readonly NamedOperation[] {
  if (operation_ids === undefined) return all;
  const isCalled = (one: NamedOperation, text: string) => one.id === text || one.name === text;
  const unknown = operation_ids.filter((text) => !all.some((one) => isCalled(one, text)));
  if (unknown.length > 0)
    throw Errors.invalidRequest(
      `the document has no operation ${unknown.join(', ')}; it has ${all.map(({ id, name }) => id ?? name).join(', ')}`.slice(
        0,
        4000,
      ),
    );
  return all.filter((one) => operation_ids.some((text) => isCalled(one, text)));
}

interface Credential {
  declared: ManifestCredential;
  /** For a key in the query: the name of its parameter. */
  parameter?: string;
}

/** The credential of the connector: the first scheme that svc knows, of the operations that need one. */
function convertSecurity(
  document: OpenapiDocument,
  operations: readonly Operation[],
  notes: ImportedConnector['notes'],
): Credential | undefined {
  const schemes = toObject(toObject(document.root.components).securitySchemes);
  const requirements = operations.map(({ described }) =>
    toList(described.security ?? document.root.security).map(toObject),
  );
  const optional = requirements.some((all) => all.length === 0 || all.some((one) => Object.keys(one).length === 0));
  const names = [...new Set(requirements.flat().flatMap((one) => Object.keys(one)))];
  const known = names.flatMap((name) => {
    const converted = convertScheme(document.resolve(schemes[name]) ?? {});
    return converted ? [{ name, converted }] : [];
  });
  const [first] = known;
  const others = names.filter((name) => name !== first?.name);
  if (others.length > 0)
    notes.push({
      operation: '(all)',
      note: `the security scheme ${others.slice(0, MAX_NAMED).join(', ')}${others.length > MAX_NAMED ? ', …' : ''} is left out: a connector has one credential`,
    });
  if (first === undefined) return undefined;
  const { declared, ...more } = first.converted;
  return { declared: { ...declared, ...(optional ? { required: false } : {}) }, ...more };
}

function convertScheme({ type, scheme, in: location, name }: JsonObject): Credential | undefined {
  if (type === 'oauth2' || type === 'openIdConnect') return { declared: { kind: 'bearer' } };
  if (type === 'http' && String(scheme).toLowerCase() === 'basic') return { declared: { kind: 'basic' } };
  if (type === 'http' && String(scheme).toLowerCase() === 'bearer') return { declared: { kind: 'bearer' } };
  if (type !== 'apiKey' || typeof name !== 'string') return undefined;
  if (location === 'header') return { declared: { kind: 'api_key', header: name } };
  return location === 'query' ? { declared: { kind: 'url_token' }, parameter: name } : undefined;
}

/** Puts the token into the URL, where the scheme wants it. */
function withToken(converted: ConvertedAction, credential: Credential | undefined): ConvertedAction {
  const { action } = converted;
  if (credential?.parameter === undefined) return converted;
  const url = `${action.request.url}?${encodeURIComponent(credential.parameter)}={credential}`;
  return { ...converted, action: { ...action, request: { ...action.request, url } } };
}

function assemble(
  document: OpenapiDocument,
  {
    name,
    credential,
    converted,
  }: {
    name: string | undefined;
    credential: ManifestCredential | undefined;
    converted: ReadonlyMap<string, ConvertedAction>;
  },
): ConnectorManifest {
  const { title, description } = toObject(document.root.info);
  const base_url = serverOf(document);
  return {
    manifest: 'svc-connector/v1',
    name: name ?? connectorName(toText(title) ?? ''),
    title: 'Connector',
    ...describe(title, description),
    ...(credential ? { credential } : {}),
    fields: [
      {
        name: 'base_url',
        type: 'string',
        ...(base_url === undefined
          ? { required: true }
          : { default: base_url as unknown as { [name: string]: unknown } }),
        title: 'The address of the API',
      },
    ],
    actions: Object.fromEntries([...converted].map(([action_name, { action }]) => [action_name, action])),
  };
}

function connectorName(title: string): string {
  const name = toActionName(title.replace(/\b(?:rest|open)?\s*api\b/gi, ' '));
  return NAME.test(name) && name !== 'call' ? name : 'api';
}

/**
 * The address of the first server, with the defaults of its variables; undefined when it is not complete, or has a password,
 * which no manifest may contain.
 */
function serverOf({ root }: OpenapiDocument): string | undefined {
  const { url, variables } = toObject(toList(root.servers)[0]);
  if (typeof url !== 'string' || url.length > MAX_ADDRESS_LENGTH) return undefined;
  const filled = url.replace(/\{([^{}]*)\}/g, (text, name: string) => {
    const preset = toObject(toObject(variables)[name]).default;
    return typeof preset === 'string' ? preset : text;
  });
  if (filled.length > MAX_ADDRESS_LENGTH || !/^https?:\/\/[^\s\\{}#?]+$/.test(filled) || !URL.canParse(filled))
    return undefined;
  const { username, password } = new URL(filled);
  return username === '' && password === '' ? filled.replace(/\/+$/, '') : undefined;
}

/** Leaves out the actions that a manifest cannot have. */
function dropInvalid(
  manifest: ConnectorManifest,
  {
    reading,
    expressions,
    notes,
  }: { reading: ManifestReading; expressions: Expressions; notes: ImportedConnector['notes'] },
): ConnectorManifest {
  const checked = reading.check(manifest);
  const problems = 'problems' in checked ? checked.problems : checkConnector({ manifest, origin: '' }, expressions);
  if (problems.length === 0) return requireActions(manifest, notes);
  const invalid = new Map(problems.map((one) => [/^\/actions\/([^/]+)/.exec(one.pointer)?.[1], one]));
  const [first] = problems;
  if (invalid.has(undefined)) throw Errors.invalidRequest(`${first!.pointer} ${first!.message}; ${first!.fix}`);
  for (const [name, { pointer, message }] of invalid)
    notes.push({ operation: name!, note: `is left out: ${pointer} ${message}` });
  const actions = Object.entries(manifest.actions ?? {}).filter(([name]) => !invalid.has(name));
  return dropInvalid({ ...manifest, actions: Object.fromEntries(actions) }, { reading, expressions, notes });
}

function requireActions(manifest: ConnectorManifest, notes: ImportedConnector['notes']): ConnectorManifest {
  if (Object.keys(manifest.actions ?? {}).length > 0) return manifest;
  const reasons = notes.slice(0, 3).map(({ operation, note }) => `${operation} ${note}`);
  const detail = reasons.join('; ') || 'it has no operations';
  throw Errors.invalidRequest(`no operation of the document can become an action: ${detail}`);
}

/** Adds one example for each action: what is sent for the values that the document gives. */
function addExamples(
  manifest: ConnectorManifest,
  converted: ReadonlyMap<string, ConvertedAction>,
  expressions: Expressions,
): ConnectorManifest {
  const { actions } = compileConnector({ manifest, origin: '' }, expressions);
  const base_url = manifest.fields?.[0]?.default === undefined ? { with: { base_url: 'https://api.example.org' } } : {};
  const examples = actions.slice(0, MAX_EXAMPLES).flatMap((action) => {
    const example = { action: action.name, ...base_url, ...converted.get(action.name)!.example };
    const lowered = action.lower(toCall(example));
    if ('faults' in lowered) return [];
    const request = toExampleRequest(lowered.request);
    const { response, ...call } = example;
    return [{ ...call, request, ...(response ? { response } : {}) }];
  });
  return { ...manifest, examples };
}
