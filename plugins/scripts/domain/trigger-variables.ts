/** The first characters of a commit's id, as git abbreviates it. */
const SHORT_SHA_LENGTH = 7;

/** Fields of the envelope that have a flat form, and its name. */
const FIELDS: readonly (readonly [field: string, variable: string])[] = [
  ['sha', 'SHA'],
  ['short_sha', 'SHORT_SHA'],
  ['ref', 'REF'],
  ['repo', 'REPO'],
  ['sender', 'SENDER'],
  ['forge', 'FORGE'],
  ['schedule', 'SCHEDULE'],
  ['parent', 'PARENT'],
];

/**
 * `CI_TRIGGER_*` of an envelope: the event's type and id, and one variable per scalar field of its top level.
 * Nested values, null and texts that no environment can hold (with a NUL) have no flat form.
 */
export function triggerVariables(envelope: Readonly<Record<string, unknown>>): Record<string, string> {
  const variables: Record<string, string> = {};
  const put = (name: string, value: unknown) => {
    const text = flat(value);
    if (text !== undefined) variables[`CI_TRIGGER_${name}`] = text;
  };
  put('EVENT', envelope.type);
  put('EVENT_ID', envelope.event);
  const sha = envelope.sha;
  if (typeof sha === 'string') put('SHORT_SHA', sha.slice(0, SHORT_SHA_LENGTH));
  for (const [field, name] of FIELDS) put(name, envelope[field]);
  return variables;
}

function flat(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && !value.includes('\0') ? value : undefined;
}
