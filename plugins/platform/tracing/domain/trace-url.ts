import { Errors } from '../../../../kernel/contracts/index.ts';

export type TraceUrl = (trace_id: string) => string;

const PLACEHOLDER = '{trace_id}';

/** Reads the template of the pages on which people look at traces. Throws `setting_invalid`. */
export function readTraceUrl(template: string | undefined): TraceUrl | undefined {
  if (template === undefined || template === '') return undefined;
  const example = template.replaceAll(PLACEHOLDER, '0');
  const usable = template.includes(PLACEHOLDER) && URL.canParse(example) && /^https?:$/.test(new URL(example).protocol);
  if (!usable)
    throw Errors.settingInvalid(
      `SVC_TRACE_URL must be an address that starts with http: or https: and contains ${PLACEHOLDER}, such as https://traces.example.org/trace/${PLACEHOLDER}`,
    );
  return (trace_id) => template.replaceAll(PLACEHOLDER, trace_id);
}
