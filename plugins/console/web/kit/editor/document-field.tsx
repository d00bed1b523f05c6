import { lazy, type Ref, Suspense } from 'react';
import { Loading } from '../basics.tsx';
import { Hidden } from '../hidden.tsx';
import type { EditorHandle, Mark } from './editor.tsx';
import type { DocumentLanguage } from './language.ts';

const Editor = lazy(() => import('./editor.tsx'));

interface Props {
  label: string;
  value: string;
  /** Absent: for reading only. */
  onChange?(text: string): void;
  language: DocumentLanguage;
  marks?: readonly Mark[];
  ref?: Ref<EditorHandle>;
}

/** A document with the numbers of its lines; the editor is loaded with the first one that is shown. */
export const DocumentField = (props: Props) => (
  <>
    <Suspense fallback={<Loading />}>
      <Editor {...props} />
    </Suspense>
    <Hidden text={props.value} />
  </>
);
