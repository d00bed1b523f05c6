import { StreamLanguage } from '@codemirror/language';

/** What is coloured in a program: enough to see its parts, without a grammar for each language. */
interface Parts {
  comment: RegExp;
  text: RegExp;
  keyword: ReadonlySet<string>;
  /** Variables. */
  name?: RegExp;
}

const words = (all: string) => new Set(all.split(' '));
const NUMBER = /^\d[\w.]*/;
const WORD = /^[A-Za-z_]\w*/;

export const SHELL: Parts = {
  comment: /^#.*/,
  text: /^(?:'[^']*'?|"(?:[^"\\]|\\.)*"?)/,
  name: /^\$(?:\{[^}]*\}?|\w+)/,
  keyword: words('if then else elif fi for in do done while until case esac function return local export set exit'),
};

/** JavaScript, TypeScript, Python and Go. */
export const CODE: Parts = {
  comment: /^(?:\/\/.*|#.*|\/\*.*?(?:\*\/|$))/,
  text: /^(?:'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|`(?:[^`\\]|\\.)*`?)/,
  keyword: words(
    'async await break case catch class const continue def default defer elif else except export false finally for from func function go if import in interface is lambda let map new nil None null of package pass raise range return self static struct switch this throw true True False try type var while with yield',
  ),
};

/** Expressions: the names of the data stand out, because everything begins at one of them. */
export const CEL: Parts = {
  comment: /^\/\/.*/,
  text: /^(?:'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?)/,
  name: /^(?:nodes|input|event|run|item|index)\b/,
  keyword: words('true false null in'),
};

/** The language of a program. */
export const program = ({ comment, text, keyword, name }: Parts): StreamLanguage<Record<string, never>> =>
  StreamLanguage.define<Record<string, never>>({
    startState: () => ({}),
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(comment)) return 'comment';
      if (stream.match(text)) return 'string';
      if (name && stream.match(name)) return 'propertyName';
      if (stream.match(NUMBER)) return 'number';
      const word = stream.match(WORD) as RegExpMatchArray | null;
      if (word) return keyword.has(word[0]) ? 'keyword' : null;
      stream.next();
      return null;
    },
  });
