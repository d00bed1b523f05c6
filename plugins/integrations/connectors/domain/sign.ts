import type { ConnectorManifest, ManifestAction, ManifestSign } from '../../manifests/contract.ts';
import type { TemplateCompiler } from './template.ts';

/** Checks what a schema cannot express about the signing of requests. */
export function checkSign(
  { signs, timestamp_header, id_header }: ManifestSign,
  { credential }: ConnectorManifest,
  { request }: ManifestAction,
  pointer: string,
  compiler: TemplateCompiler,
): void {
  const report = (member: string, message: string, fix: string) =>
    compiler.report(`${pointer}${member}`, 'sign_form', message, fix);
  if (credential?.kind !== 'bearer' || credential.required === false)
    report(
      '',
      'needs a required credential of kind bearer: its value is the key',
      'set /credential to {"kind": "bearer"}',
    );
  if (!signs.includes('{body}'))
    report('/signs', 'must contain {body}: a part that is not signed can be forged', 'add {body}');
  if (signs.includes('{timestamp}') !== (timestamp_header !== undefined))
    report('/timestamp_header', 'belongs to {timestamp} in `signs`', 'use both of them, or neither');
  if (signs.includes('{id}') !== (id_header !== undefined))
    report('/id_header', 'belongs to {id} in `signs`', 'use both of them, or neither');
  const names = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase());
  if (id_header !== undefined && !names.includes(id_header.toLowerCase()))
    report('/id_header', 'is not a header of the request', `add "${id_header}" to \`headers\``);
}
