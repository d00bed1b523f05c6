import type { JsonSchema } from '../../../../kernel/contracts/index.ts';
import type { OperationCall } from '../../../platform/http/contract.ts';

export type ToolInput = Readonly<Record<string, unknown>>;

/** A request of the REST API. `path` is below the project, with escaped parameters. */
export type ToolCall = Omit<OperationCall, 'path'> & { path: string };

/** What a tool may do: requests of the REST API, with the rights of the caller. */
export interface ToolApi {
  /** Returns the JSON of the response, or its text. Throws the error of the route. */
  call<T>(call: ToolCall): Promise<T>;
}

export interface Tool {
  name: string;
  title: string;
  /** For the model: what the tool does, and when to use it. */
  description: string;
  /** The schema of an object. */
  input: JsonSchema;
  /** Changes something; such a tool is not offered with `read_only`. */
  changes?: boolean;
  /** Ends or removes something that cannot be brought back. */
  destructive?: boolean;
  /** A request of the same role as those of the tool: callers who may not send it are not offered the tool. */
  requires: Pick<ToolCall, 'method' | 'path'>;
  run(input: ToolInput, api: ToolApi): Promise<unknown>;
}

/** An object schema that rejects other members. */
export const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 && { required: [...required] }),
});

export const text = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength: 1024,
  description,
  ...more,
});

export const ANY_JSON = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** Escapes the parameters of a path. */
export const pathOf = (template: TemplateStringsArray, ...params: unknown[]): string =>
  String.raw({ raw: template }, ...params.map((param) => encodeURIComponent(String(param))));
