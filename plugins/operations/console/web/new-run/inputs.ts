/** One member of the input that a workflow reads. */
export interface InputField {
  /** `order.id`. */
  path: string;
  /** What the workflow takes when nobody gives it. */
  default?: string;
  /** A script reads it: without a value and without a default, the script fails. */
  script?: boolean;
}

/** `svc input channel --default stable`, in any shell or language that writes the words one after another. */
const OF_SCRIPT = /\bsvc[\s"',()[\]]+input[\s"',]+([A-Za-z_][\w.-]*)(?:[\s"',]+--default(?:[\s"',=]+)([^\s"',)\]]+))?/g;
/** `input.total` and `inputs.total` of expressions and of pipelines. */
const OF_EXPRESSION = /\binputs?\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)/g;
const MOST = 20;

/** The members of the input that a document names, in the order in which it does. What it computes is not seen. */
export function inputsOf(source: string): InputField[] {
  const found = new Map<string, InputField>();
  for (const [, path, fallback] of source.matchAll(OF_SCRIPT))
    found.set(path!, { path: path!, script: true, ...(fallback !== undefined && { default: fallback }) });
  for (const [, path] of source.matchAll(OF_EXPRESSION)) if (!found.has(path!)) found.set(path!, { path: path! });
  return [...found.values()].slice(0, MOST);
}

/** `12`, `true` and `{"a":1}` are JSON; anything else is a text. Numbers beyond what JavaScript holds stay texts. */
export function parsedValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' && String(value) !== text.trim() ? text : value;
  } catch {
    return text;
  }
}

/** The input that the filled fields say; what is empty is left out, so that the workflow takes its own default. */
export function inputFrom(fields: readonly InputField[], values: Readonly<Record<string, string>>): object | null {
  const input: Record<string, unknown> = {};
  for (const { path } of fields) {
    const text = values[path] ?? '';
    if (text !== '') put(input, path.split('.'), parsedValue(text));
  }
  return Object.keys(input).length === 0 ? null : input;
}

function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    define(into, name, value);
    return;
  }
  const inner = Object.hasOwn(into, name) ? into[name] : undefined;
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  put(next, rest, value);
  define(into, name, next);
}

/** As a member of its own, whatever it is called. */
const define = (into: object, name: string, value: unknown): unknown =>
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
