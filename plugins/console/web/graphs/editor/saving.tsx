import { Problem } from '../../kit/basics.tsx';
import { visible } from '../../kit/text.ts';
import type { Saving } from './use-save.ts';

/** What came of a save. */
export function SavingNotice({ saving, name, over }: { saving: Saving; name: string; over(): void }) {
  switch (saving.state) {
    case 'refused':
      return <Problem error={saving.error} />;
    case 'conflict':
      return (
        <div className="problem" role="alert">
          <p>
            {`Version ${saving.latest} of ${visible(name)} was saved meanwhile by somebody else, or from another page. Nothing was saved now.`}
          </p>
          <p className="quiet">Export yours first to compare both; the other version stays in the list of versions.</p>
          <button type="button" onClick={over}>
            Save mine as the newest
          </button>
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
