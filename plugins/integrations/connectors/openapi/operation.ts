import type { ManifestAction, ManifestExample, ManifestValue, RequestTemplate } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { isCompact, type JsonObject, type OpenapiDocument, toList, toObject } from './document.ts';
import { describe, sampleOf, samplesIn, toInput, typeOf } from './values.ts';

export interface Operation {
  method: string;
  path: string;
  /** The operation, and the parameters of its path. */
  described: JsonObject;
  shared_parameters: readonly Json[];
}

export interface ConvertedAction {
  action: ManifestAction;
  /** An example without its request. */
  example: Pick<ManifestExample, 'input' | 'response'>;
  /** What the action cannot do, although the document has it. */
  notes: string[];
}

/** The methods that an action can have. */
export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

const MAX_INPUTS = 64;
/** With those that are left out, such as cookies. */
const MAX_PARAMETERS = 256;
/** Headers that the document cannot set: they belong to the content, the credential or the connection. */
const SKIPPED_HEADERS = ['accept', 'content-type', 'authorization'];

type Encoding = NonNullable<RequestTemplate['encoding']>;

/** Collects the inputs of an action under names that are unique. */
class Inputs {
  readonly #names = new Set<string>();
  readonly values: ManifestValue[] = [];
  readonly samples: { [name: string]: Json } = {};

  /** Adds an input and returns the template that reads it. */
  add(name: string, schema: JsonObject, document: OpenapiDocument, holder: JsonObject): string {
    let unique = toName(name);
    for (let nth = 2; this.#names.has(unique); nth += 1) unique = `${toName(name)}_${nth}`;
    this.#names.add(unique);
    const input = toInput(unique, schema, { required: holder.required === true, description: holder.description });
    this.values.push(input);
    const sample = sampleOf(input, document, holder, schema);
    if (input.required || holder.example !== undefined || schema.example !== undefined) this.samples[unique] = sample;
    return `{{ input.${unique} }}`;
  }
}

/** A name that a template can read. */
function toName(text: string): string {
  const name = text
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .slice(0, 60);
  return name === '' ? 'value' : name;
}

/** Converts an operation to an action, or says why it cannot be one. */
export function convertOperation(
  document: OpenapiDocument,
  { method, path, described, shared_parameters }: Operation,
): ConvertedAction | { reason: string } {
  const notes: string[] = [];
  const inputs = new Inputs();
  const request: { query: JsonObject; headers: JsonObject; body?: Json; encoding?: Encoding } = {
    query: {},
    headers: {},
  };
  let url = path;
  const parameters = parametersOf(document, [...shared_parameters, ...toList(described.parameters)]);
  if (parameters.length > MAX_PARAMETERS) return { reason: `it has more than ${MAX_PARAMETERS} parameters` };
  for (const parameter of parameters) {
    if (parameter === undefined) return { reason: 'a parameter refers to another document' };
    const { in: location, name } = parameter as { in?: string; name?: string };
    if (typeof name !== 'string') continue;
    const problem = parameterProblem(parameter);
    if (problem !== undefined) {
      if (parameter.required === true) return { reason: `the parameter ${name} ${problem}` };
      notes.push(`the parameter ${name} ${problem}`);
      continue;
    }
    if (location === 'header' && SKIPPED_HEADERS.includes(name.toLowerCase())) continue;
    const holder = location === 'path' ? { ...parameter, required: true } : parameter;
    const template = inputs.add(name, document.schema(parameter.schema), document, holder);
    if (location === 'path') url = url.replaceAll(`{${name}}`, template);
    else if (location === 'query') request.query = { ...request.query, [name]: template };
    else request.headers = { ...request.headers, [name]: template };
  }
  const rest = url.replace(/\{\{ input\.\w+ \}\}/g, '');
  if (/[{}\s\\#]/.test(rest)) return { reason: 'the path contains what no parameter describes' };
  const problem = convertBody(document, { method, described }, inputs, request, notes);
  if (problem !== undefined) return { reason: problem };
  if (inputs.values.length > MAX_INPUTS) return { reason: `it has more than ${MAX_INPUTS} inputs` };
  const { query, headers, ...body } = request;
  return {
    action: {
      ...describe(described.summary, described.description),
      ...(inputs.values.length > 0 ? { inputs: inputs.values } : {}),
      request: {
        method: method.toUpperCase() as RequestTemplate['method'],
        url: `{{ with.base_url }}${url}`,
        ...(Object.keys(query).length > 0 ? { query } : {}),
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
        ...body,
      } as RequestTemplate,
    },
    example: {
      ...(Object.keys(inputs.samples).length > 0 ? { input: inputs.samples } : {}),
      ...convertResponse(document, described),
    },
    notes,
  };
}

/** The parameters of an operation. Those of the operation replace those of its path. */
function parametersOf(document: OpenapiDocument, all: readonly Json[]): (JsonObject | undefined)[] {
  const by_location = new Map<unknown, JsonObject | undefined>();
  for (const one of all) {
    const resolved = document.resolve(one);
    const key = resolved && `${String(resolved.in)} ${String(resolved.name)}`;
    // It keeps its turn among the others from where it was named last.
    by_location.delete(key);
    by_location.set(key, resolved);
  }
  return [...by_location.values()];
}

/** Explains why a parameter cannot be sent. */
function parameterProblem({ in: location, style, explode, content, schema }: JsonObject): string | undefined {
  if (location === 'cookie') return 'is a cookie';
  if (location !== 'path' && location !== 'query' && location !== 'header') return 'has no known place';
  if (content !== undefined) return 'is a document of its own';
  const { type } = toObject(schema);
  const composite = [type].flat().some((one) => one === 'array' || one === 'object');
  if (!composite) return undefined;
  if (location === 'query' && type === 'array' && explode !== false && (style === undefined || style === 'form'))
    return undefined;
  return `has a ${type === 'array' ? 'list' : 'form'} that templates cannot write`;
}

interface BodyTarget {
  headers: JsonObject;
  body?: Json;
  encoding?: Encoding;
}

/** Adds the inputs of the body. Returns why the operation cannot be an action. */
function convertBody(
  document: OpenapiDocument,
  { method, described }: Pick<Operation, 'method' | 'described'>,
  inputs: Inputs,
  request: BodyTarget,
  notes: string[],
): string | undefined {
  if (described.requestBody === undefined) return undefined;
  const body = document.resolve(described.requestBody);
  if (body === undefined) return 'its body refers to another document';
  const content = Object.entries(toObject(body.content));
  const chosen = chooseContent(content);
  if (method === 'get' || method === 'head' || chosen === undefined) {
    const types = content.map(([type]) => type).join(', ') || 'no type';
    const problem =
      chosen === undefined ? `its body can only be sent as ${types}` : `${method.toUpperCase()} sends no body`;
    if (body.required === true) return problem;
    notes.push(problem);
    return undefined;
  }
  const { type, encoding, media } = chosen;
  if (encoding !== 'json') request.encoding = encoding;
  else if (type !== 'application/json') request.headers = { ...request.headers, 'Content-Type': type };
  const schema = document.schema(media.schema);
  const sample = [media.example, ...samplesIn(media.examples, document)].find((one) => one !== undefined);
  const properties = Object.entries(toObject(schema.properties)).filter(
    ([, one]) => document.schema(one).readOnly !== true,
  );
  const separate = typeOf(schema) === 'object' && properties.length > 0 && encoding !== 'text';
  if (!separate || inputs.values.length + properties.length > MAX_INPUTS) {
    const holder = { description: body.description ?? null, required: body.required === true, ...withExample(sample) };
    request.body = inputs.add(
      'body',
      encoding === 'form' ? { ...schema, type: 'object' } : schema,
      document,
      holder as JsonObject,
    );
    if (encoding === 'form') return 'its form has members that the document does not list';
    return undefined;
  }
  const required = toList(schema.required);
  const members = properties.map(([name, property]) => {
    const described_property = document.schema(property);
    const holder = {
      description: described_property.description ?? null,
      required: required.includes(name) && body.required === true,
      ...withExample(Object.hasOwn(toObject(sample), name) ? toObject(sample)[name] : undefined),
    };
    return [name, inputs.add(name, described_property, document, holder as JsonObject)] as const;
  });
  request.body = Object.fromEntries(members);
  return undefined;
}

const withExample = (example: Json | undefined) => (example === undefined ? {} : { example });

function chooseContent(
  content: readonly [string, Json][],
): { type: string; encoding: Encoding; media: JsonObject } | undefined {
  const forms: readonly [RegExp, Encoding][] = [
    [/^application\/json$/, 'json'],
    [/\+json$/, 'json'],
    [/^application\/x-www-form-urlencoded$/, 'form'],
    [/^text\/plain$/, 'text'],
    [/^\*\/\*$/, 'json'],
  ];
  for (const [pattern, encoding] of forms)
    for (const [type, media] of content) {
      const [media_type = ''] = type.toLowerCase().split(';');
      if (pattern.test(media_type.trim()))
        return {
          type: media_type.trim() === '*/*' ? 'application/json' : media_type.trim(),
          encoding,
          media: toObject(media),
        };
    }
  return undefined;
}

/** The first success that the document describes, with its example. */
function convertResponse(document: OpenapiDocument, { responses }: JsonObject): Pick<ManifestExample, 'response'> {
  const [status, described] = Object.entries(toObject(responses)).find(([code]) => /^2\d\d$/.test(code)) ?? [];
  if (status === undefined) return {};
  const content = Object.entries(toObject(document.resolve(described)?.content));
  const media = toObject(chooseContent(content)?.media);
  const schema = document.schema(media.schema);
  const [body] = [media.example, ...samplesIn(media.examples, document), schema.example].filter(
    (one) => one !== undefined && isCompact(one),
  );
  return { response: { status: Number(status), ...(body === undefined ? {} : { body }) } };
}
