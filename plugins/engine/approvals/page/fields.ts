import type { JsonSchema } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';

/** A field of the form that a page shows. */
export interface Field {
  name: string;
  label: string;
  help?: string;
  required: boolean;
  input: 'text' | 'textarea' | 'number' | 'checkbox' | 'select' | 'date' | 'email' | 'url' | 'json';
  choices?: readonly Json[];
  start: string;
}

/** The only field of a form that is no object with fields: its value as JSON. */
export const ENTIRE = 'payload';
/** The fields of the answer begin with it, so that none has the name of one of the page. */
const PREFIX = 'f.';

type Property = Readonly<Record<string, unknown>>;

const FORMATS = { date: 'date', email: 'email', uri: 'url', textarea: 'textarea' } as const;

/** The fields of a form; one for the whole value when the schema says nothing of members. */
export function fieldsOf(form: JsonSchema): Field[] {
  const { type, properties, required = [] } = form as { type?: unknown; properties?: unknown; required?: unknown };
  const isObject = type === 'object' && typeof properties === 'object' && properties !== null;
  if (!isObject)
    return [
      {
        name: ENTIRE,
        label: 'Answer, as JSON',
        required: true,
        input: 'json',
        start: JSON.stringify(form.default ?? null),
      },
    ];
  const demanded = Array.isArray(required) ? required : [];
  return Object.entries(properties as Record<string, Property>).map(([name, property]) =>
    toField(name, property, demanded.includes(name)),
  );
}

function toField(name: string, property: Property, required: boolean): Field {
  const { title, description, default: start, enum: choices } = property;
  const input = Array.isArray(choices) ? 'select' : inputOf(property);
  return {
    name: `${PREFIX}${name}`,
    label: typeof title === 'string' ? title : name,
    ...(typeof description === 'string' && { help: description }),
    required,
    input,
    ...(Array.isArray(choices) && { choices: choices as Json[] }),
    start: start === undefined ? '' : input === 'json' || typeof start !== 'string' ? JSON.stringify(start) : start,
  };
}

function inputOf({ type, format }: Property): Field['input'] {
  if (type === 'boolean') return 'checkbox';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string') return FORMATS[format as keyof typeof FORMATS] ?? 'text';
  return 'json';
}

/** The answer that the fields of a sent form say. What is no number or no JSON stays a text, which the form then refuses. */
export function answerOf(form: JsonSchema, sent: URLSearchParams): Json {
  const fields = fieldsOf(form);
  const [first] = fields;
  if (first?.name === ENTIRE) return readValue(first, sent.get(ENTIRE) ?? '') ?? null;
  const answer: Record<string, Json> = {};
  for (const field of fields) {
    const value = field.input === 'checkbox' ? sent.has(field.name) : readValue(field, sent.get(field.name) ?? '');
    if (value !== undefined) answer[field.name.slice(PREFIX.length)] = value;
  }
  return answer;
}

function readValue({ input, choices }: Field, text: string): Json | undefined {
  if (text === '') return undefined;
  if (choices) {
    const index = choices.findIndex((choice) => choiceText(choice) === text);
    return index < 0 ? text : choices[index]!;
  }
  return input === 'number' || input === 'json' ? parsed(text) : text.replaceAll('\r\n', '\n');
}

export const choiceText = (choice: Json): string => (typeof choice === 'string' ? choice : JSON.stringify(choice));

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
