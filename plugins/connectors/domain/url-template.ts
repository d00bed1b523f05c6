import type { Fault } from '../../../kernel/contracts/index.ts';
import type { ManifestCredential } from '../../manifests/contract.ts';
import { CREDENTIAL_HOLE } from '../../requests/contract.ts';
import { pointerOf } from './hole.ts';
import { ABSENT, type ActionScope } from './scope.ts';
import { type TemplateCompiler, textOf, type TextPiece, valueIn } from './template.ts';
import { buildUrl, type UrlPart } from './url.ts';

export type UrlFiller = (scope: ActionScope, faults: Fault[]) => string | undefined;

/** Compiles the `url` of an action. */
export function compileUrl(
  template: string,
  pointer: string,
  compiler: TemplateCompiler,
  credential: ManifestCredential | undefined,
): UrlFiller {
  const pieces = compiler.pieces(template, pointer) ?? [];
  checkShape(pieces, template, pointer, compiler);
  checkMark(template, pointer, compiler, credential);
  return (scope, faults) => fill(pieces, scope, faults);
}

function fill(pieces: readonly TextPiece[], scope: ActionScope, faults: Fault[]): string | undefined {
  const parts: UrlPart[] = [];
  const before = faults.length;
  for (const piece of pieces) {
    if ('literal' in piece) {
      parts.push(piece);
      continue;
    }
    const { hole } = piece;
    const value = valueIn(hole, scope, faults);
    if (value === ABSENT) {
      if (faults.length === before)
        faults.push({ pointer: pointerOf(hole), message: 'is required: it is a part of the address of the request' });
    } else if (typeof value === 'object')
      faults.push({ pointer: pointerOf(hole), message: 'must be a text or a number: it is a part of the address' });
    else parts.push({ value: textOf(value), slashes: hole.form === 'path' });
  }
  if (faults.length > before) return undefined;
  const built = buildUrl(parts);
  if ('url' in built) return built.url;
  const at = pieces[Math.max(0, built.part)]!;
  faults.push({ pointer: 'hole' in at ? pointerOf(at.hole) : '/with', message: built.fault });
  return undefined;
}

/** What a URL may look like before anything is put in. */
function checkShape(pieces: readonly TextPiece[], template: string, pointer: string, compiler: TemplateCompiler): void {
  const [first] = pieces;
  if (!first) return;
  const say = (message: string, fix: string) => compiler.say(pointer, 'url_form', message, fix);
  if ('literal' in first && !/^https?:\/\//.test(first.literal))
    say('must begin with https://, http:// or a hole', 'write https://…, or {{ with.base_url }}/…');
  if ('hole' in first && pieces[1] && 'literal' in pieces[1] && !/^[/?]/.test(pieces[1].literal))
    say('what follows the first hole must begin with / or ?', 'write {{ with.base_url }}/…');
  const literals = pieces.map((one) => ('literal' in one ? one.literal : 'x')).join('');
  if (/[\s\\#]/.test(literals))
    say('must not contain blanks, \\ or #', 'leave them out, or write them as %20, %5C, %23');
  if (/^https?:\/\/[^/?]*@/.test(literals))
    say('must not contain a user or a password', 'declare a credential of kind basic');
  if (/[{}]/.test(literals.replaceAll(CREDENTIAL_HOLE, '')))
    say(
      `may contain { and } only as {{ }} and ${CREDENTIAL_HOLE}`,
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
    say('must not contain . or .. as a part of its path', 'write the path that is meant');
}

function checkMark(
  template: string,
  pointer: string,
  compiler: TemplateCompiler,
  credential: ManifestCredential | undefined,
): void {
  const holds = template.includes(CREDENTIAL_HOLE);
  if (credential?.kind === 'url_token' && !holds)
    compiler.say(
      pointer,
      'credential_place',
      `must contain ${CREDENTIAL_HOLE}`,
      `write ${CREDENTIAL_HOLE} where the token of the url_token belongs`,
    );
  if (credential?.kind !== 'url_token' && holds)
    compiler.say(
      pointer,
      'credential_place',
      `${CREDENTIAL_HOLE} needs a credential of kind url_token`,
      'set /credential to {"kind": "url_token"}, or leave it out of the url',
    );
}
