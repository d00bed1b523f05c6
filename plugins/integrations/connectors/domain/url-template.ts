import type { Fault } from '../../../../kernel/contracts/index.ts';
import type { ManifestCredential } from '../../manifests/contract.ts';
import { CREDENTIAL_PLACEHOLDER } from '../../requests/contract.ts';
import { pointerOf } from './interpolation.ts';
import { ABSENT, type ActionScope } from './scope.ts';
import { type TemplateCompiler, toText, type TextPiece, evaluate } from './template.ts';
import { buildUrl, type UrlSegment } from './url.ts';

export type UrlFiller = (scope: ActionScope, errors: Fault[]) => string | undefined;

/** Compiles the `url` of an action. */
export function compileUrl(
  template: string,
  pointer: string,
  compiler: TemplateCompiler,
  credential: ManifestCredential | undefined,
): UrlFiller {
  const pieces = compiler.pieces(template, pointer) ?? [];
  checkShape(pieces, template, pointer, compiler);
  checkCredentialPlaceholder(template, pointer, compiler, credential);
  return (scope, errors) => fillUrl(pieces, scope, errors);
}

function fillUrl(pieces: readonly TextPiece[], scope: ActionScope, errors: Fault[]): string | undefined {
  const segments: UrlSegment[] = [];
  const before = errors.length;
  for (const piece of pieces) {
    if ('literal' in piece) {
      segments.push(piece);
      continue;
    }
    const { interpolation } = piece;
    const value = evaluate(interpolation, scope, errors);
    if (value === ABSENT) {
      if (errors.length === before)
        errors.push({
          pointer: pointerOf(interpolation),
          message: "is required: it is part of the request's address",
        });
    } else if (typeof value === 'object')
      errors.push({
        pointer: pointerOf(interpolation),
        message: 'must be a string or a number: it is part of the address',
      });
    else segments.push({ value: toText(value), slashes: interpolation.form === 'path' });
  }
  if (errors.length > before) return undefined;
  const built = buildUrl(segments);
  if ('url' in built) return built.url;
  const at = pieces[Math.max(0, built.segment_index)]!;
  errors.push({ pointer: 'interpolation' in at ? pointerOf(at.interpolation) : '/with', message: built.error });
  return undefined;
}

/** Checks the literal text of a URL template. */
function checkShape(pieces: readonly TextPiece[], template: string, pointer: string, compiler: TemplateCompiler): void {
  const [first] = pieces;
  if (!first) return;
  const report = (message: string, fix: string) => compiler.report(pointer, 'url_form', message, fix);
  if ('literal' in first && !/^https?:\/\//.test(first.literal))
    report('must begin with https://, http:// or an expression', 'write https://…, or {{ with.base_url }}/…');
  if ('interpolation' in first && pieces[1] && 'literal' in pieces[1] && !/^[/?]/.test(pieces[1].literal))
    report('the text after the first expression must begin with / or ?', 'write {{ with.base_url }}/…');
  const literals = pieces.map((one) => ('literal' in one ? one.literal : 'x')).join('');
  if (/[\s\\#]/.test(literals))
    report('must not contain spaces, \\ or #', 'leave them out, or write them as %20, %5C, %23');
  if (/^https?:\/\/[^/?]*@/.test(literals))
    report('must not contain a username or password', 'declare a credential of kind basic');
  if (/[{}]/.test(literals.replaceAll(CREDENTIAL_PLACEHOLDER, '')))
    report(
      `can contain { and } only as {{ }} and ${CREDENTIAL_PLACEHOLDER}`,
      `write {{ input.x }} in \`${template.slice(0, 60)}\``,
    );
  const path = literals.indexOf('?') < 0 ? literals : literals.slice(0, literals.indexOf('?'));
  if (
    path
      .replace(/^https?:\/\//, '')
      .split('/')
      .slice(1)
      .some((one) => one === '.' || one === '..')
  )
    report('must not contain . or .. as part of its path', 'write the intended path');
}

function checkCredentialPlaceholder(
  template: string,
  pointer: string,
  compiler: TemplateCompiler,
  credential: ManifestCredential | undefined,
): void {
  const holds = template.includes(CREDENTIAL_PLACEHOLDER);
  if (credential?.kind === 'url_token' && !holds)
    compiler.report(
      pointer,
      'credential_place',
      `must contain ${CREDENTIAL_PLACEHOLDER}`,
      `write ${CREDENTIAL_PLACEHOLDER} where the token of the url_token belongs`,
    );
  if (credential?.kind !== 'url_token' && holds)
    compiler.report(
      pointer,
      'credential_place',
      `${CREDENTIAL_PLACEHOLDER} needs a credential of kind url_token`,
      'set /credential to {"kind": "url_token"}, or leave it out of the url',
    );
}
