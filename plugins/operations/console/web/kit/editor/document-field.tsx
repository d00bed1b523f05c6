import { lazy, Suspense } from 'react';
import { Loading } from '../basics.tsx';
import { Hidden } from '../hidden.tsx';
import type { EditorProps } from './editor.tsx';

const Editor = lazy(() => import('./editor.tsx'));

/** A document with the numbers of its lines; the editor is loaded with the first one that is shown. */
export const DocumentField = (props: EditorProps) => (
  <>
    <Suspense fallback={<Loading />}>
      <Editor {...props} />
    </Suspense>
    <Hidden text={props.value} />
  </>
);
