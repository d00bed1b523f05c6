import type { ConnectorManifest, ManifestAction, ManifestSign } from '../../manifests/contract.ts';
import type { TemplateCompiler } from './template.ts';

/** What a schema cannot find in the way an action signs its requests. */
export function checkSign(
  { signs, timestamp_header, id_header }: ManifestSign,
  { credential }: ConnectorManifest,
  { request }: ManifestAction,
  pointer: string,
  compiler: TemplateCompiler,
): void {
  const say = (member: string, message: string, fix: string) =>
    compiler.say(`${pointer}${member}`, 'sign_form', message, fix);
  if (credential?.kind !== 'bearer' || credential.required === false)
    say(
      '',
      'needs a required credential of kind bearer: its value is the key',
      'set /credential to {"kind": "bearer"}',
    );
  if (!signs.includes('{body}'))
    say('/signs', 'must contain {body}: a part that is not signed can be forged', 'add {body}');
  if (signs.includes('{timestamp}') !== (timestamp_header !== undefined))
    say('/timestamp_header', 'belongs to {timestamp} in `signs`', 'have both of them, or none');
  if (signs.includes('{id}') !== (id_header !== undefined))
    say('/id_header', 'belongs to {id} in `signs`', 'have both of them, or none');
  const names = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase());
  if (id_header !== undefined && !names.includes(id_header.toLowerCase()))
    say('/id_header', 'is none of the headers of the request', `add "${id_header}" to \`headers\``);
}
