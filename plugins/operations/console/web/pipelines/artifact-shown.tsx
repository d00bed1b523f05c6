import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { ArtifactView } from '../../../../../cli/generated/api.ts';
import { ask } from '../api/client.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { addressOf, type View, viewOf } from './artifact-view.ts';

const Markdown = lazy(() => import('../kit/markdown.tsx'));

interface Props {
  /** Of the run's artifacts. */
  path: string;
  item: ArtifactView;
}

/** The content of an artifact, which is a run's own and may be hostile. */
export function ArtifactShown({ path, item }: Props) {
  const view = viewOf(item)!;
  const read = useQuery({
    queryKey: ['artifact', path, item.path, item.digest],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) => {
      const answer = await ask(addressOf(path, item.path), { signal });
      return view === 'picture' ? bitmapOf(await answer.blob()) : answer.text();
    },
  });
  if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <Loading />;
  return (
    <section className="artifact-shown" aria-label={`Content of ${item.path}`}>
      <Content view={view} data={read.data} name={item.path} />
    </section>
  );
}

async function bitmapOf(blob: Blob): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(blob);
  } catch {
    throw new Error('This file is not an image that the browser can show. Download it to view it.');
  }
}

function Content({ view, data, name }: { view: View; data: string | ImageBitmap; name: string }) {
  if (typeof data !== 'string') return <Picture bitmap={data} name={name} />;
  if (view !== 'markdown') return <Block text={data} />;
  return (
    <Suspense fallback={<Loading />}>
      <Markdown text={data} />
    </Suspense>
  );
}

/** Drawn, because the content security policy lets no address of a run's file be an image of the page. */
function Picture({ bitmap, name }: { bitmap: ImageBitmap; name: string }) {
  const place = useRef<HTMLCanvasElement>(null);
  useEffect(() => place.current?.getContext('2d')?.drawImage(bitmap, 0, 0), [bitmap]);
  const { width, height } = bitmap;
  return <canvas ref={place} width={width} height={height} role="img" aria-label={`${name}, ${width} × ${height}`} />;
}
