import { TriangleAlert } from 'lucide-react';
import { Problem } from '../../kit/basics.tsx';
import { visible } from '../../kit/text.ts';
import type { Saving } from './use-save.ts';

/** What came of a save. */
interface Props {
  saving: Saving;
  name: string;
  /** Which the editor lists. */
  problems: number;
  over(): void;
}

export function SavingNotice({ saving, name, problems, over }: Props) {
  switch (saving.state) {
    case 'refused':
      // The list of problems names them already, each with the way to it.
      if (problems > 0)
        return (
          <p role="alert" className="banner failed">
            {`Not saved: ${problems === 1 ? 'a problem' : `${problems} problems`} must be fixed first.`}
          </p>
        );
      return <Problem error={saving.error} />;
    case 'conflict':
      return (
        <div className="problem" role="alert">
          <TriangleAlert size={16} aria-hidden />
          <div>
            <p>
              {`Version ${saving.latest} of ${visible(name)} was saved by someone else or from another page. Your changes are not saved.`}
            </p>
            <p className="quiet">
              To compare the two versions, export yours first. The other version stays in the list of versions.
            </p>
            <button type="button" onClick={over}>
              Save mine as the newest version
            </button>
          </div>
        </div>
      );
    case 'saved':
      return (
        <div role="status">
          <p className="quiet">Saved as version {saving.version}.</p>
          {saving.warnings.map((warning) => (
            <p key={warning} className="warns">
              ! {visible(warning)}
            </p>
          ))}
        </div>
      );
    default:
      return null;
  }
}
