import { Errors } from '../../../kernel/contracts/index.ts';

export type TraceUrl = (trace_id: string) => string;

const HOLE = '{trace_id}';

/** Where people look at traces. Throws `setting_invalid`. */
export function readTraceUrl(template: string | undefined): TraceUrl | undefined {
  if (template === undefined || template === '') return undefined;
  const example = template.replaceAll(HOLE, '0');
  const usable = template.includes(HOLE) && URL.canParse(example) && /^https?:$/.test(new URL(example).protocol);
  if (!usable)
    throw Errors.settingInvalid(
      `SVC_TRACE_URL must be an address that begins with http: or https: and holds ${HOLE}, such as https://traces.example.org/trace/${HOLE}`,
    );
  return (trace_id) => template.replaceAll(HOLE, trace_id);
}
